/** Warnings about amounts that are not whole bytes (catalog validation.yaml: PersistentVolumeClaim, warnings). */
import { quantityMilliValue } from "../../base/quantity.ts"
import { quantity } from "../../schema/expression.ts"
import { Amount } from "../../schema/measures.ts"
import type { PersistentVolumeClaimSpec } from "../../../generated/core/v1/shared/persistent-volume-claim-spec/types.ts"

/** Warnings about the storage that a claim asks for; `path` is the path of its spec. */
export function claimWarnings({ resources }: Pick<PersistentVolumeClaimSpec, "resources">, path: string): string[] {
  return (["requests", "limits"] as const).flatMap((list) =>
    fractionWarnings(resources?.[list]?.["storage"], `${path}.resources.${list}[storage]`),
  )
}

/** Warnings about one amount; none for an absent one. */
export function fractionWarnings(value: string | undefined, path: string): string[] {
  const amount = quantity(value)
  if (!(amount instanceof Amount) || quantityMilliValue(amount.quantity) % 1000n === 0n) return []
  return [`${path}: fractional byte value "${String(value)}" is invalid, must be an integer`]
}
