/** What authentication measures; `runtime/observability/access-metrics.ts` counts it. */

export type AuthenticationResult = "success" | "failure" | "error"

/** Of requests. */
export interface AuthenticationMeter {
  /** The moment, for `end`. */
  begin(): number
  /** `failure`: there was no credential, and anonymous requests are off. `error`: the credentials were refused. */
  end(result: AuthenticationResult, began: number): void
  /** Called for each request that came in. */
  user(name: string): void
}

/** Of answers about tokens that are kept for a while. */
export interface TokenCacheMeter {
  /** `isHit`: the answer was there already. `began`: a moment of the server's clock. */
  end(isHit: boolean, began: number): void
  /** Called when a token is looked up; the returned function when that has ended. */
  fetching(): (result: "ok" | "error") => void
  /** Called when a request waits for the look-up of another one; the returned function when it no longer does. */
  blocked(): () => void
}
