/** Asks a web hook for the user of a token: `--authentication-token-webhook-config-file`. Specification section 5. */
import { loggedText } from "../../base/confidential.ts"
import type { Clock } from "../../base/clock.ts"
import { isObject, type JsonValue } from "../../base/json.ts"
import type { Random } from "../../base/random.ts"
import type { User } from "../../base/user.ts"
import { AuthenticationError, type Identity } from "../authenticate.ts"
import { hookAttemptsMax, hookRetryFactor, hookRetryJitter, hookRetryMs, identityCharactersMax, tokenLookUpMs } from "../limits.ts"
import type { TokenLookUp } from "./kept-tokens.ts"

export interface TokenWebhookOptions {
  /** Sends a review and resolves with the answer. Rejects with an Error; `isTransient` asks for another attempt. */
  readonly post: (review: string, timeoutMs: number) => Promise<JsonValue>
  /** `authentication.k8s.io/v1` */
  readonly apiVersion: string
  /** `--api-audiences` */
  readonly audiences: readonly string[]
  readonly clock: Clock
  readonly random: Random
  /** Called with the last fault when all attempts have failed. */
  readonly onFault: (message: string) => void
}

/** Called once per server. */
export function tokenWebhook(options: TokenWebhookOptions): TokenLookUp {
  const { apiVersion, audiences: ofServer, onFault } = options
  return async (token, asked) => {
    const spec = { token, ...(asked.length > 0 && { audiences: asked }) }
    const review = JSON.stringify({ apiVersion, kind: "TokenReview", metadata: { creationTimestamp: null }, spec, status: { user: {} } })
    try {
      return identityOf(await answered(review, options), { apiVersion, asked, ofServer })
    } catch (error) {
      if (error instanceof AuthenticationError) throw error
      onFault(loggedText(error))
      throw new AuthenticationError(error instanceof Error ? error.message : String(error), loggedText(error))
    }
  }
}

async function answered(review: string, { post, clock, random }: TokenWebhookOptions): Promise<JsonValue> {
  const untilMs = clock.elapsedMs() + tokenLookUpMs
  let delayMs = hookRetryMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await post(review, Math.round(untilMs - clock.elapsedMs()))
    } catch (error) {
      const mayRetry = error instanceof Error && "isTransient" in error && error.isTransient === true
      if (!mayRetry || attempt >= hookAttemptsMax || clock.elapsedMs() + 2 * delayMs > untilMs) throw error
      const jitterMs = random.integer(Math.ceil(delayMs * hookRetryJitter))
      await new Promise<void>((resolve) => void clock.after(delayMs + jitterMs, resolve))
      delayMs *= hookRetryFactor
    }
  }
}

interface Asked {
  readonly apiVersion: string
  readonly asked: readonly string[]
  readonly ofServer: readonly string[]
}

/** Accepts only a well-formed answer. Throws an Error for anything else. */
function identityOf(answer: JsonValue, { apiVersion, asked, ofServer }: Asked): Identity | undefined {
  if (!isObject(answer) || answer["kind"] !== "TokenReview" || answer["apiVersion"] !== apiVersion)
    throw new Error(`the web hook of tokens did not answer with a TokenReview of ${apiVersion}`)
  const { status } = answer
  if (!isObject(status)) throw new Error("the web hook of tokens answered without a status")
  const known = textsOf(status["audiences"], "status.audiences")
  const audiences = asked.filter((each) => (known.length > 0 ? known : ofServer).includes(each))
  if (asked.length > 0 && audiences.length === 0) return undefined
  if (status["authenticated"] !== true) {
    const error = textOf(status["error"], "status.error")
    // The hook may repeat the token in its error.
    if (error !== "") throw new AuthenticationError(error, "the web hook of tokens refuses the token; a TokenReview of it says why")
    return undefined
  }
  return { user: userOf(status["user"]), ...(asked.length > 0 && { audiences }) }
}

function userOf(user: JsonValue | undefined): User {
  if (!isObject(user)) throw new Error("the web hook of tokens answered without a user")
  const name = textOf(user["username"], "status.user.username")
  if (name === "") throw new Error("the web hook of tokens answered with a user without a name")
  const uid = textOf(user["uid"], "status.user.uid")
  const groups = textsOf(user["groups"], "status.user.groups")
  const extra = extraOf(user["extra"])
  const characters = [name, uid, ...groups, ...Object.keys(extra), ...Object.values(extra).flat()]
  if (characters.reduce((sum, each) => sum + each.length, 0) > identityCharactersMax)
    throw new Error(`the web hook of tokens answered with a user of more than ${identityCharactersMax} characters`)
  return { name, ...(uid !== "" && { uid }), groups, extra }
}

function extraOf(value: JsonValue | undefined): Readonly<Record<string, readonly string[]>> {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw new Error("the web hook of tokens answered with status.user.extra that is no map")
  return Object.fromEntries(Object.entries(value).map(([key, values]) => [key, textsOf(values, "status.user.extra")]))
}

function textOf(value: JsonValue | undefined, field: string): string {
  if (value === undefined || value === null) return ""
  if (typeof value !== "string") throw new Error(`the web hook of tokens answered with ${field} that is no text`)
  return value
}

function textsOf(value: JsonValue | undefined, field: string): readonly string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new Error(`the web hook of tokens answered with ${field} that is no list`)
  return value.map((each) => textOf(each, field))
}
