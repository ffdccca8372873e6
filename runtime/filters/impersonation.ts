import { type Authorizer, decide, forbiddenFor } from "../authz/authorize.ts"
import { type HeaderFields, type Impersonation, ImpersonationError, impersonationOf } from "../authz/impersonation.ts"
import type { ServerEnv, Step } from "../http/env.ts"
import type { Incoming } from "../http/exchange.ts"
import { answerInternalError } from "./internal-error.ts"

/**
 * Makes the request that of the user whom its `Impersonate-` headers name. Throws 403 unless the requester may act as
 * this user, with each of the groups and values; answers 500 to headers without a user, as the reference does.
 */
export function impersonation({ authorizers }: { readonly authorizers: readonly Authorizer[] }): Step {
  return function impersonation(env) {
    const { incoming } = env
    if (!hasHeaders(incoming)) return undefined
    return actAs(env, authorizers)
  }
}

async function actAs({ request, incoming }: ServerEnv["Bindings"], authorizers: readonly Authorizer[]): Promise<Response | undefined> {
  let wanted: Impersonation | undefined
  try {
    wanted = impersonationOf(fieldsOf(incoming))
  } catch (error) {
    if (error instanceof ImpersonationError) return answerInternalError(request, error.message)
    throw error
  }
  if (wanted === undefined) return undefined
  const { user } = request
  for (const info of wanted.asked) {
    const { opinion, reason, error } = await decide(authorizers, { user, info, signal: request.signal })
    if (opinion !== "allow" || error !== undefined) throw forbiddenFor({ user, info }, reason)
  }
  request.user = wanted.user
  return undefined
}

/** Most requests have none: looks at the names alone. */
function hasHeaders({ headers }: Incoming): boolean {
  for (const name in headers) if (name.charCodeAt(0) === 105 && name.startsWith("impersonate-")) return true
  return false
}

/** HTTP/2 has joined the values of fields with one name: none may contain a comma and a space there. */
function* fieldsOf({ rawHeaders, headers }: Incoming): HeaderFields & Generator<readonly [string, string]> {
  if (rawHeaders !== undefined) {
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) yield [rawHeaders[at] ?? "", rawHeaders[at + 1] ?? ""]
    return
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith("impersonate-")) continue
    const values = Array.isArray(value) ? value : (value ?? "").split(", ")
    for (const one of values) yield [name, one]
  }
}
