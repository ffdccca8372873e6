/** What authorization measures; `runtime/observability/access-metrics.ts` counts it. */
import type { Decision } from "../base/decision.ts"

/** Of requests. */
export interface AuthorizationMeter {
  /** The moment, for `end`. */
  begin(): number
  end(decision: Decision, began: number): void
}

export type WebhookResult = "success" | "error" | "timeout" | "canceled"

/** Of the authorizers of a configuration. */
export interface AuthorizerMeter {
  /** Called once per authorizer. The returned function is called with each of its decisions. */
  decisions(type: string, name: string): (decision: Decision) => void
  /** Called once per web hook. */
  webhook(name: string): WebhookMeter
}

/** Of one web hook. */
export interface WebhookMeter {
  /** Called after each call. */
  called(result: WebhookResult, seconds: number): void
  /** The hook could not be asked, and the request goes on without it. */
  failedOpen(result: WebhookResult): void
  /** The match conditions of one request were evaluated. `excluded`: one of them was false. */
  matched(seconds: number, outcome: { readonly excluded: boolean; readonly failed: boolean }): void
}
