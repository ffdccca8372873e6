/**
 * Mounts and devices of all containers against the volumes of their pod spec (catalog validation.yaml: VolumeMount,
 * VolumeDevice).
 */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { VolumeMount } from "../../../generated/core/v1/shared/container/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { Volume } from "../../../generated/core/v1/shared/volumes/types.ts"
import { containersOf, type PlacedContainer } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export const podMounts = defineCheck<PodSpec>((spec, context) => {
  const volumes = new Map(soundVolumes(spec, context).map((volume) => [volume.name, volume]))
  for (const placed of containersOf(spec)) {
    if (context.failures.full) return
    checkMounts(placed, volumes, context)
    checkDevices(placed, volumes, context)
  }
})

/** Volumes without failures so far. In the reference, mounts and devices find no others. */
function soundVolumes({ volumes = [] }: PodSpec, context: CheckContext<unknown>): readonly Volume[] {
  const { list } = context.failures
  if (list.length === 0) return volumes
  const prefix = context.at("volumes[")
  const refused = new Set(
    list.filter(({ field }) => field.startsWith(prefix)).map(({ field }) => Number.parseInt(field.slice(prefix.length), 10)),
  )
  return volumes.filter((_volume, index) => !refused.has(index))
}

/** A device that comes more than once under one name counts with its last path, and so do mounts for devices. */
function checkMounts(
  { container, list, path }: PlacedContainer,
  volumes: ReadonlyMap<string, Volume>,
  context: CheckContext<unknown>,
): void {
  const { volumeDevices: devices = [], volumeMounts = [] } = container
  const deviceByName = new Map(devices.map(({ name, devicePath }) => [name, devicePath]))
  const devicePaths = new Set(deviceByName.values())
  const paths = new Set<string>()
  for (const [index, mount] of volumeMounts.entries()) {
    const at = `${path}.volumeMounts[${index}]`
    const { mountPath, name } = mount
    if (!volumes.has(name)) context.fail("NotFound", name, "", `${at}.name`)
    if (paths.has(mountPath)) context.fail("Invalid", mountPath, "must be unique", `${at}.mountPath`)
    paths.add(mountPath)
    if (deviceByName.has(name)) context.fail("Invalid", name, "must not already exist in volumeDevices", `${at}.name`)
    if (devicePaths.has(mountPath)) {
      context.fail("Invalid", mountPath, "must not already exist as a path in volumeDevices", `${at}.mountPath`)
    }
    if (list === "ephemeralContainers") refuseParts(mount, at, context)
    if (mount.mountPropagation === "Bidirectional" && container.securityContext?.privileged !== true) {
      context.fail(
        "Forbidden",
        undefined,
        "Bidirectional mount propagation is available only to privileged containers",
        `${path}.volumeMounts.mountPropagation`,
      )
    }
  }
}

function refuseParts(mount: VolumeMount, at: string, context: CheckContext<unknown>): void {
  for (const name of ["subPath", "subPathExpr"] as const) {
    if ((mount[name] ?? "") !== "") context.fail("Forbidden", undefined, "cannot be set for an Ephemeral Container", `${at}.${name}`)
  }
}

function checkDevices({ container, path }: PlacedContainer, volumes: ReadonlyMap<string, Volume>, context: CheckContext<unknown>): void {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  const mountByName = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]))
  const mountPaths = new Set(mountByName.values())
  for (const [index, device] of (container.volumeDevices ?? []).entries()) {
    const at = `${path}.volumeDevices[${index}]`
    const { devicePath, name } = device
    const volume = volumes.get(name)
    if (volume === undefined) context.fail("NotFound", name, "", `${at}.name`)
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      context.fail("Invalid", name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode", `${at}.name`)
    }
    if (names.has(name)) context.fail("Invalid", name, "must be unique", `${at}.name`)
    if (paths.has(devicePath)) context.fail("Invalid", devicePath, "must be unique", `${at}.devicePath`)
    if (mountByName.has(name)) context.fail("Invalid", name, "must not already exist in volumeMounts", `${at}.name`)
    if (mountPaths.has(devicePath))
      context.fail("Invalid", devicePath, "must not already exist as a path in volumeMounts", `${at}.devicePath`)
    if (name !== "") names.add(name)
    if (!devicePath.split("/").includes("..")) paths.add(devicePath)
  }
}
