/** `format: uri`: what Go's `url.ParseRequestURI` accepts, an absolute URI or an absolute path. */
import { parseIp } from "../../base/ip-address.ts"

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/
const badEscape = /%(?![0-9A-Fa-f]{2})/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a URI must not hold
const control = /[\x00-\x1f\x7f]/
const port = /^:[0-9]*$/
const userCharacters = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/
/** Characters beyond ASCII, and those of ASCII that a host may have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII
const hostCharacters = /^(?:[^\x00-\x7f]|[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%])*$/
/** Escapes of ASCII in a host, except for `%25`. */
const asciiEscape = /%(?!25)[0-7]/

/** Whether a text is a URI. Takes linear time. */
export function isUri(text: string): boolean {
  if (text === "" || text.startsWith(":") || control.test(text)) return false
  if (text === "*") return true
  const prefix = scheme.exec(text)?.[0] ?? ""
  const [beforeQuery = ""] = text.slice(prefix.length).split("?", 1)
  if (!beforeQuery.startsWith("/")) return prefix !== ""
  if (prefix === "" || !beforeQuery.startsWith("//")) return !badEscape.test(beforeQuery)
  const slash = beforeQuery.indexOf("/", 2)
  const end = slash < 0 ? beforeQuery.length : slash
  return isAuthority(beforeQuery.slice(2, end)) && !badEscape.test(beforeQuery.slice(end))
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@")
  if (at < 0) return isHost(authority)
  const user = authority.slice(0, at)
  return userCharacters.test(user) && !badEscape.test(user) && isHost(authority.slice(at + 1))
}

function isHost(host: string): boolean {
  const bracket = host.lastIndexOf("[")
  if (bracket > 0) return false
  if (bracket === 0) return isLiteral(host)
  const colon = host.lastIndexOf(":")
  return (colon < 0 || port.test(host.slice(colon))) && isHostText(host)
}

/** `[::1]:80`, `[fe80::1%25en0]` */
function isLiteral(host: string): boolean {
  const end = host.lastIndexOf("]")
  if (end < 0) return false
  const after = host.slice(end + 1)
  if (after !== "" && !port.test(after)) return false
  const [address = "", ...zone] = host.slice(1, end).split("%25")
  if (!isHostText(address) || (zone.length > 0 && zone.join("%25") === "")) return false
  const zoneText = zone.join("%25")
  return address.includes(":") && parseIp(address) !== undefined && !badEscape.test(zoneText)
}

function isHostText(text: string): boolean {
  return hostCharacters.test(text) && !badEscape.test(text) && !asciiEscape.test(text)
}
