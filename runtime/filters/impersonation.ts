import { UnhandledError } from "../base/errors.ts"
import { Turns } from "../base/turns.ts"
import { keyWork } from "../base/work.ts"
import { type Authorizer, decide, forbiddenFor } from "../authz/authorize.ts"
import { type HeaderFields, type Impersonation, ImpersonationError, impersonationOf } from "../authz/impersonation.ts"
import type { Step } from "../http/env.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { Incoming } from "../http/exchange.ts"
import { sentValues } from "../http/sent-values.ts"

const prefix = "impersonate-"

/**
 * Replaces the request's user by the one in its `Impersonate-` headers. Throws 403 unless the requester may act as this
 * user, with each of the groups and values; and 500 for headers without a user, as the reference does.
 */
export function impersonation({ authorizers }: { readonly authorizers: readonly Authorizer[] }): Step {
  return function impersonation(request) {
    return hasHeaders(request.incoming) ? actAs(request, authorizers) : undefined
  }
}

async function actAs(request: RequestContext, authorizers: readonly Authorizer[]): Promise<undefined> {
  const { incoming } = request
  let wanted: Impersonation | undefined
  try {
    wanted = impersonationOf(fieldsOf(incoming))
  } catch (error) {
    if (error instanceof ImpersonationError) throw new UnhandledError(error.message)
    throw error
  }
  if (wanted === undefined) return undefined
  const { user } = request
  const turns = new Turns()
  for (const info of wanted.asked) {
    if (turns.isOver(keyWork)) await turns.next()
    const { opinion, reason, error } = await decide(authorizers, { user, info, signal: request.signal })
    if (opinion !== "allow" || error !== undefined) throw forbiddenFor({ user, info }, reason)
  }
  request.user = wanted.user
  removeHeaders(incoming)
  return undefined
}

/** Checks the names alone, since most requests have no such headers. */
function hasHeaders({ headers }: Incoming): boolean {
  for (const name in headers) if (name.charCodeAt(0) === 105 && name.startsWith(prefix)) return true
  return false
}

/** Each value as it was sent: `headers` joins the values of one name. */
function* fieldsOf(incoming: Incoming): HeaderFields & Generator<readonly [string, string]> {
  for (const name of namesIn(incoming)) for (const value of sentValues(incoming, name)) yield [name, value]
}

function namesIn({ headers }: Incoming): string[] {
  return Object.keys(headers).filter((name) => name.startsWith(prefix))
}

/** Removes the headers, which no machine that gets the request may trust. */
function removeHeaders(incoming: Incoming): void {
  for (const name of namesIn(incoming)) delete incoming.headers[name]
}
