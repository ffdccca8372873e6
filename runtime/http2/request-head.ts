/** Builds the head of a request from the fields of its header block. RFC 9113 sections 8.1 to 8.3. */
import type { IncomingHttpHeaders } from "node:http2"
import { type HeaderField, sizeOf } from "./header-table.ts"
import type { ConnectionLimits } from "./surroundings.ts"

const requestPseudoFields = new Set([":method", ":scheme", ":authority", ":path"])
/** Fields about an HTTP/1.1 connection; RFC 9113 section 8.2.2. */
const connectionFields = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])
/** The first of these fields counts, as in node's HTTP/1.1; the values of other fields are joined. */
const singleFields = new Set([
  ...["authorization", "content-length", "content-type", "from", "host", "if-modified-since", "if-unmodified-since"],
  ...["max-forwards", "proxy-authorization", "referer", "user-agent"],
])

/** RFC 9110 section 5.6.2. A lookup answers for most requests. */
function isToken(method: string): boolean {
  return commonMethods.has(method) || /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method)
}

/**
 * RFC 9113 section 8.3.1 asks for the syntax of RFC 3986, which excludes blanks and control characters. The rest of it
 * is not checked.
 */
const soundPath = /^\/[\x21-\x7e\x80-\xff]*$/

const commonMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"])

/**
 * Makes an object without own or inherited properties, since clients choose the names. Unlike results of
 * `Object.create(null)`, which V8 keeps as hash tables, objects with the same fields in the same order share a hidden
 * class.
 */
function HeaderFields(): void {
  // Empty: `new` already makes the object.
}
HeaderFields.prototype = Object.freeze(Object.create(null))
const newHeaderFields = HeaderFields as unknown as new () => IncomingHttpHeaders // No class may have such a prototype.

/** Call `add` with each field, then `finish`. */
export class RequestHead {
  readonly headers: IncomingHttpHeaders = new newHeaderFields()
  /** The values of fields that were sent more than once and are joined in `headers`. */
  repeated: Map<string, string[]> | undefined
  /** It is not a valid HTTP/2 request. */
  isMalformed = false
  /** It has more fields or bytes than allowed. The excess fields are not kept. */
  isTooLarge = false
  /** The bytes of its fields, as in RFC 9113 section 6.5.2; at most the limit. */
  bytes = 0
  private fields = 0
  private hasRegularField = false

  constructor(private readonly limits: Pick<ConnectionLimits, "headerBytesMax" | "headerFieldsMax">) {}

  add(field: HeaderField): void {
    this.fields++
    const bytes = this.bytes + sizeOf(field)
    this.isTooLarge ||= bytes > this.limits.headerBytesMax || this.fields >= this.limits.headerFieldsMax
    if (this.isTooLarge) return
    this.bytes = bytes
    const { name, value } = field
    if (!field.isSound) this.isMalformed = true
    else if (name.charCodeAt(0) === 0x3a) this.addPseudo(name, value)
    else this.addRegular(name, value)
  }

  /** Called after the last field. */
  finish(): void {
    const { headers } = this
    const { ":method": method = "", ":path": path = "", ":scheme": scheme = "", ":authority": authority = "" } = headers
    if (method === "CONNECT") this.isMalformed ||= path !== "" || scheme !== "" || authority === ""
    else this.isMalformed ||= !isToken(method) || scheme === "" || !(path === "*" || soundPath.test(path))
    if (Number.isNaN(announcedLength(headers))) this.isMalformed = true
    // A missing field may be among the excess ones.
    if (this.isTooLarge) this.isMalformed = false
  }

  private addPseudo(name: string, value: string): void {
    if (this.hasRegularField || !requestPseudoFields.has(name) || this.headers[name] !== undefined) this.isMalformed = true
    else this.headers[name] = value
  }

  private addRegular(name: string, value: string): void {
    const { headers } = this
    this.hasRegularField = true
    if (connectionFields.has(name) || (name === "te" && value !== "trailers")) this.isMalformed = true
    const known = headers[name]
    if (known === undefined) headers[name] = name === "set-cookie" ? [value] : value
    else if (typeof known !== "string") known.push(value)
    else if (!singleFields.has(name)) this.addRepeated(name, known, value)
    else if (name === "content-length" && known !== value) this.isMalformed = true
  }

  private addRepeated(name: string, known: string, value: string): void {
    this.headers[name] = name === "cookie" ? `${known}; ${value}` : `${known}, ${value}`
    this.repeated ??= new Map()
    const values = this.repeated.get(name)
    if (values === undefined) this.repeated.set(name, [known, value])
    else values.push(value)
  }
}

/** The `content-length` of a request; undefined if there is none, NaN if it is not a number. */
export function announcedLength(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["content-length"]
  if (text === undefined) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}
