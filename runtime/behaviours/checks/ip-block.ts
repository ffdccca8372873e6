/** Exceptions of a range of addresses lie inside it (catalog validation.yaml: NetworkPolicy). */
import { type IpRange, parseCidr } from "../../base/ip-address.ts"
import { checkFormat } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { IPBlock } from "../../../generated/networking.orch.io/v1/network-policy/types.ts"

/** Called for each range of a network policy. */
export const ipBlock = defineCheck<IPBlock>((block, context) => {
  const range = parseCidr(block.cidr)
  for (const [index, text] of (block.except ?? []).entries()) {
    const at = `except[${index}]`
    const fault = checkFormat("cidr", text)
    if (fault !== undefined) context.fail("Invalid", text, fault, at)
    const except = parseCidr(text)
    if (range === undefined || except === undefined) continue
    if (!isStrictlyInside(except, range)) context.fail("Invalid", text, "must be a strict subset of `cidr`", at)
  }
})

function isStrictlyInside(inner: IpRange, outer: IpRange): boolean {
  if (inner.address.family !== outer.address.family || inner.prefixLength <= outer.prefixLength) return false
  for (let bit = 0; bit < outer.prefixLength; bit++) if (bitOf(inner, bit) !== bitOf(outer, bit)) return false
  return true
}

function bitOf({ address }: IpRange, bit: number): number {
  return ((address.bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1
}
