/**
 * URLs as Go's net/url reads them, with its errors: it accepts other URLs than browsers, and rules are written for it.
 * Texts are handled as UTF-8 bytes, one character each, because escapes stand for bytes.
 */
import { quoted } from "../../runtime/base/quote.ts"
import { AddressFault, parseAddress } from "./address.ts"
import { chargeText, chargeWork } from "../work.ts"

/** The reason why a text is not a URL. */
export class UrlFault extends Error {
  override readonly name = "UrlFault"
}

/** The parts of a URL, decoded where Go decodes them. All are bytes. */
export interface UrlParts {
  readonly scheme: string
  /** The part after the scheme of a URL without a slash: `mailto:x`. */
  readonly opaque: string
  readonly user: string | undefined
  readonly host: string
  readonly path: string
  /** The path as it was written, if that is not its usual form. */
  readonly rawPath: string
  readonly query: string
  readonly fragment: string
  readonly rawFragment: string
  /** A question mark with nothing behind it. */
  readonly forceQuery: boolean
  /** `scheme:/path`. */
  readonly omitHost: boolean
}

const bytesOf = (text: string): string => {
  chargeText(text)
  return Buffer.from(text, "utf8").toString("latin1")
}
const textOf = (bytes: string): string => {
  chargeText(bytes)
  return Buffer.from(bytes, "latin1").toString("utf8")
}

/** The text of a part, for expressions. */
export const partText = textOf

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\x00-\x1f\x7f]/

/** Parses a URL with a scheme, or an absolute path. Throws UrlFault. */
export function parseUrl(text: string): UrlParts {
  const bytes = bytesOf(text)
  parseParts(bytes, text, true)
  const hash = bytes.indexOf("#")
  if (hash < 0) return parseParts(bytes, text, false)
  const parts = parseParts(bytes.slice(0, hash), textOf(bytes.slice(0, hash)), false)
  const rawFragment = bytes.slice(hash + 1)
  const fragment = unescape(rawFragment, "fragment", text)
  return { ...parts, fragment, rawFragment: rawFragment === escape(fragment, "fragment") ? "" : rawFragment }
}

/** Whether `parseUrl` accepts a text. */
export function isUrl(text: string): boolean {
  try {
    parseParts(bytesOf(text), text, true)
    return true
  } catch (fault) {
    if (fault instanceof UrlFault) return false
    throw fault
  }
}

function fail(text: string, reason: string): never {
  throw new UrlFault(`parse ${quoted(text)}: ${reason}`)
}

const nothing: UrlParts = {
  scheme: "",
  opaque: "",
  user: undefined,
  host: "",
  path: "",
  rawPath: "",
  query: "",
  fragment: "",
  rawFragment: "",
  forceQuery: false,
  omitHost: false,
}

/** `strict`: relative paths are refused, and a fragment belongs to the part before it. */
function parseParts(bytes: string, text: string, strict: boolean): UrlParts {
  if (control.test(bytes)) fail(text, "net/url: invalid control character in URL")
  if (bytes === "" && strict) fail(text, "empty url")
  if (bytes === "*") return { ...nothing, path: "*" }
  const { scheme, rest: unread } = schemeOf(bytes, text)
  const question = unread.indexOf("?")
  const forceQuery = question >= 0 && question === unread.length - 1
  const query = question < 0 ? "" : unread.slice(question + 1)
  const rest = question < 0 ? unread : unread.slice(0, question)
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...nothing, scheme, opaque: rest, query, forceQuery }
    if (strict) fail(text, "invalid URI for request")
    if ((rest.split("/")[0] ?? "").includes(":")) fail(text, "first path segment in URL cannot contain colon")
  }
  const withAuthority = rest.startsWith("//") && (scheme !== "" || (!strict && !rest.startsWith("///")))
  if (!withAuthority) {
    return { ...nothing, scheme, query, forceQuery, ...pathOf(rest, text), omitHost: scheme !== "" && rest !== "" }
  }
  const slash = rest.indexOf("/", 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  return {
    ...nothing,
    scheme,
    query,
    forceQuery,
    ...authorityOf(authority, text),
    ...pathOf(slash < 0 ? "" : rest.slice(slash), text),
  }
}

function schemeOf(bytes: string, text: string): { readonly scheme: string; readonly rest: string } {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(bytes)
  if (match !== null) return { scheme: (match[1] ?? "").toLowerCase(), rest: bytes.slice(match[0].length) }
  if (bytes.startsWith(":")) fail(text, "missing protocol scheme")
  return { scheme: "", rest: bytes }
}

function pathOf(written: string, text: string): Pick<UrlParts, "path" | "rawPath"> {
  const path = unescape(written, "path", text)
  return { path, rawPath: written === escape(path, "path") ? "" : written }
}

const userCharacters = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/

function authorityOf(authority: string, text: string): Pick<UrlParts, "user" | "host"> {
  const at = authority.lastIndexOf("@")
  const host = hostOf(authority.slice(at + 1), text)
  if (at < 0) return { user: undefined, host }
  const user = authority.slice(0, at)
  if (!userCharacters.test(user)) fail(text, "net/url: invalid userinfo")
  const colon = user.indexOf(":")
  const name = unescape(colon < 0 ? user : user.slice(0, colon), "user", text)
  if (colon < 0) return { user: escape(name, "user"), host }
  const password = unescape(user.slice(colon + 1), "user", text)
  return { user: `${escape(name, "user")}:${escape(password, "user")}`, host }
}

function hostOf(host: string, text: string): string {
  const bracket = host.lastIndexOf("[")
  if (bracket > 0) fail(text, "invalid IP-literal")
  if (bracket === 0) return literalOf(host, text)
  const colon = host.lastIndexOf(":")
  if (colon >= 0) checkPort(host.slice(colon), text)
  return unescape(host, "host", text)
}

/** `[::1]:80`. */
function literalOf(host: string, text: string): string {
  const close = host.lastIndexOf("]")
  if (close < 0) fail(text, "missing ']' in host")
  const port = host.slice(close + 1)
  checkPort(port, text)
  const name = host.slice(1, close)
  const zone = name.indexOf("%25")
  const literal =
    zone < 0 ? unescape(name, "host", text) : unescape(name.slice(0, zone), "host", text) + unescape(name.slice(zone), "zone", text)
  const address = parseAddress(textOf(literal))
  if (address instanceof AddressFault) fail(text, `invalid host: ${address.message}`)
  if (address.family === 4) fail(text, "invalid IP-literal")
  return `[${literal}]${unescape(port, "host", text)}`
}

function checkPort(port: string, text: string): void {
  if (!isPort(port)) fail(text, `invalid port ${quoted(textOf(port))} after host`)
}

function isPort(port: string): boolean {
  return port === "" || /^:[0-9]*$/.test(port)
}

type Part = "path" | "host" | "zone" | "user" | "query" | "fragment"

const always = "A-Za-z0-9\\-._~"
/** The bytes that a part may have without an escape. */
const literal: Readonly<Record<Part, RegExp>> = {
  path: new RegExp(`[${always}$&+,/:;=@]`),
  host: new RegExp(`[${always}!"$&'()*+,:;<=>[\\]]`),
  zone: new RegExp(`[${always}!"$&'()*+,:;<=>[\\]]`),
  user: new RegExp(`[${always}$&+,;=]`),
  query: new RegExp(`[${always}]`),
  fragment: new RegExp(`[${always}!$&()*+,/:;=?@]`),
}

function isLiteral(byte: string, part: Part): boolean {
  return literal[part].test(byte)
}

/** Decodes `%41`. Throws UrlFault for escapes and bytes that the part may not have. */
function unescape(bytes: string, part: Part, text: string): string {
  chargeWork(bytes.length)
  checkEscapes(bytes, part, text)
  const spaced = part === "query" ? bytes.replaceAll("+", " ") : bytes
  return spaced.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

function checkEscapes(bytes: string, part: Part, text: string): void {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charAt(at)
    if (byte === "%") {
      const escaped = bytes.slice(at, at + 3)
      if (!/^%[0-9A-Fa-f]{2}$/.test(escaped) || !mayBeEscaped(escaped, part)) {
        fail(text, `invalid URL escape ${quoted(textOf(escaped))}`)
      }
      at += 2
    } else if ((part === "host" || part === "zone") && byte < "\x80" && !isLiteral(byte, part)) {
      fail(text, `invalid character ${quoted(byte)} in host name`)
    }
  }
}

/** In a host, only bytes beyond ASCII and the percent sign of a zone may be escaped. */
function mayBeEscaped(escaped: string, part: Part): boolean {
  if ((part !== "host" && part !== "zone") || escaped === "%25") return true
  const byte = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return part === "host" ? byte >= "\x80" : byte === " " || isLiteral(byte, "host")
}

function escape(bytes: string, part: Part): string {
  chargeWork(bytes.length)
  let result = ""
  for (const byte of bytes) {
    result += isLiteral(byte, part) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
  }
  return result
}

/** The path as it was written, if its escapes are valid; otherwise escaped again. */
export function escapedPath(url: UrlParts): string {
  if (url.rawPath !== "" && isEscaped(url.rawPath, "path")) return url.rawPath
  return url.path === "*" ? "*" : escape(url.path, "path")
}

function isEscaped(bytes: string, part: Part): boolean {
  chargeWork(bytes.length)
  for (const byte of bytes) if (!"!$&'()*+,;=:@[]%".includes(byte) && !isLiteral(byte, part)) return false
  return true
}

export function hostName(url: UrlParts): { readonly name: string; readonly port: string } {
  const colon = url.host.lastIndexOf(":")
  const ported = colon >= 0 && isPort(url.host.slice(colon))
  const name = ported ? url.host.slice(0, colon) : url.host
  const bare = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name
  return { name: bare, port: ported ? url.host.slice(colon + 1) : "" }
}

const queryParametersMax = 10_000

/** The parameters of the query, by name; badly escaped ones are left out. */
export function queryOf(url: UrlParts): Map<string, string[]> {
  chargeText(url.query)
  const found = new Map<string, string[]>()
  const parts = url.query.split("&", queryParametersMax + 1)
  if (parts.length > queryParametersMax) return found
  for (const part of parts) {
    if (part === "" || part.includes(";")) continue
    const equals = part.indexOf("=")
    const [name, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)]
    if (!isWellEscaped(name) || !isWellEscaped(value)) continue
    const key = textOf(unescape(name, "query", ""))
    const values = found.get(key) ?? []
    values.push(textOf(unescape(value, "query", "")))
    found.set(key, values)
  }
  return found
}

function isWellEscaped(bytes: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(bytes)
}

/** The whole URL in its usual form. */
export function urlText(url: UrlParts): string {
  const scheme = url.scheme === "" ? "" : `${url.scheme}:`
  const query = url.forceQuery || url.query !== "" ? `?${url.query}` : ""
  const fragment = url.fragment === "" ? "" : `#${escapedFragment(url)}`
  if (url.opaque !== "") return textOf(`${scheme}${url.opaque}${query}${fragment}`)
  const before = scheme + authorityText(url)
  const path = escapedPath(url)
  const slash = path !== "" && !path.startsWith("/") && url.host !== "" ? "/" : ""
  const dot = before === "" && (path.split("/")[0] ?? "").includes(":") ? "./" : ""
  return textOf(`${before}${slash}${dot}${path}${query}${fragment}`)
}

function authorityText(url: UrlParts): string {
  if (url.host === "" && url.user === undefined && (url.omitHost || url.scheme === "" || url.path === "")) return ""
  return `//${url.user === undefined ? "" : `${url.user}@`}${escape(url.host, "host")}`
}

function escapedFragment(url: UrlParts): string {
  if (url.rawFragment !== "" && isEscaped(url.rawFragment, "fragment")) return url.rawFragment
  return escape(url.fragment, "fragment")
}
