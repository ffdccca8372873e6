import type { Socket } from "node:net"
import type { Clock } from "../base/clock.ts"
import { serverNameIn } from "./client-hello.ts"

/**
 * Calls `then` with the host that the client of a new connection names, as soon as it has, and leaves all bytes unread.
 * Closes the connection if that takes longer than `timeoutMs`.
 */
export function readServerName(
  socket: Socket,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  then: (name: string) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  let wanted = 1
  const fail = (): void => void socket.destroy()
  const cancel = clock.after(timeoutMs, fail)
  const stop = (): void => {
    cancel()
    socket.off("readable", look)
    socket.off("end", fail)
    socket.off("close", stop)
  }
  const look = (): void => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    chunks.push(chunk)
    length += chunk.length
    if (length < wanted) return
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    const found = serverNameIn(bytes)
    if (typeof found === "number") {
      wanted = found
      return
    }
    stop()
    socket.unshift(bytes)
    then(found)
  }
  socket.on("readable", look)
  // The client has closed its end: no more bytes follow.
  socket.on("end", fail)
  socket.on("close", stop)
}
