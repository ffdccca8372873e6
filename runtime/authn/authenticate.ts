/** Who is asking: an ordered list of authenticators, the first that recognises the request decides. Specification section 5. */
import type { IncomingHttpHeaders } from "node:http"
import { createHash, timingSafeEqual } from "node:crypto"
import { unauthorized } from "../base/errors.ts"
import { memoize } from "../base/memoize.ts"
import type { User } from "../http/request/context.ts"

/** Undefined: not mine to judge. Throws 401 when the credential is mine and wrong. */
export type Authenticator = (headers: IncomingHttpHeaders) => User | undefined

export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"], extra: {} }

/** Tries each in turn. Without a decision the request is anonymous, or refused when that is off. */
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

/** Authenticators answer with the same record for the same user again and again. */
const authenticatedUsers = new WeakMap<User, User>()

function authenticated(user: User): User {
  let known = authenticatedUsers.get(user)
  if (known === undefined) {
    known = { ...user, groups: [...user.groups, "system:authenticated"] }
    authenticatedUsers.set(user, known)
  }
  return known
}

export function bearerToken(headers: IncomingHttpHeaders): string | undefined {
  return tokenOf(headers.authorization ?? "")
}

const tokenOf = memoize((authorization) => /^Bearer +(\S+)$/i.exec(authorization)?.[1])

/** One line of `--token-auth-file`. */
export interface StaticToken {
  readonly token: string
  readonly user: User
}

/** Tokens from a file or made at start. Compared in constant time over their hashes. */
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

/** `token,user,uid,"group1,group2"` per line, as the reference reads it. Throws an Error naming the line. */
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
