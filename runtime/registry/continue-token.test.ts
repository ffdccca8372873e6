import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ContinueTokens } from "./continue-token.ts"

const tokens = new ContinueTokens(Buffer.from("a secret of this test"))
const token = { revision: 17, startAfter: "/registry/pods/a/ü", startedMs: 5 }

describe("continue tokens", () => {
  it("come back as they were given", () => {
    expect(tokens.decode(tokens.encode(token, "pods a"), "pods a")).toEqual(token)
    const counting = { ...token, remaining: 3 }
    expect(tokens.decode(tokens.encode(counting, "pods a"), "pods a")).toEqual(counting)
  })

  it("belong to one request", () => {
    expect(() => tokens.decode(tokens.encode(token, "pods a"), "pods b")).toThrow(/continue key is not valid/)
  })

  it("of another secret are refused", () => {
    const foreign = new ContinueTokens(Buffer.from("another")).encode(token, "pods a")
    expect(() => tokens.decode(foreign, "pods a")).toThrow(/continue key is not valid/)
  })

  it("cannot be made up or changed", () => {
    const whole = Buffer.from(tokens.encode(token, "pods a"), "base64url")
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const forged = Buffer.from(whole)
        forged[at] = (forged[at] ?? 0) ^ change
        expect(() => tokens.decode(forged.toString("base64url"), "pods a")).toThrow(/continue key is not valid/)
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => tokens.decode(text, "pods a")).toThrow(/continue key is not valid/)
      }),
    )
  })
})
