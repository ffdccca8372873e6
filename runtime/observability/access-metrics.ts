/**
 * Measures authentication and authorization, for `/metrics`. Names, labels and buckets are as in kube-apiserver 1.30
 * (catalog operations.yaml: metrics). Counters of a request are looked up once, here or by its caller.
 */
import { createHash } from "node:crypto"
import type { Clock } from "../base/clock.ts"
import type { Decision } from "../base/decision.ts"
import { Counter, type Counted } from "./counter.ts"
import { Histogram, type HistogramSeries } from "./histogram.ts"
import type { Metric } from "./metric.ts"

/** Labels that are kept: authorizers and issuers come and go with their configuration. */
const seriesMax = 1000

const doubling = Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index)
/** Buckets of Prometheus, where a metric names none. */
const usual = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const short = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]

/** A result that requests have: how many, and how long it took. */
class Timed {
  private readonly counted: Counted
  private readonly durations: HistogramSeries

  constructor(labels: string, counter: Counter, histogram: Histogram) {
    this.counted = counter.of(labels)
    this.durations = histogram.series(labels)
  }

  add(seconds: number): void {
    this.counted.count++
    this.durations.observe(seconds)
  }
}

/** Notes that the file of a configuration was read again, and whether it took effect. */
export interface ReloadMeter {
  reloaded(status: "success" | "failure"): void
}

/** Created once per server. */
export class AccessMetrics {
  private readonly attempts = new Counter(seriesMax)
  private readonly authenticationSeconds = new Histogram({ buckets: doubling, seriesMax })
  private readonly users = new Counter(seriesMax)
  private readonly cacheRequests = new Counter(seriesMax)
  private readonly cacheSeconds = new Histogram({ buckets: usual, seriesMax })
  private readonly fetches = new Counter(seriesMax)
  private readonly activeFetches = new Counter(seriesMax)
  private readonly jwtSeconds = new Histogram({ buckets: [0.001, ...usual], seriesMax })
  private readonly decided = new Counter(seriesMax)
  private readonly authorizationSeconds = new Histogram({ buckets: doubling, seriesMax })
  private readonly authorizerDecisions = new Counter(seriesMax)
  private readonly hookCalls = new Counter(seriesMax)
  private readonly hookSeconds = new Histogram({ buckets: usual, seriesMax })
  private readonly failedOpen = new Counter(seriesMax)
  private readonly matchErrors = new Counter(seriesMax)
  private readonly matchSeconds = new Histogram({ buckets: short, seriesMax })
  private readonly exclusions = new Counter(seriesMax)
  private readonly reloads: Readonly<Record<"authentication" | "authorization", Reloads>>
  readonly authentication: RequestAuthentication
  readonly accountTokens = new AccountTokenUses()
  readonly tokenCache: TokenCache
  readonly authorization: RequestAuthorization

  /** `serverId`: the server's name among the servers of a store. */
  constructor(clock: Clock, serverId = "") {
    this.authentication = new RequestAuthentication(clock, this.attempts, this.authenticationSeconds, this.users)
    this.tokenCache = new TokenCache(clock, {
      requests: this.cacheRequests,
      seconds: this.cacheSeconds,
      fetches: this.fetches,
      active: this.activeFetches,
    })
    this.authorization = new RequestAuthorization(clock, this.decided, this.authorizationSeconds)
    const labels = `apiserver_id_hash="${hashOf(serverId)}"`
    this.reloads = { authentication: new Reloads(clock, labels), authorization: new Reloads(clock, labels) }
  }

  /** The meter of the configuration whose file was read again. */
  reloadsOf(configuration: "authentication" | "authorization"): ReloadMeter {
    return this.reloads[configuration]
  }

  /** Counts a look-up of a token of an issuer. */
  jwt(issuer: string, result: "success" | "failure", seconds: number): void {
    this.jwtSeconds.observe(`result="${result}",jwt_issuer_hash="${hashOf(issuer)}"`, seconds)
  }

  /** Returns a function that counts the decisions of one authorizer of the configuration. */
  decisions(type: string, name: string): (decision: Decision) => void {
    const of = (decision: string): Counted => this.authorizerDecisions.of(`type="${type}",name="${name}",decision="${decision}"`)
    const allowed = of("allowed")
    const denied = of("denied")
    return ({ opinion }) => {
      if (opinion === "allow") allowed.count++
      else if (opinion === "deny") denied.count++
    }
  }

  /** The calls of one web hook that authorizes, and its match conditions. */
  webhook(name: string): {
    called(result: string, seconds: number): void
    failedOpen(result: string): void
    matched(seconds: number, outcome: { readonly excluded: boolean; readonly failed: boolean }): void
  } {
    const own = `name="${name}"`
    const typed = `type="Webhook",${own}`
    const { hookCalls, hookSeconds, failedOpen, matchErrors, matchSeconds, exclusions } = this
    return {
      called(result, seconds) {
        const labels = `${own},result="${result}"`
        hookCalls.of(labels).count++
        hookSeconds.observe(labels, seconds)
      },
      failedOpen: (result) => void failedOpen.of(`${own},result="${result}"`).count++,
      matched(seconds, { excluded, failed }) {
        matchSeconds.observe(typed, seconds)
        if (excluded) exclusions.of(typed).count++
        if (failed) matchErrors.of(typed).count++
      },
    }
  }

  /** Called per scrape. */
  metrics(): readonly Metric[] {
    return [...this.authenticationMetrics(), ...this.authorizationMetrics()]
  }

  private authenticationMetrics(): readonly Metric[] {
    return [
      ...this.reloads.authentication.metrics("authentication"),
      histogram(
        "apiserver_authentication_jwt_authenticator_latency_seconds",
        "Time that look-ups of ID tokens took, by issuer.",
        this.jwtSeconds,
      ),
      counter("authenticated_user_requests", "Requests that came in, by sort of user name.", this.users),
      counter("authentication_attempts", "Requests by the result of their authentication.", this.attempts),
      histogram("authentication_duration_seconds", "Time that authentication took, by its result.", this.authenticationSeconds),
      {
        ...counter(
          "authentication_token_cache_active_fetch_count",
          "Look-ups of tokens that run, and requests that wait for another's.",
          this.activeFetches,
        ),
        type: "gauge",
      },
      counter("authentication_token_cache_fetch_total", "Look-ups of tokens by their result.", this.fetches),
      histogram("authentication_token_cache_request_duration_seconds", "Time until the answer about a token was there.", this.cacheSeconds),
      counter("authentication_token_cache_request_total", "Questions about tokens, by whether the answer was kept.", this.cacheRequests),
      ...this.accountTokens.metrics(),
    ]
  }

  private authorizationMetrics(): readonly Metric[] {
    const prefix = "apiserver_authorization"
    return [
      ...this.reloads.authorization.metrics("authorization"),
      counter(`${prefix}_decisions_total`, "Requests that an authorizer allowed or denied.", this.authorizerDecisions),
      counter(`${prefix}_match_condition_evaluation_errors_total`, "Requests for which a match condition failed.", this.matchErrors),
      histogram(`${prefix}_match_condition_evaluation_seconds`, "Time that match conditions took.", this.matchSeconds),
      counter(`${prefix}_match_condition_exclusions_total`, "Requests that match conditions kept from a web hook.", this.exclusions),
      histogram(`${prefix}_webhook_duration_seconds`, "Time that calls of authorization web hooks took.", this.hookSeconds),
      counter(`${prefix}_webhook_evaluations_fail_open_total`, "Requests that went on without a hook that failed.", this.failedOpen),
      counter(`${prefix}_webhook_evaluations_total`, "Calls of authorization web hooks by their result.", this.hookCalls),
      counter("authorization_attempts_total", "Requests by the result of their authorization.", this.decided),
      histogram("authorization_duration_seconds", "Time that authorization took, by its result.", this.authorizationSeconds),
    ]
  }
}

/** Measures the authentication of requests. */
class RequestAuthentication {
  private readonly results: Readonly<Record<"success" | "failure" | "error", Timed>>
  /** Counts of user names, by the reference's categories. */
  private readonly other: Counted
  private readonly email: Counted
  /** Counts of the names that have a series of their own, once they have made a request. */
  private readonly known = new Map<string, Counted>()

  constructor(
    private readonly clock: Clock,
    counter: Counter,
    histogram: Histogram,
    private readonly users: Counter,
  ) {
    const of = (result: string): Timed => new Timed(`result="${result}"`, counter, histogram)
    this.results = { success: of("success"), failure: of("failure"), error: of("error") }
    this.other = users.of('username="other"')
    this.email = users.of('username="email_id"')
  }

  begin(): number {
    return this.clock.elapsedMs()
  }

  end(result: "success" | "failure" | "error", began: number): void {
    this.results[result].add((this.clock.elapsedMs() - began) / 1000)
  }

  user(name: string): void {
    const known = this.known.get(name)
    if (known !== undefined) known.count++
    else if (knownNames.has(name)) this.first(name).count++
    else if (name.includes("@")) this.email.count++
    else this.other.count++
  }

  private first(name: string): Counted {
    const counted = this.users.of(`username="${name}"`)
    this.known.set(name, counted)
    return counted
  }
}

const knownNames: ReadonlySet<string> = new Set(["admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"])

/** By the words of `authn/meters.ts`. */
const accountTokenMetrics = {
  invalidated: ["invalid_legacy_auto_token_uses_total", "Look-ups of tokens of Secrets that are marked as invalid."],
  autogenerated: ["legacy_auto_token_uses_total", "Look-ups of tokens of Secrets that the control plane has made."],
  manual: ["legacy_manual_token_uses_total", "Look-ups of tokens of Secrets that users have made."],
  legacy: ["legacy_tokens_total", "Look-ups of tokens without an end."],
  stale: ["stale_tokens_total", "Look-ups of tokens that their clients should have exchanged for new ones."],
  valid: ["valid_tokens_total", "Look-ups of tokens that their clients should exchange long before they end, and that are new enough."],
} as const satisfies Readonly<Record<string, readonly [name: string, help: string]>>
type AccountTokenUse = keyof typeof accountTokenMetrics

class AccountTokenUses {
  private readonly counts: Record<AccountTokenUse, number> = { autogenerated: 0, invalidated: 0, legacy: 0, manual: 0, stale: 0, valid: 0 }

  used(how: AccountTokenUse): void {
    this.counts[how]++
  }

  metrics(): readonly Metric[] {
    return Object.entries(accountTokenMetrics).map(([how, [name, help]]) => ({
      name: `serviceaccount_${name}`,
      type: "counter",
      help,
      samples: [["", this.counts[how as AccountTokenUse]]], // A key of the table.
    }))
  }
}

class TokenCache {
  private readonly hit: Timed
  private readonly miss: Timed
  private readonly ends: Readonly<Record<"ok" | "error", Counted>>
  private readonly running: Counted
  private readonly waiting: Counted

  constructor(
    private readonly clock: Clock,
    { requests, seconds, fetches, active }: { requests: Counter; seconds: Histogram; fetches: Counter; active: Counter },
  ) {
    this.hit = new Timed('status="hit"', requests, seconds)
    this.miss = new Timed('status="miss"', requests, seconds)
    this.ends = { ok: fetches.of('status="ok"'), error: fetches.of('status="error"') }
    this.running = active.of('status="in_flight"')
    this.waiting = active.of('status="blocked"')
  }

  end(isHit: boolean, began: number): void {
    const timed = isHit ? this.hit : this.miss
    timed.add((this.clock.elapsedMs() - began) / 1000)
  }

  fetching(): (result: "ok" | "error") => void {
    this.running.count++
    return (result) => {
      this.running.count--
      this.ends[result].count++
    }
  }

  blocked(): () => void {
    this.waiting.count++
    return () => {
      this.waiting.count--
    }
  }
}

/** Measures the authorization of requests. */
class RequestAuthorization {
  private readonly allowed: Timed
  private readonly denied: Timed
  private readonly silent: Timed
  private readonly failed: Timed

  constructor(
    private readonly clock: Clock,
    counter: Counter,
    histogram: Histogram,
  ) {
    const of = (result: string): Timed => new Timed(`result="${result}"`, counter, histogram)
    this.allowed = of("allowed")
    this.denied = of("denied")
    this.silent = of("no-opinion")
    this.failed = of("error")
  }

  begin(): number {
    return this.clock.elapsedMs()
  }

  end({ opinion, error }: Decision, began: number): void {
    const refused = error !== undefined ? this.failed : opinion === "deny" ? this.denied : this.silent
    const timed = opinion === "allow" ? this.allowed : refused
    timed.add((this.clock.elapsedMs() - began) / 1000)
  }
}

class Reloads {
  private readonly counts = new Counter(2)
  private readonly moments = new Map<string, number>()

  constructor(
    private readonly clock: Clock,
    private readonly labels: string,
  ) {}

  reloaded(status: "success" | "failure"): void {
    const labels = `status="${status}",${this.labels}`
    this.counts.of(labels).count++
    this.moments.set(labels, this.clock.nowMs() / 1000)
  }

  metrics(which: string): readonly Metric[] {
    const name = `apiserver_${which}_config_controller_automatic_reload`
    return [
      {
        name: `${name}_last_timestamp_seconds`,
        type: "gauge",
        help: `When the configuration of ${which} was last read again.`,
        samples: [...this.moments],
      },
      counter(`${name}s_total`, `How often the configuration of ${which} was read again.`, this.counts),
    ]
  }
}

function hashOf(text: string): string {
  return text === "" ? "" : `sha256:${createHash("sha256").update(text).digest("hex")}`
}

function counter(name: string, help: string, counts: Counter): Metric {
  return { name, type: "counter", help, samples: counts.samples() }
}

function histogram(name: string, help: string, durations: Histogram): Metric {
  return { name, type: "histogram", help, samples: durations.samples() }
}
