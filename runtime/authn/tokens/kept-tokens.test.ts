import { expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { systemRandom } from "../../base/random.ts"
import { AccessMetrics } from "../../observability/access-metrics.ts"
import { AuthenticationError, type Identity } from "../authenticate.ts"
import { tokenCharactersMax } from "../limits.ts"
import { keptTokens } from "./kept-tokens.ts"

const identity: Identity = { user: { name: "a", groups: [], extra: {} } }
const credentials = (token: string | undefined, audiences: readonly string[] = []) => ({ headers: {}, token, audiences })

/** An authenticator that counts what it looks up. */
function counted(answer: (token: string) => Promise<Identity | undefined>) {
  const clock = createManualClock()
  const asked: string[] = []
  const authenticate = keptTokens({
    async lookUp(token) {
      asked.push(token)
      return answer(token)
    },
    keptMs: { success: 10_000, failure: 0 },
    clock,
    random: systemRandom,
    meter: new AccessMetrics(clock).tokenCache,
  })
  return { authenticate, asked, clock }
}

test("a valid token is verified again after ten seconds", async () => {
  const { authenticate, asked, clock } = counted(async () => identity)
  const ask = async (audiences: readonly string[] = []): Promise<Identity | undefined> => authenticate(credentials("t", audiences))
  expect(await Promise.all([ask(), ask(), ask(["other"])])).toEqual([identity, identity, identity])
  expect(asked).toHaveLength(2)
  clock.advance(9_999)
  expect(await ask()).toBe(identity)
  expect(asked).toHaveLength(2)
  clock.advance(1)
  expect(await ask()).toBe(identity)
  expect(asked).toHaveLength(3)
})

test("a refusal is not kept", async () => {
  const answers = [
    async () => undefined,
    async () => {
      throw new AuthenticationError("no")
    },
    async () => identity,
  ]
  const { authenticate } = counted(async () => answers.shift()?.())
  expect(await authenticate(credentials("t"))).toBeUndefined()
  await expect(authenticate(credentials("t"))).rejects.toThrow("no")
  expect(await authenticate(credentials("t"))).toBe(identity)
})

test("what is no token, or too long for one, is not looked at", async () => {
  const { authenticate, asked } = counted(async () => identity)
  expect(authenticate(credentials(undefined))).toBeUndefined()
  expect(() => authenticate(credentials("t".repeat(tokenCharactersMax + 1)))).toThrow(AuthenticationError)
  expect(asked).toEqual([])
})

test("thousands of tokens are kept, no more", async () => {
  const { authenticate, asked } = counted(async () => identity)
  for (let index = 0; index <= 8192; index++) await authenticate(credentials(String(index)))
  asked.length = 0
  await authenticate(credentials("8192"))
  await authenticate(credentials("0"))
  expect(asked).toEqual(["0"])
})
