import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import {
  anonymous,
  authenticate,
  AuthenticationError,
  type Authenticator,
  bearerToken,
  type Credentials,
  identify,
  staticTokens,
} from "./authenticate.ts"

const alice = { name: "alice", groups: ["developers"], extra: {} }
const bob = { name: "bob", groups: [], extra: {} }
const tokens = staticTokens([
  { token: "token-of-alice", user: alice },
  { token: "token-of-bob", user: bob },
])
const bearer = (token: string): Credentials => ({ headers: {}, token, audiences: [] })
const nothing: Credentials = { headers: {}, token: undefined, audiences: [] }

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Finds a wrong token whose hash equals the right token's in some bytes: the first or the last ones. */
function almost(token: string, agree: (hash: Buffer, right: Buffer) => boolean): string {
  const right = sha256(token)
  for (let index = 0; ; index++) if (agree(sha256(`wrong-${index}`), right)) return `wrong-${index}`
}

describe("a bearer token", () => {
  test("authenticates its user", () => {
    expect(tokens(bearer("token-of-alice"))).toEqual({ user: alice })
    expect(authenticate([tokens], bearer("token-of-bob"), { anonymous: false })).toEqual({ ...bob, groups: ["system:authenticated"] })
  })

  test("is compared whole: a hash with the same first or last bytes is refused", () => {
    for (const agree of [
      (hash: Buffer, right: Buffer) => hash.subarray(0, 2).equals(right.subarray(0, 2)),
      (hash: Buffer, right: Buffer) => hash.subarray(-2).equals(right.subarray(-2)),
    ]) {
      const wrong = almost("token-of-alice", agree)
      // Twice, because accepted tokens are cached.
      expect([tokens(bearer(wrong)), tokens(bearer(wrong))]).toEqual([undefined, undefined])
    }
  })

  test.each(["", "token-of-alic", "token-of-alicee", "TOKEN-OF-ALICE", "constructor", "__proto__"])("%j is not known", (token) => {
    expect(tokens(bearer(token))).toBeUndefined()
  })

  test.each(["Basic dG9rZW4=", "Bearer", "Bearer ", "Bearer  a", "  Bearer   a  ", "token-of-alice", ""])(
    "is not in %j",
    (authorization) => {
      expect(bearerToken({ authorization })).toBeUndefined()
    },
  )

  test.each(["Bearer a", "bearer a", "BEARER a b", " Bearer a "])("is in %j", (authorization) => {
    expect(bearerToken({ authorization })).toBe("a")
  })

  test("that is unknown is refused, also where anonymous requests are on", () => {
    for (const mayBeAnonymous of [true, false])
      expect(() => authenticate([tokens], bearer("wrong"), { anonymous: mayBeAnonymous })).toThrow(ApiError)
  })
})

describe("without a credential", () => {
  test("a request is anonymous", () => expect(authenticate([tokens], nothing, { anonymous: true })).toBe(anonymous))
  test("a request is refused where anonymous requests are off", () =>
    expect(() => authenticate([tokens], nothing, { anonymous: false })).toThrow(ApiError))
})

const known: Authenticator = () => ({ user: alice })
const unknown: Authenticator = () => undefined
const wrong: Authenticator = () => {
  throw new AuthenticationError("wrong")
}
/** The same, at a later time. */
const later =
  (authenticator: Authenticator): Authenticator =>
  async (credentials) => {
    await new Promise((resolve) => setImmediate(resolve))
    return authenticator(credentials)
  }

describe("authenticators", () => {
  test("decide in their order, and one that does not wait makes none of a request wait", () => {
    const user = authenticate([unknown, known, () => ({ user: bob })], nothing, { anonymous: false })
    expect(user).toMatchObject({ name: "alice" })
  })

  test.each([
    ["at once", wrong, known],
    ["later", later(wrong), later(known)],
    ["first later", later(wrong), known],
    ["then later", wrong, later(known)],
  ])("are asked although one before them failed: %s", async (_when, first, second) => {
    expect(await authenticate([unknown, first, second], nothing, { anonymous: false })).toMatchObject({ name: "alice" })
  })

  test.each([
    ["at once", wrong],
    ["later", later(wrong)],
  ])("that fail refuse a request that has no token, also where anonymous requests are on: %s", async (_when, fails) => {
    const faults: string[] = []
    const asked = async () => authenticate([fails, unknown], nothing, { anonymous: true, onFault: (fault) => faults.push(fault.message) })
    await expect(asked()).rejects.toMatchObject({ code: 401, message: "Unauthorized" })
    expect(faults).toEqual(["wrong"])
  })

  test("that have no opinion leave the request anonymous, also after a while", async () => {
    expect(await authenticate([later(unknown), unknown], nothing, { anonymous: true })).toBe(anonymous)
    await expect(async () => authenticate([later(unknown)], nothing, { anonymous: false })).rejects.toMatchObject({ code: 401 })
  })

  test.each([
    ["the first", "noted wrong"],
    ["the second", "wrong noted"],
  ])("that fail leave the notes of the one that has some: %s", async (_which, order) => {
    const notes = { annotations: [["a", "b"]], warnings: [] } as const
    const noted: Authenticator = () => {
      throw new AuthenticationError("noted", "noted", notes)
    }
    const authenticators = order.split(" ").map((name) => (name === "noted" ? noted : wrong))
    expect(() => identify(authenticators, bearer("x"))).toThrow(expect.objectContaining({ notes }))
  })

  test("say all that is wrong to reviews", async () => {
    await expect(async () => identify([wrong, later(wrong)], bearer("x"))).rejects.toThrow(/^wrong, wrong$/)
    expect(() => identify([unknown], bearer("x"))).toThrow(/^invalid bearer token$/)
  })

  test("name the issuer of a token that nobody knows in the log alone", () => {
    const token = (claims: string): string => `e30.${Buffer.from(claims).toString("base64url")}.c2ln`
    const faultOf = (text: string): unknown => {
      try {
        return identify([unknown], bearer(text))
      } catch (error) {
        return error
      }
    }
    expect(faultOf(token('{"sub":"jane","iss":"https://other"}'))).toMatchObject({
      message: "invalid bearer token",
      logged: 'invalid bearer token: its issuer is "https://other", and no authenticator of this server knows tokens of that issuer',
    })
    for (const text of ["x", "a.b.c", token("{}"), token('{"iss":7}')])
      expect(faultOf(text)).toMatchObject({ logged: "invalid bearer token" })
    expect(String(Reflect.get(faultOf(token(`{"iss":"${"a".repeat(1900)}"}`)) as object, "logged")).length).toBeLessThan(1000)
  })

  test.each([
    ["at once", (fails: Authenticator) => fails],
    ["later", later],
  ])("with a fault of their own do not pass for a refusal: %s", async (_when, made) => {
    const broken = made(() => {
      throw new TypeError("broken")
    })
    await expect(async () => authenticate([broken, known], nothing, { anonymous: true })).rejects.toThrow(TypeError)
  })

  test("add the group of all users once", () => {
    const grouped = { ...alice, groups: ["system:authenticated", "developers"] }
    expect(identify([() => ({ user: grouped })], nothing)).toEqual({ user: grouped })
  })
})

describe("audiences", () => {
  const ofServer = staticTokens([{ token: "t", user: alice }], ["api", "other"])
  test.each([
    [["api"], ["api"]],
    [
      ["x", "other", "api"],
      ["other", "api"],
    ],
  ])("%j of a token of the server: %j", (audiences, common) => {
    expect(ofServer({ ...bearer("t"), audiences })).toEqual({ user: alice, audiences: common })
  })
  test("that are not the server's are refused", () => {
    expect(ofServer({ ...bearer("t"), audiences: ["x"] })).toBeUndefined()
    expect(ofServer({ ...bearer("t"), audiences: ["x"] })).toBeUndefined()
    expect(tokens({ ...bearer("token-of-alice"), audiences: ["x"] })).toBeUndefined()
  })
})
