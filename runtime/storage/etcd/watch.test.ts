import { setImmediate as turnOver } from "node:timers/promises"
import { expect, test } from "vitest"
import { status } from "@grpc/grpc-js"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { StoreError, type StoreEvent, type WatchOptions } from "../store.ts"
import type { Connection, WatchStreamEvents } from "./connection.ts"
import { eventType, type WatchRequest, type WatchResponse, watchResponse } from "./protocol.ts"
import { storedValueOf } from "./ranges.ts"
import { EtcdWatch } from "./watch.ts"

type Answer = Parameters<typeof watchResponse.encode>[0]

interface Setup {
  readonly watching: EtcdWatch
  readonly clock: ReturnType<typeof createManualClock>
  readonly opened: Promise<void>
  readonly seen: { events: string[]; revision: number }[]
  readonly ends: StoreError[]
  readonly sent: WatchRequest[]
  readonly puts: number
  answer(response: Answer): void
  fail(code: number): void
}

/** A watch of `foo/` after revision 5 on a server of this version. */
function setUp(version = "3.5.21", options: Pick<WatchOptions, "previous"> = {}): Setup {
  const clock = createManualClock()
  const seen: { events: string[]; revision: number }[] = []
  const ends: StoreError[] = []
  const sent: WatchRequest[] = []
  let puts = 0
  let handlers: WatchStreamEvents | undefined
  const connection: Connection = {
    async call(call) {
      puts++
      return call.response.decode(Buffer.alloc(0))
    },
    watch(events) {
      handlers = events
      return { send: (request) => void sent.push(request), cancel: () => undefined, version: async () => version }
    },
    close: () => undefined,
  }
  const watching = new EtcdWatch(
    { connection, clock, openTimeoutMs: 1000, progressDelayMs: 5, storedValue: (kv) => storedValueOf(kv, undefined) },
    {
      prefix: "foo/",
      afterRevision: 5,
      ...options,
      onEvents: (events, revision) => seen.push({ events: events.map(shown), revision }),
      onEnd: (error) => ends.push(error),
    },
    () => undefined,
  )
  return {
    watching,
    clock,
    opened: watching.open(),
    seen,
    ends,
    sent,
    get puts() {
      return puts
    },
    answer: (response) => handlers?.onResponse(decoded(response)),
    fail: (code) => handlers?.onEnd({ code, details: "lost" }),
  }
}

function decoded(response: Answer): WatchResponse {
  return watchResponse.decode(watchResponse.encode(response))
}

const shown = (event: StoreEvent): string => `${event.type} ${event.key}@${event.revision}`
const put = (key: string, modRevision: number) => ({ kv: { key, modRevision, createRevision: modRevision } })
const created = (revision: number): Answer => ({ created: true, header: { revision } })

test("delivers the fragments of a large response together", async () => {
  const { answer, opened, seen } = setUp()
  answer(created(5))
  await opened
  answer({ fragment: true, events: [put("foo/a", 6), put("foo/b", 6)], header: { revision: 7 } })
  answer({ fragment: true, events: [put("foo/c", 6)], header: { revision: 7 } })
  expect(seen).toEqual([])
  answer({ events: [put("foo/d", 7)], header: { revision: 7 } })
  await turnOver()
  expect(seen).toEqual([{ events: ["put foo/a@6", "put foo/b@6", "put foo/c@6", "put foo/d@7"], revision: 7 }])
})

test("delivers the events of one turn together, with the progress reported meanwhile", async () => {
  const { answer, opened, seen } = setUp()
  answer(created(5))
  await opened
  answer({ events: [put("foo/a", 6)] })
  answer({ events: [put("foo/b", 7)] })
  expect(seen).toEqual([])
  await turnOver()
  expect(seen).toEqual([{ events: ["put foo/a@6", "put foo/b@7"], revision: 7 }])
  answer({ events: [put("foo/c", 8)] })
  answer({ header: { revision: 9 } })
  expect(seen.at(-1)).toEqual({ events: ["put foo/c@8"], revision: 9 })
  await turnOver()
  expect(seen).toHaveLength(2)
})

test("delivers pending events before the end, and none after stop", async () => {
  const lost = setUp()
  lost.answer(created(5))
  await lost.opened
  lost.answer({ events: [put("foo/a", 6)] })
  lost.fail(status.UNAVAILABLE)
  expect(lost.seen).toEqual([{ events: ["put foo/a@6"], revision: 6 }])
  expect(lost.ends).toHaveLength(1)
  const stopped = setUp()
  stopped.answer(created(5))
  await stopped.opened
  stopped.answer({ events: [put("foo/a", 6)] })
  stopped.watching.stop()
  await turnOver()
  expect(stopped.seen).toEqual([])
})

test("ignores revisions that go back", async () => {
  const { answer, opened, seen } = setUp()
  answer(created(5))
  await opened
  answer({ events: [put("foo/a", 8)] })
  answer({ events: [put("foo/a", 7), put("foo/a", 8)] })
  answer({ header: { revision: 6 } })
  await turnOver()
  answer({ events: [put("foo/a", 8), put("foo/a", 9)] })
  await turnOver()
  expect(seen.map(({ revision }) => revision)).toEqual([8, 9])
  expect(seen.at(-1)?.events).toEqual(["put foo/a@9"])
})

test("does not take the revision in a replay's response for its progress", async () => {
  const { answer, opened, seen, watching } = setUp()
  answer(created(50))
  await opened
  answer({ events: [put("foo/a", 6)], header: { revision: 50 } })
  await turnOver()
  expect(watching.revision).toBe(6)
  answer({ header: { revision: 50 } })
  expect(seen.at(-1)).toEqual({ events: [], revision: 50 })
})

test("requests progress once for several waiters, and again without an answer", async () => {
  const { answer, clock, opened, sent, watching } = setUp()
  answer(created(5))
  await opened
  const asked = (): number => sent.filter((request) => request.progress !== undefined).length
  watching.expectRevision(7)
  watching.expectRevision(7)
  expect(asked()).toBe(0)
  clock.advance(5)
  expect(asked()).toBe(1)
  clock.advance(100)
  expect(asked()).toBe(2)
  answer({ header: { revision: 7 } })
  clock.advance(1000)
  expect(asked()).toBe(2)
  watching.expectRevision(8)
  answer({ events: [put("foo/a", 8)] })
  await turnOver()
  clock.advance(1000)
  expect(asked()).toBe(2)
})

test("neither trusts nor requests progress of a server with unreliable progress", async () => {
  const { answer, clock, opened, sent, watching } = setUp("3.4.23")
  answer(created(5))
  await opened
  answer({ header: { revision: 9 } })
  watching.expectRevision(9)
  clock.advance(10_000)
  expect(watching.revision).toBe(5)
  expect(sent).toHaveLength(1)
})

test("with such a server, writes a key to end a replay or to advance a watch for a writer", async () => {
  const setup = setUp("3.4.23")
  const { answer, clock, opened, sent, seen, watching } = setup
  expect(sent[0]?.create).toMatchObject({ key: "foo/", rangeEnd: "foo0\0", startRevision: 6, prevKv: true, fragment: true })
  answer(created(7))
  await opened
  clock.advance(500)
  expect(setup.puts).toBe(1)
  answer({ events: [put("foo0", 8)] })
  await turnOver()
  expect(seen).toEqual([{ events: [], revision: 8 }])
  watching.advanceTo(9)
  watching.advanceTo(9)
  clock.advance(20)
  expect(setup.puts).toBe(2)
  answer({ events: [put("foo0", 10)] })
  await turnOver()
  clock.advance(10_000)
  expect(setup.puts).toBe(2)
})

test("does not request previous values when the watcher has them", async () => {
  const { answer, opened, seen, sent } = setUp("3.5.21", { previous: false })
  expect(sent[0]?.create?.prevKv).toBe(false)
  answer(created(5))
  await opened
  answer({ events: [{ type: eventType.delete, kv: { key: "foo/a", modRevision: 6 } }] })
  await turnOver()
  expect(seen.at(-1)?.events).toEqual(["delete foo/a@6"])
})

test("waits for a commit's own events, but not for those of a watch that has ended", async () => {
  const { answer, fail, opened, watching } = setUp()
  expect(watching.whenReached(6)).toBeUndefined()
  answer(created(5))
  await opened
  expect(watching.covers(["bar/a"])).toBe(false)
  expect(watching.covers(["bar/a", "foo/a"])).toBe(true)
  const reached = watching.whenReached(6)
  answer({ events: [put("foo/a", 6)] })
  await reached
  const lost = watching.whenReached(7)
  fail(status.UNAVAILABLE)
  await lost
})

test("reports the end of a watch to the opener before it is open, and to onEnd afterwards", async () => {
  const early = setUp()
  early.answer({ canceled: true, compactRevision: 9 })
  await expect(early.opened).rejects.toMatchObject({ code: "compacted", revision: 9 })
  expect(early.ends).toEqual([])
  const late = setUp()
  late.answer(created(5))
  await late.opened
  late.answer({ canceled: true, cancelReason: "etcdserver: no leader" })
  late.fail(status.UNAVAILABLE)
  expect(late.ends.map(({ code, message }) => [code, message])).toEqual([["unavailable", "etcd ended the watch: etcdserver: no leader"]])
  const never = setUp()
  never.clock.advance(1000)
  await expect(never.opened).rejects.toMatchObject({ code: "timeout" })
})
