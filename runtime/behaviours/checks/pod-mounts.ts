/**
 * Mounts and devices of all containers against the volumes of their pod spec (catalog validation.yaml: VolumeMount,
 * VolumeDevice).
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { containersOf, listOf, objectAt, type PlacedContainer, textOf } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export function podMounts(spec: JsonValue, context: CheckContext): void {
  const volumes = new Map(listOf(spec, "volumes").map((volume) => [textOf(volume, "name"), volume]))
  for (const placed of containersOf(spec)) {
    if (context.failures.full) return
    checkMounts(placed, volumes, context)
    checkDevices(placed, volumes, context)
  }
}

function checkMounts({ container, list, path }: PlacedContainer, volumes: ReadonlyMap<string, JsonObject>, context: CheckContext): void {
  const devices = listOf(container, "volumeDevices")
  const [deviceNames, devicePaths] = [namesIn(devices, "name"), namesIn(devices, "devicePath")]
  const paths = new Set<string>()
  for (const [index, mount] of listOf(container, "volumeMounts").entries()) {
    const at = `${path}.volumeMounts[${index}]`
    const [name, mountPath] = [textOf(mount, "name"), textOf(mount, "mountPath")]
    if (name !== "" && !volumes.has(name)) context.fail("NotFound", name, "", `${at}.name`)
    if (paths.has(mountPath)) context.fail("Invalid", mountPath, "must be unique", `${at}.mountPath`)
    paths.add(mountPath)
    if (deviceNames.has(name)) context.fail("Invalid", name, "must not already exist in volumeDevices", `${at}.name`)
    if (devicePaths.has(mountPath)) {
      context.fail("Invalid", mountPath, "must not already exist as a path in volumeDevices", `${at}.mountPath`)
    }
    if (list === "ephemeralContainers") refuseParts(mount, at, context)
    if (mount["mountPropagation"] === "Bidirectional" && objectAt(container, "securityContext")?.["privileged"] !== true) {
      context.fail(
        "Forbidden",
        undefined,
        "Bidirectional mount propagation is available only to privileged containers",
        `${at}.mountPropagation`,
      )
    }
  }
}

function namesIn(items: readonly JsonObject[], field: string): ReadonlySet<JsonValue | undefined> {
  return new Set(items.map((item) => item[field]))
}

function refuseParts(mount: JsonObject, at: string, context: CheckContext): void {
  for (const name of ["subPath", "subPathExpr"]) {
    if (textOf(mount, name) !== "") context.fail("Forbidden", undefined, "cannot be set for an Ephemeral Container", `${at}.${name}`)
  }
}

function checkDevices({ container, path }: PlacedContainer, volumes: ReadonlyMap<string, JsonObject>, context: CheckContext): void {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  for (const [index, device] of listOf(container, "volumeDevices").entries()) {
    const at = `${path}.volumeDevices[${index}]`
    const [name, devicePath] = [textOf(device, "name"), textOf(device, "devicePath")]
    const volume = volumes.get(name)
    if (volume === undefined) {
      if (name !== "") context.fail("NotFound", name, "", `${at}.name`)
    } else if (volume["persistentVolumeClaim"] === undefined && volume["ephemeral"] === undefined) {
      context.fail("Invalid", name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode", `${at}.name`)
    }
    if (names.has(name)) context.fail("Invalid", name, "must be unique", `${at}.name`)
    if (paths.has(devicePath)) context.fail("Invalid", devicePath, "must be unique", `${at}.devicePath`)
    names.add(name)
    paths.add(devicePath)
  }
}
