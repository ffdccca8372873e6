/**
 * Windows user names, `USER` or `DOMAIN\USER`, and the size of credential specs (catalog validation.yaml:
 * SecurityContext, `windowsOptions`).
 */
import { defineCheck } from "../../schema/define.ts"
import type { WindowsSecurityContextOptions } from "../../../generated/core/v1/shared/security-context/types.ts"

const credentialSpecBytesMax = 65_536
const domainLengthMax = 256
const userLengthMax = 104
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const dnsDomain = /^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controlCharacters = /[\u0000-\u001f\u007f]/
const refusedInUsers = /["/\\[\]:;|=,+*?<>@]/

/** Called for each set of Windows options. */
export const windowsUserName = defineCheck<WindowsSecurityContextOptions>((options, context) => {
  const { runAsUserName: name, gmsaCredentialSpec: spec } = options
  if (spec === "") context.fail("Invalid", spec, "gmsaCredentialSpec cannot be an empty string", "gmsaCredentialSpec")
  if (spec !== undefined && Buffer.byteLength(spec) > credentialSpecBytesMax)
    context.fail("Invalid", spec, "gmsaCredentialSpec size must be under 64 KiB", "gmsaCredentialSpec")
  if (name === undefined) return
  for (const fault of faultsOf(name)) context.fail("Invalid", name, `runAsUserName${fault}`, "runAsUserName")
})

function faultsOf(name: string): string[] {
  if (name === "") return [" cannot be an empty string"]
  if (controlCharacters.test(name)) return [" cannot contain control characters"]
  const [first = "", second, ...rest] = name.split("\\")
  if (rest.length > 0) return [" cannot contain more than one backslash"]
  return [...(second === undefined ? [] : domainFaults(first)), ...userFaults(second ?? first)]
}

function domainFaults(domain: string): string[] {
  const isName = netBiosName.test(domain) || dnsDomain.test(domain)
  return [
    ...(Buffer.byteLength(domain) >= domainLengthMax ? [`'s Domain length must be under ${domainLengthMax} characters`] : []),
    ...(isName ? [] : ["'s Domain doesn't match the NetBios nor the DNS format"]),
  ]
}

function userFaults(user: string): string[] {
  const ofLength =
    user === ""
      ? ["'s User cannot be empty"]
      : Buffer.byteLength(user) > userLengthMax
        ? [`'s User length must not be longer than ${userLengthMax} characters`]
        : []
  return [
    ...ofLength,
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(refusedInUsers.test(user) ? [`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`] : []),
  ]
}
