/** `/healthz`, `/livez`, `/readyz` and their single checks; specification section 4.12. */

/** Undefined: fine. Text: what is wrong; shown to whoever may read health. */
export interface HealthCheck {
  readonly name: string
  readonly check: () => Promise<string | undefined>
}

export interface HealthAnswer {
  readonly status: number
  readonly text: string
}

export type HealthEndpoint = "healthz" | "livez" | "readyz"

/** Each endpoint with its checks in the order shown. `main` fills it; readiness has `shutdown` besides. */
export type HealthChecks = Readonly<Record<HealthEndpoint, readonly HealthCheck[]>>

/** Called for every path that might be one of health's. Undefined: it is not, or there is no check of that name. 200, or 500 naming what failed. */
export async function answerHealth(checks: HealthChecks, path: string, query: URLSearchParams): Promise<HealthAnswer | undefined> {
  const [, endpoint = "", name] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? []
  if (!isEndpoint(endpoint)) return undefined
  if (name !== undefined) return single(checks[endpoint], name)
  return all({ checks: checks[endpoint], endpoint, excluded: new Set(query.getAll("exclude")), verbose: query.has("verbose") })
}

function isEndpoint(text: string): text is HealthEndpoint {
  return text === "healthz" || text === "livez" || text === "readyz"
}

async function single(checks: readonly HealthCheck[], name: string): Promise<HealthAnswer | undefined> {
  const found = checks.find((check) => check.name === name)
  if (found === undefined) return undefined
  const fault = await found.check()
  return fault === undefined ? { status: 200, text: "ok" } : { status: 500, text: `internal server error: ${fault}\n` }
}

async function all(options: {
  checks: readonly HealthCheck[]
  endpoint: HealthEndpoint
  excluded: ReadonlySet<string>
  verbose: boolean
}): Promise<HealthAnswer> {
  const { checks, endpoint, excluded, verbose } = options
  const lines: string[] = []
  let failed = false
  for (const { name, check } of checks) {
    if (excluded.has(name)) {
      lines.push(`[+]${name} excluded: ok`)
      continue
    }
    const fault = await check()
    failed ||= fault !== undefined
    lines.push(fault === undefined ? `[+]${name} ok` : `[-]${name} failed: ${fault}`)
  }
  const known = new Set(checks.map((check) => check.name))
  const unknown = [...excluded].filter((name) => !known.has(name))
  if (unknown.length > 0)
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(", ")}`)
  if (failed) return { status: 500, text: `${lines.join("\n")}\n${endpoint} check failed\n` }
  return { status: 200, text: verbose ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok" }
}
