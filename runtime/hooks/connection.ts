/** Opens one verified TLS connection to a web hook. */
import { once } from "node:events"
import type { Socket } from "node:net"
import { isIP } from "node:net"
import { checkServerIdentity, type PeerCertificate, type SecureContext } from "node:tls"
import type { Clock } from "../base/clock.ts"
import { proxyDialTimeoutMs } from "../base/limits.ts"
import type { Random } from "../base/random.ts"
import { type AddressPolicy, resolveAllowedAddress } from "../connect/addresses.ts"
import type { Network } from "../connect/dialer.ts"
import type { ObjectReader } from "../connect/objects.ts"
import { serviceEndpoint } from "../connect/proxy-target.ts"
import { connectTls } from "../tls/connect.ts"
import { certifiedName, type HookAddress, sentServerName } from "./place.ts"

export interface ConnectionDeps {
  readonly network: Network
  /** Rules for the addresses of endpoints, which users of a namespace can write. */
  readonly policy: AddressPolicy
  readonly read: ObjectReader
  readonly random: Random
  readonly clock: Clock
}

export interface OpenOptions {
  readonly deps: ConnectionDeps
  readonly trust: SecureContext
  /** Called with each address before it is dialled. */
  readonly dialling: (dialled: string) => void
  /** Aborts an attempt. */
  readonly signal: AbortSignal
}

/**
 * Resolves with an encrypted connection whose certificate is verified. Dials a service at one of its endpoints, and a
 * URL at the first of its addresses that accepts. Rejects with an error of the socket or of the verification, with
 * AddressError, or with ApiError for a service without endpoints.
 */
export async function openConnection(address: HookAddress, options: OpenOptions): Promise<Socket> {
  const { deps, dialling } = options
  let fault: unknown
  // Bounded: waits for each address of the name, and a name has few.
  for (const { host, port } of await targetsOf(address, deps)) {
    dialling(isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`)
    try {
      const socket = deps.network.connect({ address: host, port })
      await settled(socket, "connect", options)
      return await encrypted(socket, address, options)
    } catch (error) {
      fault = error
      if (!isUnreachable(error)) break
    }
  }
  throw fault
}

async function targetsOf(address: HookAddress, deps: ConnectionDeps): Promise<readonly { host: string; port: number }[]> {
  const { host, port, service } = address
  if (service === undefined) {
    const addresses = isIP(host) === 0 ? await deps.network.lookup(host) : [host]
    return addresses.map((each) => ({ host: each, port }))
  }
  const endpoint = await serviceEndpoint({ ...service, port }, deps)
  return [{ host: await resolveAllowedAddress(endpoint.host, deps.policy, deps.network.lookup), port: endpoint.port }]
}

/** Whether another address of the same name may accept. */
function isUnreachable(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : ""
  return code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "ENETUNREACH" || code === "ETIMEDOUT"
}

async function encrypted(socket: Socket, address: HookAddress, options: OpenOptions): Promise<Socket> {
  const servername = sentServerName(address)
  const stream = connectTls(socket, {
    // Name to compare with the certificate; the TCP connection exists already.
    host: certifiedName(address),
    ...(servername !== undefined && { servername }),
    secureContext: options.trust,
    checkServerIdentity: nameFault,
    ...(address.access?.isUnverified === true && { rejectUnauthorized: false }),
    ALPNProtocols: ["http/1.1"],
  })
  socket.on("error", (error) => stream.destroy(error))
  await settled(stream, "secureConnect", options)
  return stream
}

/** Waits for `event`; destroys the socket on an error, after `proxyDialTimeoutMs`, and on the signal. */
async function settled(socket: Socket, event: "connect" | "secureConnect", { deps, signal }: OpenOptions): Promise<void> {
  // A destroyed socket may report further errors.
  socket.on("error", () => {})
  const end = (): void => void socket.destroy()
  const cancel = deps.clock.after(proxyDialTimeoutMs, () => socket.destroy(new Error("i/o timeout")))
  signal.addEventListener("abort", end, { once: true })
  try {
    signal.throwIfAborted()
    await Promise.race([once(socket, event), once(socket, "close").then(() => Promise.reject(new Error("EOF")))])
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    cancel()
    signal.removeEventListener("abort", end)
  }
}

/** As in Go: ignores the common name, and lists the certificate's names in the message. */
function nameFault(host: string, certificate: PeerCertificate): Error | undefined {
  const names = certificate.subjectaltname ?? ""
  const fault = checkServerIdentity(host, certificate)
  if (names !== "" && fault === undefined) return undefined
  const listed = names.replaceAll(/(?:DNS|IP Address):/g, "")
  const text =
    names === "" ? "certificate relies on legacy Common Name field, use SANs instead" : `certificate is valid for ${listed}, not ${host}`
  return Object.assign(new Error(text), { code: "ERR_TLS_CERT_ALTNAME_INVALID" })
}
