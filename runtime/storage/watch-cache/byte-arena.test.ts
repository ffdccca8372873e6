import fc from "fast-check"
import { expect, test } from "vitest"
import { ByteArena, bytesOf } from "./byte-arena.ts"
import { defaultCacheLimits } from "./options.ts"
import { Slab, SlabPool } from "./slab-pool.ts"
import type { Tenant } from "./slab-pool.ts"

function tenant(): Tenant {
  return { home: Buffer.alloc(0), offset: 0, length: 0, current: true }
}

function poolOf(slabBytes: number): SlabPool {
  return new SlabPool({ ...defaultCacheLimits, slabBytes, regionBytes: 4 * slabBytes, poisonsSlabs: true })
}

function arenaOf(slabBytes: number): ByteArena {
  return new ByteArena(poolOf(slabBytes))
}

test("packs small allocations into a slab once there are enough, and leaves large ones unpacked", () => {
  const arena = arenaOf(1600)
  const small = Array.from({ length: 16 }, tenant)
  small.forEach((each, index) => arena.settle(each, Buffer.alloc(100, index)))
  const large = tenant()
  arena.settle(large, Buffer.alloc(101))
  expect(new Set(small.map((each) => each.home)).size).toBe(1)
  expect(small[0]?.home).toBeInstanceOf(Slab)
  expect(large.home).not.toBeInstanceOf(Slab)
})

test("evacuates a slab with too few live bytes after a while, and reuses it", () => {
  const pool = poolOf(1600)
  const arena = new ByteArena(pool)
  // Ten slabs: the first loses more than a fifth of its live bytes, then each of the others.
  const tenants = Array.from({ length: 160 }, tenant)
  tenants.forEach((each, index) => arena.settle(each, Buffer.alloc(100, index)))
  const slab = tenants[0]?.home
  for (const each of tenants.slice(0, 4)) arena.retire(each)
  expect(tenants[5]?.home).toBe(slab)
  for (let first = 16; first < 16 * 9; first += 16) for (const each of tenants.slice(first, first + 4)) arena.retire(each)
  expect(slab).toBeInstanceOf(Slab)
  expect(tenants.some((each) => each.home === slab)).toBe(false)
  tenants.forEach((each, index) => expect(bytesOf(each)).toEqual(Buffer.alloc(100, index)))
  const others = Array.from({ length: 16 }, tenant)
  for (const each of others) arena.settle(each, Buffer.alloc(100, 0xff))
  expect(others.some((each) => bytesOf(each).byteOffset === (slab instanceof Slab ? slab.buffer.byteOffset : -1))).toBe(true)
  tenants.forEach((each, index) => expect(bytesOf(each)).toEqual(Buffer.alloc(100, index)))
})

test("gives no slab to a few objects that are written repeatedly", () => {
  const arena = arenaOf(1600)
  let last = tenant()
  for (let index = 0; index < 100; index++) {
    arena.retire(last)
    last = tenant()
    arena.settle(last, Buffer.alloc(100, index))
  }
  expect(last.home).not.toBeInstanceOf(Slab)
})

test("returns memory when its objects are gone", () => {
  const pool = poolOf(1600)
  const arena = new ByteArena(pool)
  const tenants = Array.from({ length: 1600 }, tenant)
  for (const each of tenants) arena.settle(each, Buffer.alloc(100))
  const full = pool.regionCount
  for (const each of tenants) arena.retire(each)
  expect(full).toBeGreaterThanOrEqual(25)
  expect(pool.regionCount).toBeLessThan(6)
})

test("copies the values of a fill directly into slabs, and trims the last slab", () => {
  const arena = arenaOf(1600)
  const filling = arena.beginFill()
  const scratch = Buffer.alloc(100)
  const tenants = Array.from({ length: 20 }, tenant)
  tenants.forEach((each, index) => arena.settle(each, filling.copy(scratch.fill(index))))
  filling.end()
  const slabs = new Set(tenants.map((each) => each.home))
  expect([...slabs].map((slab) => (slab instanceof Slab ? slab.buffer.byteLength : 0))).toEqual([1600, 400])
  tenants.forEach((each, index) => expect(bytesOf(each)).toEqual(Buffer.alloc(100, index)))
})

test("an object that was retired before its fill's bytes were stored keeps them when the slab is reused", () => {
  const arena = arenaOf(1600)
  const past = tenant()
  arena.retire(past)
  const first = arena.beginFill()
  arena.settle(past, first.copy(Buffer.alloc(49, 1)))
  first.end()
  const second = arena.beginFill()
  arena.settle(tenant(), second.copy(Buffer.alloc(49, 2)))
  second.end()
  expect(bytesOf(past)).toEqual(Buffer.alloc(49, 1))
})

test("writes decoded text into slabs once there are some", () => {
  const arena = arenaOf(1600)
  const first = tenant()
  arena.settleText(first, "é")
  expect(first.home).not.toBeInstanceOf(Slab)
  const tenants = Array.from({ length: 40 }, tenant)
  tenants.forEach((each, index) => arena.settle(each, Buffer.alloc(100, index)))
  tenants.forEach((each, index) => arena.settleText(each, `text ${index} é`))
  expect(new Set(tenants.map((each) => each.home)).size).toBe(1)
  tenants.forEach((each, index) => expect(bytesOf(each).toString()).toBe(`text ${index} é`))
  const retired = tenants[7] ?? tenant()
  arena.retire(retired)
  arena.settleText(retired, "again")
  expect(retired.home).not.toBeInstanceOf(Slab)
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
      const tenants = Array.from({ length: 31 }, tenant)
      const texts = tenants.map(() => Buffer.alloc(0))
      const scratch = Buffer.alloc(120)
      let filling: ReturnType<ByteArena["beginFill"]> | undefined
      steps.forEach(({ action, index, length }, round) => {
        const each = tenants[index]
        if (each === undefined) return
        if (action === "retire") return arena.retire(each)
        const bytes = Buffer.alloc(length, 32 + (round % 90))
        texts[index] = bytes
        if (action === "bytes") arena.settle(each, bytes)
        else if (action === "text") arena.settleText(each, bytes.toString())
        else {
          filling ??= arena.beginFill()
          bytes.copy(scratch)
          arena.settle(each, filling.copy(scratch.subarray(0, length)))
          if (length % 7 !== 0) return
          filling.end()
          filling = undefined
        }
      })
      filling?.end()
      tenants.forEach((each, index) => expect(bytesOf(each)).toEqual(texts[index]))
      const slabs = new Set(tenants.map((each) => each.home).filter((home) => home instanceof Slab))
      for (const slab of slabs) {
        if (slab.state === "left") continue
        const live = tenants.filter((each) => each.current && each.home === slab).reduce((sum, each) => sum + each.length, 0)
        expect(slab.live).toBe(live)
      }
    }),
  )
})
