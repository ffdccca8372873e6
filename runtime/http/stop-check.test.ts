import { Socket } from "node:net"
import { expect, it } from "vitest"
import { writeProgressBytes } from "../base/limits.ts"
import { StopCheck } from "./stop-check.ts"

const stallMs = 1000

/** A connection with one request in flight, or none. */
function connection(isKnown: boolean, exchange: Partial<Record<"receivedBytes" | "waitingBytes" | "takenBytes", number>> | undefined) {
  const socket = new Socket()
  const state = { isAnswered: true, isReceiving: false, receivedBytes: 0, waitingBytes: 0, takenBytes: 0, ...exchange }
  const id = {}
  let isCut = false
  const open = exchange === undefined ? [] : [{ ...state, id, cut: () => (isCut = true) }]
  return {
    account: { isKnown },
    socket,
    state,
    openExchanges: () => open.map((one) => ({ ...one, ...state })),
    isCut: () => isCut || socket.destroyed,
  }
}

/** Checks every half stall, for at most ten stalls, until the client is cut. Returns the milliseconds until then. */
function cutAfter(client: ReturnType<typeof connection>, move = (): void => {}, isClosing = true): number | undefined {
  const check = new StopCheck(0, stallMs)
  for (let nowMs = 0; nowMs <= 10 * stallMs; nowMs += stallMs / 2) {
    check.look(client, nowMs, isClosing)
    if (client.isCut()) return nowMs
    move()
  }
  return undefined
}

it("cuts a known client that takes nothing of its answer, but none that takes it", () => {
  const idle = connection(true, { waitingBytes: 1e9 })
  expect(cutAfter(idle)).toBe(stallMs)
  const slow = connection(true, { waitingBytes: 1e9 })
  expect(cutAfter(slow, () => (slow.state.takenBytes += writeProgressBytes))).toBeUndefined()
  const crumbs = connection(true, { waitingBytes: 1e9 })
  expect(cutAfter(crumbs, () => crumbs.state.takenBytes++)).toBe(stallMs)
})

it("cuts a known client that sends nothing of its body, but none that sends it, and none whose body is not read", () => {
  const silent = connection(true, {})
  silent.state.isReceiving = true
  expect(cutAfter(silent)).toBe(stallMs)
  const slow = connection(true, {})
  slow.state.isReceiving = true
  expect(cutAfter(slow, () => slow.state.receivedBytes++)).toBeUndefined()
  expect(cutAfter(connection(true, {}))).toBeUndefined()
})

it("leaves a request alone that the server works on", () => {
  const waiting = connection(true, {})
  waiting.state.isAnswered = false
  expect(cutAfter(waiting)).toBeUndefined()
})

it("gives the answer to a stranger one look, and the authentication of one no longer than a stall", () => {
  expect(cutAfter(connection(false, { waitingBytes: 1 }))).toBe(stallMs / 2)
  expect(cutAfter(connection(false, undefined))).toBe(stallMs / 2)
  const asking = connection(false, {})
  asking.state.isAnswered = false
  expect(cutAfter(asking)).toBe(stallMs)
})

it("cuts a connection that its client does not close, once it takes no further request", () => {
  expect(cutAfter(connection(true, undefined))).toBe(stallMs)
  expect(cutAfter(connection(true, undefined), undefined, false)).toBeUndefined()
})
