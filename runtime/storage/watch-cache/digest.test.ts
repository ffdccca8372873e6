import fc from "fast-check"
import { expect, test } from "vitest"
import { Digest } from "./digest.ts"

type Item = { key: string; modRevision: number }

function digestOf(items: readonly Item[]): string {
  const digest = new Digest()
  for (const item of items) digest.add(item)
  return digest.text()
}

test("differs for another key, revision, order or number of objects", () => {
  const items = fc.uniqueArray(
    fc.record({ key: fc.string({ maxLength: 30, unit: "binary" }), modRevision: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) }),
    { minLength: 2, maxLength: 20, selector: ({ key }) => key },
  )
  fc.assert(
    fc.property(items, fc.nat(), (list, pick) => {
      const at = pick % list.length
      const whole = digestOf(list)
      expect(digestOf([...list])).toBe(whole)
      expect(digestOf(list.filter((_, index) => index !== at))).not.toBe(whole)
      expect(digestOf([...list].reverse())).not.toBe(whole)
      expect(digestOf(list.map((item, index) => (index === at ? { ...item, modRevision: item.modRevision - 1 } : item)))).not.toBe(whole)
      expect(digestOf(list.map((item, index) => (index === at ? { ...item, key: `${item.key}x` } : item)))).not.toBe(whole)
      expect(whole).toMatch(/^[0-9a-f]{16}$/)
    }),
  )
})
