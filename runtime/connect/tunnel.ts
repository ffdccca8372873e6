/**
 * A request that changes the protocol: after 101 from the other end both connections are one, byte by byte. Anything else the other end says
 * is an answer like others, and its connection is closed: nobody may go on speaking there with the rights of this server (CVE-2018-1002105).
 */
import type { IncomingMessage } from "node:http"
import type { TakenConnection } from "../http/upgrade.ts"
import type { Reply } from "./dialer.ts"

/** Joins the two. `server`: the other end's 101. Resolves when either side is closed or `signal` is aborted; both are closed then. */
export function join(client: TakenConnection, server: Extract<Reply, { upgraded: true }>, signal: AbortSignal): Promise<void> {
  const { socket: near, head: nearHead } = client
  const { socket: far, head: farHead, message } = server
  return new Promise((resolve) => {
    const end = (): void => {
      near.destroy()
      far.destroy()
      resolve()
    }
    signal.addEventListener("abort", end, { once: true })
    for (const socket of [near, far]) {
      socket.on("error", end)
      socket.on("close", end)
    }
    near.write(headText(message))
    if (farHead.length > 0) near.write(farHead)
    if (nearHead.length > 0) far.write(nearHead)
    near.pipe(far)
    far.pipe(near)
    if (signal.aborted) end()
  })
}

function headText(reply: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${reply.statusMessage ?? "Switching Protocols"}`]
  for (let index = 0; index + 1 < reply.rawHeaders.length; index += 2)
    lines.push(`${reply.rawHeaders[index]}: ${reply.rawHeaders[index + 1]}`)
  return `${lines.join("\r\n")}\r\n\r\n`
}
