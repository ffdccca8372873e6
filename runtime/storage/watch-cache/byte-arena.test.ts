import fc from "fast-check"
import { expect, test } from "vitest"
import { ByteArena, bytesOf, Slab } from "./byte-arena.ts"
import type { Tenant } from "./byte-arena.ts"

function tenant(): Tenant {
  return { home: Buffer.alloc(0), offset: 0, length: 0, current: true }
}

test("small tenants share a slab once there are enough, large ones stay alone", () => {
  const arena = new ByteArena(1600)
  const small = Array.from({ length: 16 }, tenant)
  small.forEach((each, index) => arena.settle(each, Buffer.alloc(100, index)))
  const large = tenant()
  arena.settle(large, Buffer.alloc(101))
  expect(new Set(small.map((each) => each.home)).size).toBe(1)
  expect(small[0]?.home).toBeInstanceOf(Slab)
  expect(large.home).not.toBeInstanceOf(Slab)
})

test("a slab is left when too little of it is current; views given out before keep their bytes", () => {
  const arena = new ByteArena(1600)
  const tenants = Array.from({ length: 16 }, tenant)
  tenants.forEach((each, index) => arena.settle(each, Buffer.alloc(100, index)))
  const views = tenants.map(bytesOf)
  const slab = tenants[0]?.home
  for (const each of tenants.slice(0, 3)) arena.retire(each)
  expect(tenants[5]?.home).toBe(slab)
  arena.retire(tenants[3] ?? tenant())
  expect(tenants.some((each) => each.home === slab)).toBe(false)
  tenants.forEach((each, index) => {
    expect(bytesOf(each)).toEqual(Buffer.alloc(100, index))
    expect(views[index]).toEqual(Buffer.alloc(100, index))
  })
})

test("whatever settles and retires in whatever order, everybody keeps their bytes", () => {
  const step = fc.record({ index: fc.nat({ max: 30 }), retire: fc.boolean(), length: fc.nat({ max: 120 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const arena = new ByteArena(1000)
      const tenants = Array.from({ length: 31 }, tenant)
      const texts = tenants.map(() => Buffer.alloc(0))
      steps.forEach(({ index, length, retire }, round) => {
        const each = tenants[index]
        if (each === undefined) return
        if (retire) arena.retire(each)
        else {
          texts[index] = Buffer.alloc(length, round)
          arena.settle(each, texts[index] ?? Buffer.alloc(0))
        }
      })
      tenants.forEach((each, index) => expect(bytesOf(each)).toEqual(texts[index]))
      const slabs = new Set(tenants.map((each) => each.home).filter((home) => home instanceof Slab))
      for (const slab of slabs) {
        const live = tenants.filter((each) => each.current && each.home === slab).reduce((sum, each) => sum + each.length, 0)
        expect(slab.live).toBe(live)
      }
    }),
  )
})
