/** The name of an IPAddress is the address, in the one text form that it has (catalog resources.yaml: ipaddresses). */
import { parseIp } from "../../base/ip-address.ts"
import { defineCheck } from "../../schema/define.ts"
import type { IPAddress } from "../../../generated/networking.orch.io/v1alpha1/ip-address/types.ts"

/** Called for each address. */
export const addressName = defineCheck<IPAddress>(({ metadata: { name = "" } }, context) => {
  if (context.operation !== "create") return
  const usual = usualForm(name)
  if (usual === undefined) context.fail("Invalid", name, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", "metadata.name")
  else if (usual !== name) context.fail("Invalid", name, `must be the IP address in its usual form, ${usual}`, "metadata.name")
})

/** RFC 5952 for IPv6: the form that addresses in URLs get. Undefined for a text that is no address. */
function usualForm(text: string): string | undefined {
  const address = parseIp(text)
  if (address === undefined) return undefined
  if (address.family === 4) return address.bytes.join(".")
  return URL.canParse(`http://[${text}]`) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : undefined
}
