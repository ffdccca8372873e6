/**
 * Authentication: a list of authenticators, of which the first that recognises a request decides. Specification section
 * 5.
 */
import type { IncomingHttpHeaders } from "node:http"
import { createHash, timingSafeEqual } from "node:crypto"
import { unauthorized } from "../base/errors.ts"
import { memoize } from "../base/memoize.ts"
import type { User } from "../base/user.ts"

/**
 * Returns the user of a request, or undefined when it has no credential of this authenticator's sort. Throws 401 when
 * it has one that is wrong.
 */
export type Authenticator = (headers: IncomingHttpHeaders) => User | undefined

/** The user of requests without a credential. Compared by identity. */
export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"], extra: {} }

/**
 * Returns the user that the first deciding authenticator names, with the group `system:authenticated`. Without a
 * decision the request is anonymous. Throws 401 for a bearer token that no authenticator accepts, and for a request
 * without a decision while anonymous requests are off.
 */
export function authenticate(
  authenticators: readonly Authenticator[],
  headers: IncomingHttpHeaders,
  options: { anonymous: boolean },
): User {
  for (const authenticator of authenticators) {
    const user = authenticator(headers)
    if (user !== undefined) return authenticated(user)
  }
  if (bearerToken(headers) !== undefined || !options.anonymous) throw unauthorized()
  return anonymous
}

/** Authenticators return one record per user, so the record with the added group is made once. */
const authenticatedUsers = new WeakMap<User, User>()

function authenticated(user: User): User {
  let known = authenticatedUsers.get(user)
  if (known === undefined) {
    known = { ...user, groups: [...user.groups, "system:authenticated"] }
    authenticatedUsers.set(user, known)
  }
  return known
}

/** The token of an `Authorization: Bearer` header, RFC 6750; undefined without one. */
export function bearerToken(headers: IncomingHttpHeaders): string | undefined {
  return tokenOf(headers.authorization ?? "")
}

const tokenOf = memoize((authorization) => /^Bearer +(\S+)$/i.exec(authorization)?.[1])

/** One line of `--token-auth-file`. */
export interface StaticToken {
  readonly token: string
  readonly user: User
}

/** Accepts tokens of a file, or made at start. Compares SHA-256 hashes in constant time. */
export function staticTokens(tokens: readonly StaticToken[]): Authenticator {
  const hashed = tokens.map(({ token, user }) => ({ hash: sha256(token), user }))
  const seen = new Map<string, User>()
  return (headers) => {
    const token = bearerToken(headers)
    if (token === undefined) return undefined
    const known = seen.get(token)
    if (known !== undefined) return known
    const hash = sha256(token)
    const user = hashed.find((entry) => timingSafeEqual(entry.hash, hash))?.user
    if (user !== undefined) seen.set(token, user)
    return user
  }
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

/** Parses lines of `token,user,uid,"group1,group2"`, as kube-apiserver does. Throws an Error that names the line. */
export function parseTokenFile(text: string, fileName: string): StaticToken[] {
  const tokens: StaticToken[] = []
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue
    const fields =
      line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)?.map((field) =>
        field
          .replace(/,$/, "")
          .trim()
          .replace(/^"(.*)"$/, "$1")
          .replaceAll('""', '"'),
      ) ?? []
    const [token = "", name = "", uid = "", groups = ""] = fields
    if (token === "" || name === "")
      throw new Error(
        `${fileName}:${index + 1}: expected token,user,uid and optional groups, found ${fields.filter((field) => field !== "").length} fields`,
      )
    tokens.push({
      token,
      user: {
        name,
        uid,
        groups: groups
          .split(",")
          .map((group) => group.trim())
          .filter((group) => group !== ""),
        extra: {},
      },
    })
  }
  return tokens
}
