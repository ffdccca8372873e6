/**
 * The shares of a priority level in v1beta3 (catalog defaults.yaml, flowcontrol.yaml). There 0 means no value, so an
 * annotation marks a 0 that is meant. The stored form has the 0 alone.
 */
import { defineConversion } from "../../schema/define.ts"
import type { PriorityLevelConfiguration } from "../../../generated/flowcontrol.apiserver.orch.io/v1/priority-level-configuration/types.ts"
import type { PriorityLevelConfiguration as PriorityLevelConfigurationV1beta3 } from "../../../generated/flowcontrol.apiserver.orch.io/v1beta3/priority-level-configuration/types.ts"

/** The annotation, in the vendor's domain, which the object's API group shows. */
function annotationOf({ apiVersion = "" }: { readonly apiVersion?: string }): string {
  const [group = ""] = apiVersion.split("/")
  return `${group.replace(".apiserver.", ".")}/v1beta3-preserve-zero-concurrency-shares`
}

/** Called for each read and write of a priority level in v1beta3. */
export const priorityLevelShares = defineConversion<PriorityLevelConfigurationV1beta3, PriorityLevelConfiguration>({
  toStored(converted, here): PriorityLevelConfiguration {
    const name = annotationOf(here)
    const { annotations, ...metadata } = converted.metadata
    if (annotations?.[name] === undefined) return converted
    const { [name]: _mark, ...others } = annotations
    const kept = Object.keys(others).length > 0
    return { ...converted, metadata: { ...metadata, ...(kept && { annotations: others }) } }
  },
  fromStored(converted, stored): PriorityLevelConfigurationV1beta3 {
    if (stored.spec.limited === undefined || (stored.spec.limited.nominalConcurrencyShares ?? 0) !== 0) return converted
    const annotations = { ...converted.metadata.annotations, [annotationOf(stored)]: "" }
    return { ...converted, metadata: { ...converted.metadata, annotations } }
  },
})
