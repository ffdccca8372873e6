import fc from "fast-check"
import { expect, test } from "vitest"
import { ByteArena, bytesOf } from "./byte-arena.ts"
import { defaultCacheLimits } from "./options.ts"
import { Slab, SlabPool } from "./slab-pool.ts"
import type { Allocation } from "./slab-pool.ts"

function allocation(): Allocation {
  return { memory: Buffer.alloc(0), offset: 0, length: 0, current: true }
}

function poolOf(slabBytes: number): SlabPool {
  return new SlabPool({ ...defaultCacheLimits, slabBytes, regionBytes: 4 * slabBytes, poisonsSlabs: true })
}

function arenaOf(slabBytes: number): ByteArena {
  return new ByteArena(poolOf(slabBytes))
}

test("packs small allocations into a slab once there are enough, and leaves large ones unpacked", () => {
  const arena = arenaOf(1600)
  const small = Array.from({ length: 16 }, allocation)
  small.forEach((each, index) => arena.store(each, Buffer.alloc(100, index)))
  const large = allocation()
  arena.store(large, Buffer.alloc(101))
  expect(new Set(small.map((each) => each.memory)).size).toBe(1)
  expect(small[0]?.memory).toBeInstanceOf(Slab)
  expect(large.memory).not.toBeInstanceOf(Slab)
})

test("evacuates a slab with too few live bytes after a while, and reuses it", () => {
  const pool = poolOf(1600)
  const arena = new ByteArena(pool)
  // Ten slabs: the first loses more than a fifth of its live bytes, then each of the others.
  const allocations = Array.from({ length: 160 }, allocation)
  allocations.forEach((each, index) => arena.store(each, Buffer.alloc(100, index)))
  const slab = allocations[0]?.memory
  for (const each of allocations.slice(0, 4)) arena.retire(each)
  expect(allocations[5]?.memory).toBe(slab)
  for (let first = 16; first < 16 * 9; first += 16) for (const each of allocations.slice(first, first + 4)) arena.retire(each)
  expect(slab).toBeInstanceOf(Slab)
  expect(allocations.some((each) => each.memory === slab)).toBe(false)
  allocations.forEach((each, index) => expect(bytesOf(each)).toEqual(Buffer.alloc(100, index)))
  const others = Array.from({ length: 16 }, allocation)
  for (const each of others) arena.store(each, Buffer.alloc(100, 0xff))
  expect(others.some((each) => bytesOf(each).byteOffset === (slab instanceof Slab ? slab.buffer.byteOffset : -1))).toBe(true)
  allocations.forEach((each, index) => expect(bytesOf(each)).toEqual(Buffer.alloc(100, index)))
})

test("gives no slab to a few objects that are written repeatedly", () => {
  const arena = arenaOf(1600)
  let last = allocation()
  for (let index = 0; index < 100; index++) {
    arena.retire(last)
    last = allocation()
    arena.store(last, Buffer.alloc(100, index))
  }
  expect(last.memory).not.toBeInstanceOf(Slab)
})

test("returns memory when its objects are gone", () => {
  const pool = poolOf(1600)
  const arena = new ByteArena(pool)
  const allocations = Array.from({ length: 1600 }, allocation)
  for (const each of allocations) arena.store(each, Buffer.alloc(100))
  const full = pool.regionCount
  for (const each of allocations) arena.retire(each)
  expect(full).toBeGreaterThanOrEqual(25)
  expect(pool.regionCount).toBeLessThan(6)
})

test("copies the values of a fill directly into slabs, and trims the last slab", () => {
  const arena = arenaOf(1600)
  const filling = arena.beginFill()
  const scratch = Buffer.alloc(100)
  const allocations = Array.from({ length: 20 }, allocation)
  allocations.forEach((each, index) => arena.store(each, filling.copy(scratch.fill(index))))
  filling.end()
  const slabs = new Set(allocations.map((each) => each.memory))
  expect([...slabs].map((slab) => (slab instanceof Slab ? slab.buffer.byteLength : 0))).toEqual([1600, 400])
  allocations.forEach((each, index) => expect(bytesOf(each)).toEqual(Buffer.alloc(100, index)))
})

test("an object that was retired before its fill's bytes were stored keeps them when the slab is reused", () => {
  const arena = arenaOf(1600)
  const past = allocation()
  arena.retire(past)
  const first = arena.beginFill()
  arena.store(past, first.copy(Buffer.alloc(49, 1)))
  first.end()
  const second = arena.beginFill()
  arena.store(allocation(), second.copy(Buffer.alloc(49, 2)))
  second.end()
  expect(bytesOf(past)).toEqual(Buffer.alloc(49, 1))
})

test("writes decoded text into slabs once there are some", () => {
  const arena = arenaOf(1600)
  const first = allocation()
  arena.storeText(first, "é")
  expect(first.memory).not.toBeInstanceOf(Slab)
  const allocations = Array.from({ length: 40 }, allocation)
  allocations.forEach((each, index) => arena.store(each, Buffer.alloc(100, index)))
  allocations.forEach((each, index) => arena.storeText(each, `text ${index} é`))
  expect(new Set(allocations.map((each) => each.memory)).size).toBe(1)
  allocations.forEach((each, index) => expect(bytesOf(each).toString()).toBe(`text ${index} é`))
  const retired = allocations[7] ?? allocation()
  arena.retire(retired)
  arena.storeText(retired, "again")
  expect(retired.memory).not.toBeInstanceOf(Slab)
})

test("keeps nothing of the pool that node cuts small Buffers from", () => {
  const limits = { ...defaultCacheLimits, slabBytes: 1600, regionBytes: 6400, sparseSlabs: 0 }
  const arena = new ByteArena(new SlabPool(limits))
  const few = Array.from({ length: 4 }, allocation)
  few.forEach((each, index) => arena.store(each, Buffer.from(`object ${index}`)))
  const decoded = allocation()
  arena.storeText(decoded, "decoded")
  const replaced = allocation()
  arena.store(replaced, Buffer.from("stored"))
  arena.retire(replaced)
  arena.storeText(replaced, "decoded after it was replaced")
  // Bytes left in a slab that is evacuated, while there are too few for another slab.
  const filling = arena.beginFill()
  const filled = Array.from({ length: 16 }, allocation)
  for (const each of filled) arena.store(each, filling.copy(Buffer.alloc(100, "filled")))
  filling.end()
  for (const each of filled.slice(4)) arena.retire(each)
  expect(filled[0]?.memory).not.toBeInstanceOf(Slab)
  const kept = [...few, decoded, replaced, ...filled].map(bytesOf)
  expect(kept.filter(({ buffer }) => buffer.byteLength === Buffer.poolSize).map(String)).toEqual([])
})

test("keeps the bytes of every object after any sequence of operations", () => {
  const step = fc.record({
    index: fc.nat({ max: 30 }),
    action: fc.constantFrom("retire", "bytes", "text", "fill"),
    length: fc.nat({ max: 120 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
      const arena = arenaOf(1000)
      const allocations = Array.from({ length: 31 }, allocation)
      const texts = allocations.map(() => Buffer.alloc(0))
      const scratch = Buffer.alloc(120)
      let filling: ReturnType<ByteArena["beginFill"]> | undefined
      steps.forEach(({ action, index, length }, round) => {
        const each = allocations[index]
        if (each === undefined) return
        if (action === "retire") return arena.retire(each)
        const bytes = Buffer.alloc(length, 32 + (round % 90))
        texts[index] = bytes
        if (action === "bytes") arena.store(each, bytes)
        else if (action === "text") arena.storeText(each, bytes.toString())
        else {
          filling ??= arena.beginFill()
          bytes.copy(scratch)
          arena.store(each, filling.copy(scratch.subarray(0, length)))
          if (length % 7 !== 0) return
          filling.end()
          filling = undefined
        }
      })
      filling?.end()
      allocations.forEach((each, index) => expect(bytesOf(each)).toEqual(texts[index]))
      const slabs = new Set(allocations.map((each) => each.memory).filter((home) => home instanceof Slab))
      for (const slab of slabs) {
        if (slab.state === "left") continue
        const live = allocations.filter((each) => each.current && each.memory === slab).reduce((sum, each) => sum + each.length, 0)
        expect(slab.live).toBe(live)
      }
    }),
  )
})
