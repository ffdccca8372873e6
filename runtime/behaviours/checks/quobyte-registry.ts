/** The registries of a Quobyte volume, and its tenant (catalog validation.yaml: Volume). */
import { defineCheck } from "../../schema/define.ts"
import type { QuobyteVolumeSource } from "../../../generated/core/v1/shared/volume-drivers/types.ts"

const tenantBytesMax = 64

/** Called for each Quobyte volume of a pod and of a persistent volume. The first part with a fault hides the others. */
export const quobyteRegistry = defineCheck<QuobyteVolumeSource>(({ registry = "", tenant = "" }, context) => {
  if (registry === "") return
  if (Buffer.byteLength(tenant) > tenantBytesMax)
    return context.fail("Required", undefined, "must be a UUID and may not exceed a length of 64 characters", "tenant")
  for (let from = 0, to = 0; from <= registry.length && !context.failures.full; from = to + 1) {
    to = registry.indexOf(",", from)
    if (to < 0) to = registry.length
    if (!isHostPort(registry, from, to))
      context.fail("Invalid", registry, "must be a host:port pair or multiple pairs separated by commas", "registry")
  }
})

/**
 * Whether a part of the text is a host, in brackets when it has colons, and a port, which may be empty or a name. The
 * parts are not cut out: a pod of full size has half a million of them.
 */
function isHostPort(text: string, from: number, to: number): boolean {
  let at = from
  if (text.charCodeAt(at) === opening) {
    for (at++; at < to && text.charCodeAt(at) !== closing; at++) if (text.charCodeAt(at) === opening) return false
    at++
  } else while (at < to && !isMark(text.charCodeAt(at))) at++
  if (at >= to || text.charCodeAt(at) !== colon) return false
  for (at++; at < to; at++) if (isMark(text.charCodeAt(at))) return false
  return true
}

const [colon, opening, closing] = [":", "[", "]"].map((mark) => mark.charCodeAt(0))

function isMark(code: number): boolean {
  return code === colon || code === opening || code === closing
}
