import { expect, test } from "vitest"
import { Expectations } from "./expectations.ts"

const json = (text: string) => (): Buffer => Buffer.from(text)

test("is claimed once, by equal bytes of the same key", () => {
  const expectations = new Expectations(1_000_000)
  expectations.add("a", { value: Buffer.from("one"), json: json("1") })
  expect(expectations.claim("b", Buffer.from("one"))).toBeUndefined()
  expect(expectations.claim("a", Buffer.from("two"))).toBeUndefined()
  expect(expectations.claim("a", Buffer.from("one"))?.json(1).toString()).toBe("1")
  expect(expectations.claim("a", Buffer.from("one"))).toBeUndefined()
  expect(expectations.pendingBytes).toBe(0)
})

test("a claim drops earlier announcements of the key, but not later ones", () => {
  const expectations = new Expectations(1_000_000)
  for (const text of ["failed", "won", "next"]) expectations.add("a", { value: Buffer.from(text), json: json(text) })
  expect(expectations.claim("a", Buffer.from("won"))?.json(1).toString()).toBe("won")
  expect(expectations.claim("a", Buffer.from("failed"))).toBeUndefined()
  expect(expectations.claim("a", Buffer.from("next"))?.json(1).toString()).toBe("next")
})

test("drops unclaimed announcements at the limit, oldest first", () => {
  const expectations = new Expectations(5000)
  for (let index = 0; index < 100; index++) expectations.add(`key-${index}`, { value: Buffer.alloc(100), json: json("") })
  expect(expectations.pendingBytes).toBeLessThanOrEqual(5000)
  expect(expectations.claim("key-0", Buffer.alloc(100))).toBeUndefined()
  expect(expectations.claim("key-99", Buffer.alloc(100))).toBeDefined()
})

test("takes back the announcement of one writer only", () => {
  const expectations = new Expectations(1_000_000)
  const [lost, won] = [Buffer.from("same"), Buffer.from("same")]
  expectations.add("a", { value: lost, json: json("lost") })
  expectations.add("a", { value: won, json: json("won") })
  expectations.withdraw("a", lost)
  expectations.withdraw("a", lost)
  expectations.withdraw("b", won)
  expect(expectations.claim("a", Buffer.from("same"))?.json(1).toString()).toBe("won")
  expectations.add("a", { value: lost, json: json("lost") })
  expectations.withdraw("a", lost)
  expect(expectations.pendingBytes).toBe(0)
})
