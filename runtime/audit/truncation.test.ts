import fc from "fast-check"
import { expect, test } from "vitest"
import { type AuditEvent, sizeOf } from "./event.ts"
import { fitting, inParts } from "./truncation.ts"

function eventOf(headBytes: number, requestObject?: Buffer): AuditEvent {
  const facts = { auditId: "", verb: "", uri: "", address: "", agent: "", namespace: "", receivedMs: 0 }
  const head = "x".repeat(headBytes)
  return { level: "Request", stage: "ResponseComplete", mayWait: true, facts, head, requestObject, times: "", annotations: undefined }
}

const partsOf = (sizes: readonly number[], bytesMax: number): number[][] =>
  [
    ...inParts(
      sizes.map((size) => eventOf(size)),
      bytesMax,
    ),
  ].map((part) => part.map(sizeOf))

test("a batch is split where the next event would make a part too large, each part anew", () => {
  expect(partsOf([30, 30, 40, 30, 30, 40, 1], 100)).toEqual([[30, 30, 40], [30, 30, 40], [1]])
  expect(partsOf([101, 30, 200, 60, 40, 41, 60], 100)).toEqual([[101], [30], [200], [60, 40], [41], [60]])
  expect(partsOf([], 100)).toEqual([])
})

test("parts have all events in their order, are as large as they may be, and no larger", () => {
  const sum = (part: readonly number[]): number => part.reduce((total, size) => total + size, 0)
  fc.assert(
    fc.property(fc.array(fc.nat(120), { maxLength: 30 }), (sizes) => {
      const parts = partsOf(sizes, 100)
      expect(parts.flat()).toEqual(sizes)
      for (const [index, part] of parts.entries()) {
        expect(part.length === 1 || sum(part) <= 100).toBe(true)
        const [next] = parts[index + 1] ?? []
        if (next !== undefined) expect(sum(part) + next).toBeGreaterThan(100)
      }
    }),
  )
})

test("an event goes without its objects if it is too large with them, and not at all if it is too large without", () => {
  const event = eventOf(100, Buffer.alloc(1000))
  const eventUpTo = (eventBytesMax: number): AuditEvent | undefined => fitting(event, { eventBytesMax, batchBytesMax: eventBytesMax })
  expect([fitting(event, undefined), eventUpTo(1100)]).toEqual([event, event])
  const shorter = eventUpTo(1099)
  expect([shorter?.head, shorter?.requestObject, shorter?.annotations]).toEqual([
    event.head,
    undefined,
    expect.stringContaining("truncated"),
  ])
  expect([eventUpTo(100), eventUpTo(99)]).toEqual([shorter, undefined])
})
