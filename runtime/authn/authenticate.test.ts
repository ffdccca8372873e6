import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import { anonymous, authenticate, parseTokenFile, staticTokens } from "./authenticate.ts"

const alice = { name: "alice", groups: ["developers"], extra: {} }
const bob = { name: "bob", groups: [], extra: {} }
const tokens = staticTokens([
  { token: "token-of-alice", user: alice },
  { token: "token-of-bob", user: bob },
])
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Finds a wrong token whose hash agrees with the right one's in some bytes: the first or the last ones. */
function almost(token: string, agree: (hash: Buffer, right: Buffer) => boolean): string {
  const right = sha256(token)
  for (let index = 0; ; index++) if (agree(sha256(`wrong-${index}`), right)) return `wrong-${index}`
}

describe("a bearer token", () => {
  test("authenticates its user", () => {
    expect(tokens(bearer("token-of-alice"))).toEqual(alice)
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

  test.each(["Basic dG9rZW4=", "Bearer", "Bearer ", "Bearer a b", "token-of-alice", ""])("is not in %j", (authorization) => {
    expect(tokens({ authorization })).toBeUndefined()
  })

  test("that is unknown is refused, also where anonymous requests are on", () => {
    for (const mayBeAnonymous of [true, false])
      expect(() => authenticate([tokens], bearer("wrong"), { anonymous: mayBeAnonymous })).toThrow(ApiError)
  })
})

describe("without a credential", () => {
  test("a request is anonymous", () => expect(authenticate([tokens], {}, { anonymous: true })).toBe(anonymous))
  test("a request is refused where anonymous requests are off", () =>
    expect(() => authenticate([tokens], {}, { anonymous: false })).toThrow(ApiError))
})

test("the first authenticator that returns a user decides", () => {
  const first = () => alice
  expect(authenticate([() => undefined, first, () => bob], {}, { anonymous: false }).name).toBe("alice")
})

describe("a token file", () => {
  test("has a token, a user, a uid and groups in each line", () => {
    const text = '# comment\n\nt1,alice,1,"a,b"\nt2,"b ""quoted""",2\n t3 , carol , 3 , c \n'
    expect(parseTokenFile(text, "tokens.csv").map(({ token, user }) => [token, user.name, user.uid, user.groups])).toEqual([
      ["t1", "alice", "1", ["a", "b"]],
      ["t2", 'b "quoted"', "2", []],
      ["t3", "carol", "3", ["c"]],
    ])
  })

  test.each(["only-a-token", ",alice,1", '"",alice'])("with the line %j is refused, with the number of the line", (line) => {
    expect(() => parseTokenFile(`t1,alice,1\n${line}`, "tokens.csv")).toThrow(/^tokens\.csv:2: expected token,user,uid/)
  })
})
