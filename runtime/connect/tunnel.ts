/**
 * Requests that change the protocol. After 101 from the other end the two connections are joined, byte by byte. Any
 * other response is handled like a normal one and its connection is closed: a client must not go on sending there with
 * the rights of this server (CVE-2018-1002105).
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Clock } from "../base/clock.ts"
import type { TakenConnection } from "../http/upgrade.ts"
import { tcpKeepAliveMs, tunnelIdleTimeoutMs } from "../base/limits.ts"
import type { Reply } from "./dialer.ts"

interface TunnelOptions {
  /** Aborted when the client disconnects or the server stops. */
  readonly signal: AbortSignal
  readonly clock: Clock
}

/**
 * Joins the two connections. `server` is the other end's 101. Resolves when either side has ended and the other has
 * received everything, or when `signal` is aborted; both are closed then. Each side is read at the pace of the other.
 */
export function joinConnections(
  client: TakenConnection,
  server: Extract<Reply, { upgraded: true }>,
  { signal, clock }: TunnelOptions,
): Promise<void> {
  const { socket: near, head: nearHead } = client
  const { socket: far, head: farHead, message } = server
  return new Promise((resolve) => {
    const stopLooking = whenIdle([near, far], clock, end)
    function end(): void {
      stopLooking()
      signal.removeEventListener("abort", end)
      near.destroy()
      far.destroy()
      resolve()
    }
    signal.addEventListener("abort", end, { once: true })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setKeepAlive(true, tcpKeepAliveMs)
      socket.on("error", end)
      socket.on("close", end)
      // Neither protocol continues in one direction: a half-open side could wait for ever.
      socket.on("end", () => other.destroySoon())
    }
    near.write(headText(message), "latin1")
    if (farHead.length > 0) near.write(farHead)
    if (nearHead.length > 0) far.write(nearHead)
    near.pipe(far)
    far.pipe(near)
    if (signal.aborted || near.destroyed || far.destroyed) end()
  })
}

/**
 * Calls `end` once no byte has moved for `tunnelIdleTimeoutMs`, because neither side sends or one does not read.
 * Returns a function that cancels the check.
 */
function whenIdle(sockets: readonly Socket[], clock: Clock, end: () => void): () => void {
  let moved = -1
  let cancel = clock.after(tunnelIdleTimeoutMs, look)
  function look(): void {
    let bytes = 0
    for (const { bytesRead, bytesWritten } of sockets) bytes += bytesRead + bytesWritten
    if (bytes === moved) return end()
    moved = bytes
    cancel = clock.after(tunnelIdleTimeoutMs, look)
  }
  return () => cancel()
}

/** The head of the other end's response. A reason phrase that HTTP does not allow is replaced. */
function headText({ statusMessage = "", rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${/^[\t\x20-\x7e\x80-\xff]+$/.test(statusMessage) ? statusMessage : "Switching Protocols"}`]
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  return `${lines.join("\r\n")}\r\n\r\n`
}
