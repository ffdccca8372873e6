import { expect, test } from "vitest"
import { Canaries } from "./canaries.ts"

test("a canary is found in every form, and nowhere else", () => {
  const canaries = new Canaries()
  const text = canaries.make("secret")
  const forms: readonly (readonly [string, Buffer | string])[] = [
    ["plain", `a ${text} b`],
    ["percent-encoded", `?a=${encodeURIComponent(text)}&b`],
    ["hex", Buffer.from(`a${text}`).toString("hex")],
    ["numbers", JSON.stringify(Buffer.from(`a${text}b`))],
    ...["", "a", "ab", "abc"].flatMap((before) => [
      ["base64", Buffer.from(`${before}${text}c`).toString("base64")] as const,
      ["base64url", Buffer.from(`${before}${text}`).toString("base64url")] as const,
    ]),
  ]
  for (const [form, place] of forms)
    expect([form, canaries.foundIn("place", place)]).toEqual([form, expect.arrayContaining([`place: secret (${form})`])])
  expect(canaries.foundIn("place", text.slice(1))).toEqual([])
  expect(canaries.foundIn("place", text, ["secret"])).toEqual([])
  expect(canaries.make("token", /[a-z0-9]/g)).toMatch(/^[a-z0-9]+$/)
  expect(() => canaries.add("short", "short")).toThrow(/too short/)
})
