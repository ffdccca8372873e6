/**
 * Parses URLs like the reference, whose parser differs in both directions from the WHATWG standard, and whose messages
 * are part of failures.
 */
import { quoted } from "../../base/quote.ts"

export interface UrlParts {
  readonly scheme: string
  /** Includes the port. Empty without `//`. */
  readonly host: string
  /** The part before the `@`. Undefined without one. */
  readonly user: string | undefined
  readonly query: string
  readonly fragment: string
}

/** Splits a URL. Returns its parts, or why it is invalid, as in `invalid port ":a" after host`. */
export function parseUrl(url: string): UrlParts | { fault: string } {
  const hash = url.indexOf("#")
  const fragment = hash < 0 ? "" : url.slice(hash + 1)
  const rest = hash < 0 ? url : url.slice(0, hash)
  const parts = parseWithoutFragment(rest)
  if (typeof parts === "string") return { fault: `parse ${quoted(rest)}: ${parts}` }
  const escape = badEscape(fragment)
  if (escape !== undefined) return { fault: `parse ${quoted(url)}: ${escape}` }
  return { ...parts, fragment }
}

/** Parses a URL with scheme and host, or an absolute path, as in a request line; undefined for other texts. */
export function parseRequestUrl(url: string): UrlParts | undefined {
  if (url === "") return undefined
  const parts = parseWithoutFragment(url)
  if (typeof parts === "string") return undefined
  return parts.scheme !== "" || url.startsWith("/") ? { ...parts, fragment: "" } : undefined
}

type Parts = Omit<UrlParts, "fragment">

/** Bytes that no URL contains: control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\x00-\x1f\x7f]/

function parseWithoutFragment(url: string): Parts | string {
  if (control.test(url)) return "net/url: invalid control character in URL"
  if (url === "*") return { scheme: "", host: "", user: undefined, query: "" }
  const scheme = schemeOf(url)
  if (scheme === undefined) return "missing protocol scheme"
  const afterScheme = scheme === "" ? url : url.slice(scheme.length + 1)
  const question = afterScheme.indexOf("?")
  const query = question < 0 ? "" : afterScheme.slice(question + 1)
  const hierarchy = question < 0 ? afterScheme : afterScheme.slice(0, question)
  const bare = { scheme: scheme.toLowerCase(), host: "", user: undefined, query }
  if (!hierarchy.startsWith("/")) {
    if (scheme !== "") return bare
    const segment = hierarchy.split("/", 1)[0] ?? ""
    if (segment.includes(":")) return "first path segment in URL cannot contain colon"
  }
  if (!hierarchy.startsWith("//") || (scheme === "" && hierarchy.startsWith("///"))) return badEscape(hierarchy) ?? bare
  const slash = hierarchy.indexOf("/", 2)
  const authority = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash)
  const path = slash < 0 ? "" : hierarchy.slice(slash)
  const found = parseAuthority(authority)
  if (typeof found === "string") return found
  return badEscape(path) ?? { ...bare, ...found }
}

/** The text before the first colon; empty if there is no scheme; undefined for a colon without one. */
function schemeOf(url: string): string | undefined {
  const found = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(url)
  if (found !== null) return found[0]
  return url.startsWith(":") ? undefined : ""
}

function parseAuthority(authority: string): { host: string; user: string | undefined } | string {
  const at = authority.lastIndexOf("@")
  const host = authority.slice(at + 1)
  const fault = hostFault(host)
  if (fault !== undefined) return fault
  if (at < 0) return { host, user: undefined }
  const user = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return "net/url: invalid userinfo"
  return badEscape(user) ?? { host, user }
}

function hostFault(host: string): string | undefined {
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]")
    if (close < 0) return "missing ']' in host"
    return portFault(host.slice(close + 1)) ?? badEscape(host)
  }
  const colon = host.lastIndexOf(":")
  const port = colon < 0 ? undefined : portFault(host.slice(colon))
  if (port !== undefined) return port
  const wrong = /[ "\\^`{|}]/.exec(host)
  if (wrong !== null) return `invalid character ${quoted(wrong[0])} in host name`
  return badHostEscape(host)
}

function portFault(colonAndPort: string): string | undefined {
  return /^(:[0-9]*)?$/.test(colonAndPort) ? undefined : `invalid port ${quoted(colonAndPort)} after host`
}

/** Hosts may escape only bytes beyond ASCII. */
function badHostEscape(host: string): string | undefined {
  const bad = badEscape(host)
  if (bad !== undefined) return bad
  const ascii = /%[0-7][0-9A-Fa-f]/.exec(host)
  return ascii === null ? undefined : `invalid URL escape ${quoted(ascii[0])}`
}

function badEscape(text: string): string | undefined {
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", at + 1)) {
    const escape = text.slice(at, at + 3)
    if (!/^%[0-9A-Fa-f]{2}$/.test(escape)) return `invalid URL escape ${quoted(escape)}`
  }
  return undefined
}
