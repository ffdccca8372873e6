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
  const { runAsUserName: name = "", gmsaCredentialSpec = "" } = options
  if (Buffer.byteLength(gmsaCredentialSpec) > credentialSpecBytesMax)
    context.fail("Invalid", gmsaCredentialSpec, "must have at most 65536 bytes", "gmsaCredentialSpec")
  if (name === "") return
  const fault = faultOf(name)
  if (fault !== undefined) context.fail("Invalid", name, fault, "runAsUserName")
})

function faultOf(name: string): string | undefined {
  if (controlCharacters.test(name)) return "cannot contain control characters"
  const [first = "", second, ...rest] = name.split("\\")
  if (rest.length > 0) return "cannot contain more than one backslash"
  return (second === undefined ? undefined : domainFault(first)) ?? userFault(second ?? first)
}

function domainFault(domain: string): string | undefined {
  if (domain.length > domainLengthMax) return `domain length must be under ${domainLengthMax} characters`
  return netBiosName.test(domain) || dnsDomain.test(domain)
    ? undefined
    : "domain must be a NetBIOS name of at most 15 characters or a DNS domain"
}

function userFault(user: string): string | undefined {
  if (user === "") return "user cannot be empty"
  if (user.length > userLengthMax) return `user length must not be longer than ${userLengthMax} characters`
  if (/^[. ]+$/.test(user)) return "user cannot contain only periods or spaces"
  return refusedInUsers.test(user) ? 'user cannot contain the characters " / \\ [ ] : ; | = , + * ? < > @' : undefined
}
