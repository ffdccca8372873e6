/** The head of a request, from the fields of its header block. RFC 9113 sections 8.1 to 8.3. */
import type { IncomingHttpHeaders } from "node:http2"
import { type HeaderField, sizeOf } from "./header-table.ts"
import type { ConnectionLimits } from "./surroundings.ts"

const requestPseudoFields = new Set([":method", ":scheme", ":authority", ":path"])
/** They are about a connection of HTTP/1.1; RFC 9113 section 8.2.2. */
const connectionFields = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])
/** Of these the first counts, as node has it for HTTP/1.1; values of others are joined. */
const singleFields = new Set([
  ...["authorization", "content-length", "content-type", "from", "host", "if-modified-since", "if-unmodified-since"],
  ...["max-forwards", "proxy-authorization", "referer", "user-agent"],
])

/** RFC 9110 section 5.6.2. The methods of most requests are looked up. */
function isToken(method: string): boolean {
  return commonMethods.has(method) || /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method)
}

/** RFC 9113 section 8.3.1: as RFC 3986 has it, which knows neither blanks nor control characters. What else it does not know is passed over. */
const soundPath = /^\/[\x21-\x7e\x80-\xff]*$/

const commonMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"])

/** Filled field by field, then looked at. */
export class RequestHead {
  /** Without a prototype: clients choose the names. */
  readonly headers: IncomingHttpHeaders = Object.create(null)
  /** It is no request of HTTP/2. */
  isMalformed = false
  /** It has more fields, or more bytes, than a request may have. Those beyond are not here. */
  isTooLarge = false
  /** Of its fields, as RFC 9113 section 6.5.2 counts them; at most those that a request may have. */
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

  /** Called behind the last field. */
  finish(): void {
    const { headers } = this
    const { ":method": method = "", ":path": path = "", ":scheme": scheme = "", ":authority": authority = "" } = headers
    if (method === "CONNECT") this.isMalformed ||= path !== "" || scheme !== "" || authority === ""
    else this.isMalformed ||= !isToken(method) || scheme === "" || !(path === "*" || soundPath.test(path))
    if (Number.isNaN(announcedLength(headers))) this.isMalformed = true
    // What is missing may be among what was not kept.
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
    else if (!singleFields.has(name)) headers[name] = name === "cookie" ? `${known}; ${value}` : `${known}, ${value}`
    else if (name === "content-length" && known !== value) this.isMalformed = true
  }
}

/** The bytes that a request says its body has; undefined when it says nothing, NaN when what it says is no number. */
export function announcedLength(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["content-length"]
  if (text === undefined) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}
