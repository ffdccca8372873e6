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
  /** Absent: the hook learns nothing of its caller but the address. */
  readonly client?: HookClient
}

/** How a caller shows who it is, and what it demands of the hook's certificate. */
export interface HookClient {
  /** The value of `Authorization`, read before each call: a token may be in a file that is replaced. */
  readonly authorization?: () => string
  /** PEM; both or none. */
  readonly certificate?: string
  readonly key?: string
  /** The name in the hook's certificate, if it is not that of the URL. */
  readonly serverName?: string
  /** The hook's certificate is not verified. */
  readonly insecure?: boolean
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
  readonly client?: HookClient
}

const standardPort = 443

/** Called before each call. Throws HookError with the reference's text for a place that names no address. */
export function hookAddress({ url, service, caBundle = "", client }: HookPlace): HookAddress {
  const trust = {
    ...(caBundle !== "" && { certificates: Buffer.from(caBundle, "base64").toString("latin1") }),
    ...(client !== undefined && { client }),
  }
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
export function sentServerName(address: HookAddress): string | undefined {
  const name = demandedName(address)
  return isIP(name) === 0 ? name : undefined
}

/** The name that the certificate must have. */
export function demandedName({ host, client }: HookAddress): string {
  return client?.serverName ?? host
}
