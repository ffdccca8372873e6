/** Refuses fields that the operating system named in `os` does not support (catalog validation.yaml: PodSpec, `os`). */
import type { JsonObject } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { containersOf } from "../pods/fields.ts"

const notOnWindows = {
  spec: ["hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"],
  pod: [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
  ],
  container: [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
  ],
}

/** Called for each pod spec, of pods and of templates. */
export const podOperatingSystem = defineCheck<PodSpec>((spec, context) => {
  const system = spec.os?.name
  if (system === "windows") {
    refuse(spec, notOnWindows.spec, "", system, context)
    refuse(spec.securityContext ?? {}, notOnWindows.pod, "securityContext.", system, context)
  } else if (system === "linux") refuse(spec.securityContext ?? {}, ["windowsOptions"], "securityContext.", system, context)
  else return
  const refused = system === "windows" ? notOnWindows.container : ["windowsOptions"]
  for (const { container, path } of containersOf(spec))
    refuse(container.securityContext ?? {}, refused, `${path}.securityContext.`, system, context)
})

function refuse(holder: JsonObject, names: readonly string[], at: string, system: string, context: CheckContext<unknown>): void {
  for (const name of names) {
    const value = holder[name]
    if (value === undefined || value === null || (value === false && (name === "hostPID" || name === "hostIPC"))) continue
    const what = system === "linux" ? "windows options cannot be set for a linux pod" : "cannot be set for a windows pod"
    context.fail("Forbidden", undefined, what, `${at}${name}`)
  }
}
