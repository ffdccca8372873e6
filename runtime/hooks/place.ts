/** The place of a web hook, from the client configuration of a definition, a web hook configuration or an option. */
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
    /** Port of the service; default 443. */
    readonly port?: number
  }
  /** Base64 of PEM certificates. Absent or empty: the system's authorities. */
  readonly caBundle?: string
  /** Credentials of the server. Absent: none. */
  readonly access?: HookAccess
}

/** Settings of an option's file (`kubeconfig.ts`) besides the address. */
export interface HookAccess {
  /** The server's client certificate and its key, PEM. */
  readonly authorization?: string
  /** The server's certificate as a client and its key, PEM. */
  readonly certificate?: string
  readonly key?: string
  /** The name in the hook's certificate, if it differs from the URL's. */
  readonly serverName?: string
  /** Whether to skip the verification of the certificate. */
  readonly isUnverified?: boolean
}

/** The parts of a place that dialling needs. */
export interface HookAddress {
  /** A name or an address without brackets; for a service the name in its certificate. */
  readonly host: string
  readonly port: number
  /** Begins with a slash; no query. */
  readonly path: string
  /** Value of the header field `Host`. */
  readonly authority: string
  /** Dialled at its endpoints. Absent: dial `host`. */
  readonly service?: { readonly namespace: string; readonly name: string }
  /** PEM. */
  readonly certificates?: string
  readonly access?: HookAccess
}

const standardPort = 443

/** Called before each call. Throws HookError with the reference's text for a place without a valid address. */
export function hookAddress({ url, service, caBundle = "", access }: HookPlace): HookAddress {
  const trust = {
    ...(caBundle !== "" && { certificates: Buffer.from(caBundle, "base64").toString("latin1") }),
    ...(access !== undefined && { access }),
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
  const name = certifiedName(address)
  return isIP(name) === 0 ? name : undefined
}

/** The name or address that the hook's certificate must have. */
export function certifiedName({ access, host }: HookAddress): string {
  return access?.serverName ?? host
}
