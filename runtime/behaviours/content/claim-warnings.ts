/** Warnings about amounts of no whole bytes (catalog validation.yaml: PersistentVolumeClaim, warnings). */
import { quantityMilliValue } from "../../base/quantity.ts"
import { quantity } from "../../schema/expression.ts"
import { Amount } from "../../schema/measures.ts"
import type { PersistentVolumeClaimSpec } from "../../../generated/core/v1/shared/persistent-volume-claim-spec/types.ts"

/** Of the storage that a claim asks for; `path` is that of its spec. */
export function claimWarnings({ resources }: Pick<PersistentVolumeClaimSpec, "resources">, path: string): string[] {
  return (["requests", "limits"] as const).flatMap((list) =>
    fractionWarnings(resources?.[list]?.["storage"], `${path}.resources.${list}[storage]`),
  )
}

/** Of one amount; none of one that is absent. */
export function fractionWarnings(value: string | undefined, path: string): string[] {
  const amount = quantity(value)
  if (!(amount instanceof Amount) || quantityMilliValue(amount.quantity) % 1000n === 0n) return []
  return [`${path}: fractional byte value "${String(value)}" is invalid, must be an integer`]
}
