/** `/healthz`, `/livez`, `/readyz` and their individual checks; specification section 4.12. */
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { healthRememberedMs } from "../base/limits.ts"

/**
 * Resolves with undefined when healthy, otherwise with the reason. The reason is logged and shown to clients with a
 * credential.
 */
export interface HealthCheck {
  readonly name: string
  readonly check: () => Promise<string | undefined>
}

export interface HealthResponse {
  readonly status: number
  readonly text: string
}

export type HealthEndpoint = "healthz" | "livez" | "readyz"

/** The checks of each endpoint, in the order shown. Readiness also has `shutdown`. */
export type HealthChecks = Readonly<Record<HealthEndpoint, readonly HealthCheck[]>>

export interface HealthRequest {
  readonly path: string
  readonly query: URLSearchParams
  /**
   * Whether to show reasons, which name servers, files and objects. Others see that the reason is withheld, as in the
   * reference.
   */
  readonly showsReasons: boolean
  /** Called with the result of each check. */
  readonly results: { observe(endpoint: HealthEndpoint, name: string, isHealthy: boolean): void }
  /** A problem that does not make the server unready, shown by `/readyz?verbose`. */
  readonly warning: () => string | undefined
}

/**
 * Called for every path that may be a health check. Undefined when it is none or has an unknown name. Otherwise 200, or
 * 500 naming the failed checks.
 */
export async function answerHealth(
  checks: HealthChecks,
  { path, query, results, showsReasons, warning }: HealthRequest,
): Promise<HealthResponse | undefined> {
  const [, endpoint = "", name] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? []
  if (!isEndpoint(endpoint)) return undefined
  const shown = (reason: string): string => (showsReasons ? reason : "reason withheld")
  const observed = checks[endpoint].map(
    ({ name, check }): HealthCheck => ({
      name,
      async check() {
        const fault = await check()
        results.observe(endpoint, name, fault === undefined)
        return fault
      },
    }),
  )
  if (name !== undefined) return single(observed, name, shown)
  const verbose = query.has("verbose")
  const warned = endpoint === "readyz" && verbose && showsReasons ? warning() : undefined
  return all({ checks: observed, endpoint, excluded: new Set(query.getAll("exclude")), verbose, warning: warned, shown })
}

function isEndpoint(text: string): text is HealthEndpoint {
  return text === "healthz" || text === "livez" || text === "readyz"
}

type ReasonFormatter = (reason: string) => string

async function single(checks: readonly HealthCheck[], name: string, shown: ReasonFormatter): Promise<HealthResponse | undefined> {
  const found = checks.find((check) => check.name === name)
  if (found === undefined) return undefined
  const fault = await found.check()
  return fault === undefined ? { status: 200, text: "ok" } : { status: 500, text: `internal server error: ${shown(fault)}\n` }
}

async function all(options: {
  checks: readonly HealthCheck[]
  endpoint: HealthEndpoint
  excluded: ReadonlySet<string>
  verbose: boolean
  warning: string | undefined
  shown: ReasonFormatter
}): Promise<HealthResponse> {
  const { checks, endpoint, excluded, verbose, warning, shown } = options
  const lines: string[] = []
  let failed = false
  // Bounded: by the server's checks.
  for (const { name, check } of checks) {
    if (excluded.has(name)) {
      lines.push(`[+]${name} excluded: ok`)
      continue
    }
    const fault = await check()
    failed ||= fault !== undefined
    lines.push(fault === undefined ? `[+]${name} ok` : `[-]${name} failed: ${shown(fault)}`)
  }
  const known = new Set(checks.map((check) => check.name))
  const unknown = [...excluded].filter((name) => !known.has(name))
  if (unknown.length > 0)
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(", ")}`)
  if (warning !== undefined) lines.push(`warn: ${warning}`)
  if (failed) return { status: 500, text: `${lines.join("\n")}\n${endpoint} check failed\n` }
  return { status: 200, text: verbose ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok" }
}

/** Returns what `checks` find first, as `name: reason`; undefined when all pass. Called until a server is ready. */
export async function firstFault(checks: readonly HealthCheck[]): Promise<string | undefined> {
  // Bounded: by the server's checks.
  for (const { name, check } of checks) {
    const fault = await check()
    if (fault !== undefined) return `${name}: ${fault}`
  }
  return undefined
}

/**
 * Caches the result of a check briefly and runs it once at a time: probes need no credential and must not put load on
 * the store.
 */
export function cachedCheck({ name, check }: HealthCheck, clock: Clock): HealthCheck {
  let latest: { readonly answer: Promise<string | undefined>; readonly sinceMs: number } | undefined
  let asking: Promise<string | undefined> | undefined
  return {
    name,
    check() {
      if (asking !== undefined) return asking
      if (latest !== undefined && clock.elapsedMs() - latest.sinceMs < healthRememberedMs) return latest.answer
      const answer = check()
      asking = answer
      const answered = (): void => {
        asking = undefined
        latest = { answer, sinceMs: clock.elapsedMs() }
      }
      answer.then(answered, answered)
      return answer
    },
  }
}

/**
 * Logs the result of a check whenever it changes. Logs nothing before its first success: `whenReady` reports a start
 * that is not done yet.
 */
export function loggedCheck({ name, check }: HealthCheck, log: Pick<Logger, "warn" | "info">): HealthCheck {
  let before: string | undefined
  let hasPassed = false
  return {
    name,
    async check() {
      const fault = await check()
      hasPassed ||= fault === undefined
      if (!hasPassed) return fault
      if (fault !== before) {
        if (fault === undefined) log.info({ check: name }, "a health check passes again")
        else log.warn({ check: name, reason: fault }, "a health check fails")
      }
      before = fault
      return fault
    },
  }
}
