/** Measurements of authorization, counted by `runtime/observability/access-metrics.ts`. */
import type { Decision } from "../base/decision.ts"

/** Measures the authorization of requests. */
export interface AuthorizationMeter {
  /** The current time, for `end`. */
  begin(): number
  end(decision: Decision, began: number): void
}

export type WebhookResult = "success" | "error" | "timeout" | "canceled"

/** Measures the configured authorizers. */
export interface AuthorizerMeter {
  /** Called once per authorizer. The returned function is called with each of its decisions. */
  decisions(type: string, name: string): (decision: Decision) => void
  /** Called once per web hook. */
  webhook(name: string): WebhookMeter
}

/** Measures one web hook. */
export interface WebhookMeter {
  /** Called after each call. */
  called(result: WebhookResult, seconds: number): void
  /** The hook could not be called, and the request goes on without it. */
  failedOpen(result: WebhookResult): void
  /** The match conditions of one request were evaluated. `excluded`: one of them was false. */
  matched(seconds: number, outcome: { readonly excluded: boolean; readonly failed: boolean }): void
}
