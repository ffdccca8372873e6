import fc from "fast-check"
import { expect, it } from "vitest"
import { GatheredBytes } from "./gathered-bytes.ts"

it("returns the added bytes, for any pieces and any way to take them", () => {
  const step = fc.oneof(
    fc.record({ add: fc.uint8Array({ maxLength: 200_000 }) }),
    fc.record({ keep: fc.uint8Array({ maxLength: 3000 }) }),
    fc.constant("shift" as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const gathered = new GatheredBytes()
      const came: Uint8Array[] = []
      const taken: Uint8Array[] = []
      for (const one of steps) {
        if (one === "shift") taken.push(gathered.shift() ?? Buffer.alloc(0))
        else if ("add" in one) {
          came.push(one.add)
          gathered.add(one.add)
        } else {
          came.push(one.keep)
          gathered.keep(Buffer.from(one.keep))
        }
        expect(gathered.length).toBe(lengthOf(came) - lengthOf(taken))
        expect(gathered.keptBytes).toBeGreaterThanOrEqual(gathered.length)
      }
      taken.push(gathered.take())
      expect(Buffer.concat(taken).equals(Buffer.concat(came))).toBe(true)
      expect([gathered.length, gathered.keptBytes]).toEqual([0, 0])
    }),
    { numRuns: 100 },
  )
})

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

it("keeps bytes that arrive one by one in little more memory than they need", () => {
  const gathered = new GatheredBytes()
  const byte = Buffer.from("a")
  let most = 0
  for (let count = 1; count <= 300_000; count++) {
    gathered.add(byte)
    most = Math.max(most, gathered.keptBytes - 2.1 * count)
  }
  expect(most).toBeLessThan(2000)
  let blocks = 0
  while (gathered.shift() !== undefined) blocks++
  expect(blocks).toBeLessThan(20)
})
