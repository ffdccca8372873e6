/** Annotations that have a meaning for pods (catalog validation.yaml: Pod). */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import type { AppArmorProfile, SeccompProfile } from "../../../generated/core/v1/shared/security-context/types.ts"
import { appArmorPrefix } from "../pods/app-armor.ts"
import { containersOf } from "../pods/fields.ts"

const int32 = /^(0|-?[1-9][0-9]*)$/
const seccompOfPod = "seccomp.security.alpha.orch.io/pod"
const seccompOfContainers = "container.seccomp.security.alpha.orch.io/"
const mirror = "orch.io/config.mirror"

type Annotations = Readonly<Record<string, string>>

/** Called for each pod. */
export const podAnnotations = defineCheck<Pod>((pod, context) => {
  const { annotations = {} } = pod.metadata
  checkAnnotations(pod, "metadata.annotations", context)
  const { old, subresource = "status" } = context
  if (old !== undefined && subresource === "status") checkUnchanged(annotations, old.metadata.annotations ?? {}, context)
})

/** Called for each pod and for each template that is validated whole; `at` is the path of the annotations in causes. */
export function checkAnnotations(template: PodTemplateSpec, at: string, context: CheckContext<unknown>): void {
  checkOwnAnnotations(template, at, context)
  if (context.operation === "create") checkAgreement(template.metadata.annotations ?? {}, template, context)
}

/** The annotations alone. Also called for templates that are not validated whole. */
export function checkOwnAnnotations(template: PodTemplateSpec, at: string, context: CheckContext<unknown>): void {
  const { annotations } = template.metadata
  if (annotations === undefined) return
  checkMirror(template, at, context)
  checkDeletionCost(annotations, at, context)
  checkSeccomp(annotations, at, context)
  checkAppArmor(template, at, context)
}

function checkMirror({ metadata: { annotations = {} }, spec }: PodTemplateSpec, at: string, context: CheckContext<unknown>): void {
  const name = context.vendor.domain(mirror)
  const value = annotations[name]
  if (value !== undefined && (spec.nodeName ?? "") === "")
    context.fail("Invalid", value, "must set spec.nodeName if mirror pod annotation is set", `${at}[${name}]`)
}

function checkDeletionCost(annotations: Annotations, at: string, context: CheckContext<unknown>): void {
  const name = context.vendor.domain("controller.orch.io/pod-deletion-cost")
  const cost = annotations[name]
  if (cost === undefined) return
  if (!int32.test(cost) || BigInt(cost) !== BigInt.asIntN(32, BigInt(cost))) {
    context.fail("Invalid", cost, "must be a 32bit integer", `${at}[${name}]`)
  }
}

function checkSeccomp(annotations: Annotations, at: string, context: CheckContext<unknown>): void {
  const [ofPod, ofContainers] = [context.vendor.domain(seccompOfPod), context.vendor.domain(seccompOfContainers)]
  for (const [name, profile] of Object.entries(annotations)) {
    if (name !== ofPod && !name.startsWith(ofContainers)) continue
    if (["runtime/default", "docker/default", "unconfined"].includes(profile)) continue
    const file = /^localhost\/(.+)$/.exec(profile)?.[1]
    if (file !== undefined && !file.startsWith("/") && !file.split("/").includes("..")) continue
    context.fail("Invalid", profile, "must be a valid seccomp profile", `${at}.${name}`)
  }
}

function checkAppArmor(pod: PodTemplateSpec, at: string, context: CheckContext<unknown>): void {
  const { annotations = {} } = pod.metadata
  const prefix = context.vendor.domain(appArmorPrefix)
  const containers = new Set(containersOf(pod.spec).map(({ container }) => container.name))
  for (const [name, profile] of Object.entries(annotations)) {
    if (!name.startsWith(prefix)) continue
    const container = name.slice(prefix.length)
    if (!containers.has(container)) context.fail("Invalid", container, "container not found", `${at}[${name}]`)
    if (!/^($|runtime\/default$|unconfined$|localhost\/.)/.test(profile)) {
      context.fail("Invalid", profile, `invalid AppArmor profile name: "${profile}"`, `${at}[${name}]`)
    }
  }
}

/** Annotations that the node acts on once must not change afterwards. */
function checkUnchanged(annotations: Annotations, old: Annotations, context: CheckContext<unknown>): void {
  const prefix = context.vendor.domain(appArmorPrefix)
  const watched = (name: string): boolean => name === context.vendor.domain(mirror) || name.startsWith(prefix)
  for (const name of new Set([...Object.keys(annotations), ...Object.keys(old)].filter(watched))) {
    if (annotations[name] === old[name]) continue
    const ofAppArmor = old[name] === undefined ? "may not add AppArmor annotations" : "may not remove or update AppArmor annotations"
    const what = name.startsWith(prefix) ? ofAppArmor : "may not add, remove or update mirror pod annotation"
    context.fail("Forbidden", undefined, what, `metadata.annotations[${name}]`)
  }
}

/** Annotation and field may both name a profile while clients migrate to the field, but it must be the same one. */
function checkAgreement(annotations: Annotations, { spec }: PodTemplateSpec, context: CheckContext<unknown>): void {
  const agree = (annotation: string, profile: SeccompProfile | AppArmorProfile | undefined, at: string): void => {
    const written = annotations[context.vendor.domain(annotation)] ?? ""
    if (written === "" || profile === undefined || sameProfile(written, profile)) return
    const what = at.endsWith("seccompProfile") ? "seccomp" : "apparmor"
    context.fail("Forbidden", undefined, `${what} type in annotation and field must match`, `${at}.type`)
  }
  agree(seccompOfPod, spec.securityContext?.seccompProfile, "spec.securityContext.seccompProfile")
  for (const { container, path } of containersOf(spec)) {
    const { name, securityContext } = container
    agree(`${seccompOfContainers}${name}`, securityContext?.seccompProfile, `spec.${path}.securityContext.seccompProfile`)
    agree(`${appArmorPrefix}${name}`, securityContext?.appArmorProfile, `spec.${path}.securityContext.appArmorProfile`)
  }
}

function sameProfile(written: string, { type, localhostProfile = "" }: SeccompProfile | AppArmorProfile): boolean {
  if (type === "Localhost") return written === `localhost/${localhostProfile}`
  return type === "Unconfined" ? written === "unconfined" : written === "runtime/default" || written === "docker/default"
}
