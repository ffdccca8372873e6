/** Warnings about the template of a daemon set: an update has them when it changes the template, and else none. */
import { defineWarning } from "../../schema/define.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import { templateWarnings } from "./pod-template.ts"

const annotation = "deprecated.daemonset.template.generation"

/** Called with the template at `at`. */
export const daemonSetTemplate = defineWarning<PodTemplateSpec>((template, at, object, { old, vendor }) => {
  // Behaviour `templateGeneration` counts the changes of the template.
  const isSame = old !== undefined && old.metadata?.annotations?.[annotation] === object.metadata?.annotations?.[annotation]
  return isSame ? [] : templateWarnings(template, at, vendor)
})
