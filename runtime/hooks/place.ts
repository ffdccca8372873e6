/** Where a web hook is, from the client configuration of a definition, a web hook configuration or an option. */
import { isIP } from "node:net"
import { cut } from "../base/quote.ts"
import { HookError } from "./hook-error.ts"

/** Fields as in `WebhookClientConfig`; exactly one of `url` and `service` is set. */
export interface HookPlace {
  /** `https://host[:port]/path`, without user, query and fragment. */
  readonly url?: string
  readonly service?: {
    readonly namespace: string
    readonly name: string
    /** Default `/`. */
    readonly path?: string
    /** Of the service; default 443. */
    readonly port?: number
  }
  /** Base64 of PEM certificates. Absent or empty: the authorities that the system trusts. */
  readonly caBundle?: string
  /** Value of the header field `Authorization`. Absent: none is sent. */
  readonly authorization?: string
}

/** A place as it is dialled. */
export interface HookAddress {
  /** A name or an address without brackets; for a service the name in its certificate. */
  readonly host: string
  readonly port: number
  /** Begins with a slash; no query. */
  readonly path: string
  /** Value of the header field `Host`. */
  readonly authority: string
  /** Dialled by its endpoints. Absent: `host` is dialled. */
  readonly service?: { readonly namespace: string; readonly name: string }
  /** PEM. */
  readonly certificates?: string
}

const standardPort = 443

/** Called before each call. Throws HookError with the reference's text for a place that names no address. */
export function hookAddress({ url, service, caBundle = "" }: HookPlace): HookAddress {
  const trust = caBundle === "" ? {} : { certificates: Buffer.from(caBundle, "base64").toString("latin1") }
  if (service !== undefined) {
    const { namespace, name, path = "", port = standardPort } = service
    const host = `${name}.${namespace}.svc`
    return { host, port, path: rooted(path), authority: `${host}:${port}`, service: { namespace, name }, ...trust }
  }
  if (url === undefined || url === "") throw new HookError("webhook configuration must have either service or URL")
  const parsed = parsedUrl(url)
  const host = parsed.hostname.startsWith("[") ? parsed.hostname.slice(1, -1) : parsed.hostname
  return { host, port: parsed.port === "" ? standardPort : Number(parsed.port), path: parsed.pathname, authority: parsed.host, ...trust }
}

function parsedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.hostname === "") throw new HookError(`Unparsable URL: ${cut(text)}`)
  if (url.protocol !== "https:") throw new HookError(`${cut(text)}: 'https' is the only allowed URL scheme`)
  return url
}

function rooted(path: string): string {
  return path.startsWith("/") ? path : `/${path}`
}

/** The name that TLS sends and verifies; an address is verified and not sent (RFC 6066, section 3). */
export function sentServerName({ host }: HookAddress): string | undefined {
  return isIP(host) === 0 ? host : undefined
}
