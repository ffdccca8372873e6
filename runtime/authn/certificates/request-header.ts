/** Users that a proxy names in header fields: `--requestheader-*`. Specification section 5. */
import { AuthenticationError, type Authenticator } from "../authenticate.ts"
import { sentValues } from "../../http/sent-values.ts"
import type { Incoming } from "../../http/exchange.ts"
import type { RequestHeaderNames } from "../../base/client-trust.ts"
import type { CertificateVerifier } from "./client-certificates.ts"

/**
 * Takes the user from header fields of a client whose certificate is verified. Throws for any other certificate, which
 * another authenticator may know.
 */
export function requestHeader(verify: CertificateVerifier, names: RequestHeaderNames): Authenticator {
  const own = lowered(names)
  const allowed = new Set(names.allowedNames)
  return (credentials) => {
    const certificate = verify(credentials)
    const { incoming } = credentials
    if (certificate === undefined || incoming === undefined) return undefined
    if (allowed.size > 0 && !allowed.has(certificate.commonName))
      throw new AuthenticationError(`x509: subject with cn=${certificate.commonName} is not allowed`)
    const name = own.usernameHeaders.map((header) => sentValues(incoming, header)[0] ?? "").find((value) => value !== "")
    if (name === undefined) return undefined
    const groups = own.groupHeaders.flatMap((header) => sentValues(incoming, header)).filter((group) => group !== "")
    return { user: { name, groups, extra: extraOf(incoming, own.extraPrefixes) } }
  }
}

function lowered(names: RequestHeaderNames): RequestHeaderNames {
  const lower = (each: readonly string[]): readonly string[] => each.map((name) => name.toLowerCase())
  return {
    allowedNames: names.allowedNames,
    usernameHeaders: lower(names.usernameHeaders),
    groupHeaders: lower(names.groupHeaders),
    extraPrefixes: lower(names.extraPrefixes),
  }
}

function extraOf(incoming: Incoming, prefixes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, string[]>()
  for (const prefix of prefixes) {
    for (const header of Object.keys(incoming.headers)) {
      if (!header.startsWith(prefix)) continue
      const key = decoded(header.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...sentValues(incoming, header)])
    }
  }
  return Object.fromEntries(extra)
}

/** Keys may contain characters that header names may not, percent-encoded. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/**
 * Removes the fields that name a user from any client's request. Called once the user is known: servers that the
 * request is passed on to would trust them.
 */
export function headerRemover(names: RequestHeaderNames): (headers: Record<string, unknown>) => void {
  const { extraPrefixes, groupHeaders, usernameHeaders } = lowered(names)
  const exact = [...usernameHeaders, ...groupHeaders]
  return (headers) => {
    for (const name of exact) delete headers[name]
    if (extraPrefixes.length === 0) return
    for (const name in headers) if (extraPrefixes.some((prefix) => name.startsWith(prefix))) delete headers[name]
  }
}
