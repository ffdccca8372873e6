/** Annotations that have a meaning for pods (catalog validation.yaml: Pod). */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { containersOf, objectAt, textOf } from "../pods/fields.ts"

const int32 = /^(0|-?[1-9][0-9]*)$/
const appArmorPrefix = "container.apparmor.security.beta.orch.io/"
const seccompOfPod = "seccomp.security.alpha.orch.io/pod"
const seccompOfContainers = "container.seccomp.security.alpha.orch.io/"
const mirror = "orch.io/config.mirror"

/** Called for each pod. */
export function podAnnotations(pod: JsonValue, context: CheckContext): void {
  const annotations = objectAt(pod, "metadata", "annotations") ?? {}
  checkAnnotations(pod, context)
  if (annotations[context.vendor.domain(mirror)] !== undefined && textOf(objectAt(pod, "spec"), "nodeName") === "") {
    context.fail(
      "Required",
      undefined,
      "must set spec.nodeName if mirror pod annotation is set",
      `metadata.annotations[${context.vendor.domain(mirror)}]`,
    )
  }
  const old = context.oldRoot
  if (old !== undefined && context.subresource === undefined)
    checkUnchanged(annotations, objectAt(old, "metadata", "annotations") ?? {}, context)
}

/** Checks that pods and templates share. */
export function checkAnnotations(template: JsonValue, context: CheckContext): void {
  const annotations = objectAt(template, "metadata", "annotations") ?? {}
  checkDeletionCost(annotations, context)
  checkSeccomp(annotations, context)
  checkAppArmor(annotations, template, context)
  if (context.operation === "create") checkAgreement(annotations, template, context)
}

function checkDeletionCost(annotations: JsonObject, context: CheckContext): void {
  const name = context.vendor.domain("controller.orch.io/pod-deletion-cost")
  const cost = annotations[name]
  if (typeof cost !== "string") return
  if (!int32.test(cost) || BigInt(cost) !== BigInt.asIntN(32, BigInt(cost))) {
    context.fail("Invalid", cost, "must be a 32bit integer without a leading + or zeros", `metadata.annotations[${name}]`)
  }
}

function checkSeccomp(annotations: JsonObject, context: CheckContext): void {
  const [ofPod, ofContainers] = [context.vendor.domain(seccompOfPod), context.vendor.domain(seccompOfContainers)]
  for (const [name, profile] of Object.entries(annotations)) {
    if ((name !== ofPod && !name.startsWith(ofContainers)) || typeof profile !== "string") continue
    if (["runtime/default", "docker/default", "unconfined"].includes(profile)) continue
    const file = /^localhost\/(.+)$/.exec(profile)?.[1]
    if (file !== undefined && !file.startsWith("/") && !file.split("/").includes("..")) continue
    context.fail("Invalid", profile, "must be a valid seccomp profile", `metadata.annotations[${name}]`)
  }
}

function checkAppArmor(annotations: JsonObject, pod: JsonValue, context: CheckContext): void {
  const prefix = context.vendor.domain(appArmorPrefix)
  const spec = objectAt(pod, "spec")
  const containers = new Set(containersOf(spec).map(({ container }) => textOf(container, "name")))
  for (const [name, profile] of Object.entries(annotations)) {
    if (!name.startsWith(prefix)) continue
    const container = name.slice(prefix.length)
    if (!containers.has(container)) context.fail("Invalid", container, "container not found", `metadata.annotations[${name}]`)
    if (typeof profile === "string" && !/^($|runtime\/default$|unconfined$|localhost\/.)/.test(profile)) {
      context.fail("Invalid", profile, `invalid AppArmor profile name: "${profile}"`, `metadata.annotations[${name}]`)
    }
  }
}

/** Annotations that the node acts on once must not change afterwards. */
function checkUnchanged(annotations: JsonObject, old: JsonObject, context: CheckContext): void {
  const prefix = context.vendor.domain(appArmorPrefix)
  const watched = (name: string): boolean => name === context.vendor.domain(mirror) || name.startsWith(prefix)
  for (const name of new Set([...Object.keys(annotations), ...Object.keys(old)].filter(watched))) {
    if (annotations[name] === old[name]) continue
    const what = name.startsWith(prefix)
      ? "may not add, remove or update AppArmor annotations"
      : "may not add, remove or update mirror pod annotation"
    context.fail("Forbidden", undefined, what, `metadata.annotations[${name}]`)
  }
}

/** Annotation and field may both name a profile while clients migrate to the field, but it must be the same one. */
function checkAgreement(annotations: JsonObject, template: JsonValue, context: CheckContext): void {
  const spec = objectAt(template, "spec")
  const agree = (annotation: string, holder: JsonObject | undefined, name: string, at: string): void => {
    const [written, profile] = [annotations[context.vendor.domain(annotation)], objectAt(holder, "securityContext", name)]
    if (typeof written !== "string" || written === "" || profile === undefined || sameProfile(written, profile)) return
    context.fail("Forbidden", undefined, `${name} in annotation and field must match`, `${at}securityContext.${name}`)
  }
  agree(seccompOfPod, spec, "seccompProfile", "spec.")
  for (const { container, path } of containersOf(spec)) {
    const name = textOf(container, "name")
    agree(`${seccompOfContainers}${name}`, container, "seccompProfile", `spec.${path}.`)
    agree(`${appArmorPrefix}${name}`, container, "appArmorProfile", `spec.${path}.`)
  }
}

function sameProfile(written: string, profile: JsonObject): boolean {
  const type = textOf(profile, "type")
  if (type === "Localhost") return written === `localhost/${textOf(profile, "localhostProfile")}`
  return type === "Unconfined" ? written === "unconfined" : written === "runtime/default" || written === "docker/default"
}
