import { createHmac } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ContinueTokens } from "./continue-token.ts"

const secret = Buffer.from("a secret of this test")
const tokens = new ContinueTokens(secret)
/** Another server with the same secret, and with nothing in its cache. */
const sibling = new ContinueTokens(secret)
const token = { revision: 17, startAfter: "/registry/pods/a/ü" }

describe("continue tokens", () => {
  it("decode to what was encoded", () => {
    expect(tokens.decode(tokens.encode(token, "pods a"), "pods a")).toEqual(token)
    const counting = { ...token, remaining: 3 }
    expect(tokens.decode(tokens.encode(counting, "pods a"), "pods a")).toEqual(counting)
    expect(sibling.decode(tokens.encode(counting, "pods a"), "pods a")).toEqual(counting)
  })

  it("do not depend on what the cache of tokens holds", () => {
    const texts = () => Array.from({ length: 1000 }, (_, revision) => tokens.encode({ ...token, revision }, "pods a"))
    const first = texts()
    expect(new Set(first).size).toBe(1000)
    expect(texts()).toEqual(first)
    for (const [revision, text] of first.entries()) expect(tokens.decode(text, "pods a")).toEqual({ ...token, revision })
    const long = "x".repeat(5000)
    expect(tokens.decode(tokens.encode(token, long), long)).toEqual(token)
  })

  it("are valid for one request only", () => {
    expect(() => tokens.decode(tokens.encode(token, "pods a"), "pods b")).toThrow(/continue key is not valid/)
    // Not even if scope and token together read the same.
    expect(() => tokens.decode(`a\0${tokens.encode(token, "pods\0a")}`, "pods")).toThrow(/continue key is not valid/)
    expect(() => sibling.decode(tokens.encode(token, "pods a"), "pods b")).toThrow(/continue key is not valid/)
  })

  it("of another release answer 410", () => {
    const body = Buffer.from(JSON.stringify([1, 17, "/registry/pods/a/b", 5, 3]))
    const mac = createHmac("sha256", secret).update("pods a\0").update(body).digest().subarray(0, 12)
    expect(() => tokens.decode(Buffer.concat([mac, body]).toString("base64url"), "pods a")).toThrow(/another release/)
  })

  it("made with another secret are refused", () => {
    const foreign = new ContinueTokens(Buffer.from("another")).encode(token, "pods a")
    expect(() => tokens.decode(foreign, "pods a")).toThrow(/continue key is not valid/)
  })

  it("cannot be forged or changed", () => {
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
