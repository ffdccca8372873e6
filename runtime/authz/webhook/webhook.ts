/**
 * The mode Webhook: another server decides, by a SubjectAccessReview (catalog operations.yaml: authorization, webhook).
 * Its answers are cached for a while. When it cannot be reached, the failure policy decides, and the decision has an
 * error.
 */
import type { Clock } from "../../base/clock.ts"
import type { Decision } from "../../base/decision.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { AccessExpression } from "../../policies/access-expressions.ts"
import { type AuthorizedRequest, type Authorizer, namespaceOf, noOpinion } from "../authorize.ts"
import type { WebhookMeter, WebhookResult } from "../meters.ts"
import type { FailurePolicy } from "../validate-configuration.ts"
import { DecisionCache } from "./decision-cache.ts"
import { type Match, matches } from "./match-conditions.ts"

/** Cached decisions per web hook; the reference's number. */
export const webhookDecisionsMax = 8192

/** Characters of the fields that a client chooses, from which on a decision is not cached; the reference's number. */
export const webhookKeptCharactersMax = 10_000

/** Attempts of a call that fails for a transient reason, and the wait after the first; the reference's numbers. */
export const webhookAttempts = 5
const firstWaitMs = 500
const waitFactor = 1.5

/** Rejects with an error whose message is reported. */
export interface WebhookCall {
  post(review: string, signal: AbortSignal | undefined): Promise<JsonValue>
  /** Whether a later call may succeed. */
  isTransient(error: unknown): boolean
  /** Whether the hook did not answer in time. */
  isTimeout(error: unknown): boolean
}

export interface WebhookOptions {
  readonly call: WebhookCall
  readonly version: "v1" | "v1beta1"
  readonly authorizedMs: number
  readonly unauthorizedMs: number
  /** Applies when the hook cannot be called or a condition cannot be evaluated. */
  readonly failurePolicy: FailurePolicy
  /** Only requests for which all are true are sent to the hook. */
  readonly matchConditions: readonly AccessExpression[]
  readonly vendor: Vendor
  readonly clock: Clock
  readonly meter: WebhookMeter
}

/** Called once at start, and when the configuration has changed. */
export function webhookAuthorizer(options: WebhookOptions): Authorizer {
  const cache = new DecisionCache(options.clock, webhookDecisionsMax)
  const ask = (request: AuthorizedRequest): Decision | Promise<Decision> => {
    const spec = JSON.stringify(specOf(request, options))
    const known = cache.get(spec)
    if (known !== undefined) return known
    const keep = isKept(request) ? (decision: Decision, ms: number): void => cache.put(spec, decision, ms) : undefined
    return asked(options, spec, request.signal, keep)
  }
  const authorize = options.matchConditions.length === 0 ? ask : ifMatched(options, ask)
  return Object.assign(authorize, { rulesFor: () => unknownRules })
}

type Ask = (request: AuthorizedRequest) => Decision | Promise<Decision>

/** Asks about requests that match. If a condition cannot be evaluated, the failure policy applies. */
function ifMatched(options: WebhookOptions, ask: Ask): Ask {
  const { clock, matchConditions, meter, vendor } = options
  const settle = (match: Match, request: AuthorizedRequest, began: number): Decision | Promise<Decision> => {
    const failed = typeof match === "object"
    meter.matched((clock.elapsedMs() - began) / 1000, { excluded: match === false, failed })
    if (failed) return failure(options, match.error)
    return match ? ask(request) : noOpinion
  }
  return (request) => {
    const began = clock.elapsedMs()
    const match = matches(matchConditions, request, vendor)
    return match instanceof Promise ? match.then((found) => settle(found, request, began)) : settle(match, request, began)
  }
}

function failure({ failurePolicy }: WebhookOptions, error: string): Decision {
  return { opinion: failurePolicy === "Deny" ? "deny" : "no-opinion", reason: "", error }
}

const unknownRules = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  error: "webhook authorizer does not support user rule resolution",
}

/** Never rejects. */
async function asked(
  options: WebhookOptions,
  spec: string,
  signal: AbortSignal | undefined,
  keep: ((decision: Decision, ms: number) => void) | undefined,
): Promise<Decision> {
  const { vendor, version, authorizedMs, unauthorizedMs } = options
  const apiVersion = vendor.apiVersion(`authorization.orch.io/${version}`)
  const head = { kind: "SubjectAccessReview", apiVersion, metadata: { creationTimestamp: null } }
  const review = `${JSON.stringify(head).slice(0, -1)},"spec":${spec},"status":{"allowed":false}}`
  try {
    const status = await posted(options, { review, apiVersion, signal })
    const decision = decisionOf(status)
    keep?.(decision, status.allowed ? authorizedMs : unauthorizedMs)
    return decision
  } catch (error) {
    if (options.failurePolicy === "NoOpinion" && signal?.aborted !== true) options.meter.failedOpen(resultOf(options, error, signal))
    return failure(options, error instanceof Error ? error.message : String(error))
  }
}

async function posted(
  options: WebhookOptions,
  { review, apiVersion, signal }: { readonly review: string; readonly apiVersion: string; readonly signal: AbortSignal | undefined },
): Promise<ReviewStatus> {
  const { call, clock, meter } = options
  for (let attempt = 1, waitMs = firstWaitMs; ; attempt++, waitMs *= waitFactor) {
    const began = clock.elapsedMs()
    const called = (result: WebhookResult): void => meter.called(result, (clock.elapsedMs() - began) / 1000)
    try {
      const status = statusOf(await call.post(review, signal), apiVersion)
      called("success")
      return status
    } catch (error) {
      called(resultOf(options, error, signal))
      if (attempt === webhookAttempts || !call.isTransient(error)) throw error
    }
    await new Promise<void>((resolve) => clock.after(waitMs, resolve))
    signal?.throwIfAborted()
  }
}

function resultOf({ call }: WebhookOptions, error: unknown, signal: AbortSignal | undefined): WebhookResult {
  if (signal?.aborted === true) return "canceled"
  return call.isTimeout(error) ? "timeout" : "error"
}

interface ReviewStatus {
  readonly allowed: boolean
  readonly denied: boolean
  readonly reason: string
}

function statusOf(answer: JsonValue, apiVersion: string): ReviewStatus {
  if (!isObject(answer) || answer["kind"] !== "SubjectAccessReview" || answer["apiVersion"] !== apiVersion)
    throw new Error(`the authorization web hook did not answer with a SubjectAccessReview of ${apiVersion}`)
  const status = isObject(answer["status"]) ? answer["status"] : {}
  return { allowed: status["allowed"] === true, denied: status["denied"] === true, reason: textOf(status, "reason") }
}

function textOf(status: JsonObject, name: string): string {
  const value = status[name]
  return typeof value === "string" ? value : ""
}

function decisionOf({ allowed, denied, reason }: ReviewStatus): Decision {
  if (denied && allowed) return { opinion: "deny", reason, error: "webhook subject access review returned both allow and deny response" }
  return { opinion: denied ? "deny" : allowed ? "allow" : "no-opinion", reason }
}

/** The fields that have a value, in the reference's names. */
function specOf({ user, info }: AuthorizedRequest, { version, vendor }: WebhookOptions): object {
  const { verb, path, subresource, name } = info
  const attributes = info.isResource
    ? {
        resourceAttributes: present({
          namespace: namespaceOf(info),
          verb,
          group: vendor.group(info.group),
          version: info.version,
          resource: info.resource,
          subresource,
          name,
        }),
      }
    : { nonResourceAttributes: present({ path, verb }) }
  const groups = user.groups.length === 0 ? {} : { [version === "v1" ? "groups" : "group"]: user.groups }
  const extra = Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }
  return { ...attributes, ...present({ user: user.name }), ...groups, ...extra, ...present({ uid: user.uid ?? "" }) }
}

function present(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))
}

function isKept({ info }: AuthorizedRequest): boolean {
  const { namespace, verb, group, version, resource, subresource, name, path } = info
  const parts = [namespace, verb, group, version, resource, subresource, name, path]
  return parts.reduce((sum, part) => sum + part.length, 0) < webhookKeptCharactersMax
}
