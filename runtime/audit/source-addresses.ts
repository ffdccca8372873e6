/** The addresses that a request came from. */
import { parseIp } from "../base/ip-address.ts"
import { memoize } from "../base/memoize.ts"
import type { Operation } from "../http/request/operation.ts"
import { forwardedAddressesMax } from "./limits.ts"

/**
 * The addresses in `X-Forwarded-For` and `X-Real-Ip`, which any client can forge, then the address of the connection.
 * Omits values that are not addresses. Returns their JSON list, which is the same for most requests of a connection,
 * and the first.
 */
export function sourceAddresses({ headers, socket }: Operation["incoming"]): Addresses {
  const forwarded = headers["x-forwarded-for"]
  const real = headers["x-real-ip"]
  const remote = plainAddress(socket.remoteAddress ?? "")
  if (forwarded === undefined && real === undefined) return ofConnection(remote)
  const found = textOf(forwarded).split(",", forwardedAddressesMax).map(addressOf).filter(isAddress)
  const own = addressOf(textOf(real))
  if (own !== "" && !found.includes(own)) found.push(own)
  if (remote !== "" && found.at(-1) !== remote) found.push(remote)
  return { json: JSON.stringify(found), first: found[0] ?? "" }
}

export interface Addresses {
  readonly json: string
  readonly first: string
}

const ofConnection = memoize((remote): Addresses => ({ json: remote === "" ? "[]" : JSON.stringify([remote]), first: remote }))

function textOf(value: string | string[] | undefined): string {
  return (typeof value === "string" ? value : value?.[0]) ?? ""
}

function addressOf(text: string): string {
  const address = text.trim()
  return address.length <= addressCharactersMax && parseIp(address) !== undefined ? address : ""
}

/** The longest text of an IPv6 address. */
const addressCharactersMax = 45

function isAddress(text: string): boolean {
  return text !== ""
}

/** Node writes an IPv4 address of a socket that serves both families as `::ffff:127.0.0.1`. */
function plainAddress(remote: string): string {
  return remote.startsWith("::ffff:") ? remote.slice("::ffff:".length) : remote
}
