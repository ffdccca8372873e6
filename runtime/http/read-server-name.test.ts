import { Duplex } from "node:stream"
import type { Socket } from "node:net"
import { expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { tlsHandshakeTimeoutMs } from "../base/limits.ts"
import { readServerName } from "./read-server-name.ts"

/** An end of a connection, and the names read from it. */
function reading() {
  const clock = createManualClock()
  const end = new Duplex({ read() {}, write: (_chunk, _encoding, written) => written() })
  const names: string[] = []
  // The function only reads and closes its socket.
  readServerName(end as Socket, { clock, timeoutMs: tlsHandshakeTimeoutMs }, (name) => names.push(name))
  return { clock, end, names }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const half = Buffer.from([22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])

it("leaves what it has read to be read again", async () => {
  const { clock, end, names } = reading()
  for (const text of ["GET / ", "HTTP/1.1"]) end.push(text)
  await turn()
  expect(names).toEqual([""])
  expect(String(end.read())).toBe("GET / HTTP/1.1")
  clock.advance(2 * tlsHandshakeTimeoutMs)
  expect(end.destroyed).toBe(false)
  expect([end.listenerCount("readable"), end.listenerCount("close")]).toEqual([0, 0])
})

it("closes a connection whose first message is not there in time, however often something comes", async () => {
  const { clock, end, names } = reading()
  end.push(half)
  for (let passedMs = 0; passedMs < tlsHandshakeTimeoutMs; passedMs += 1000) {
    await turn()
    expect(end.destroyed).toBe(false)
    clock.advance(1000)
    end.push(Buffer.of(0))
  }
  expect(end.destroyed).toBe(true)
  expect(names).toEqual([])
})

it("closes a connection that its client ends before", async () => {
  const { end, names } = reading()
  end.push(half)
  await turn()
  end.push(null)
  await turn()
  await turn()
  expect([end.destroyed, names]).toEqual([true, []])
})
