/**
 * Authentication: a list of authenticators. The first that knows a request's credentials decides. Specification section
 * 5.
 */
import type { IncomingHttpHeaders } from "node:http"
import { createHash, timingSafeEqual } from "node:crypto"
import type { LoggedOtherwise } from "../base/confidential.ts"
import { unauthorized } from "../base/errors.ts"
import { memoize } from "../base/memoize.ts"
import type { NotedRequest } from "../base/noted-request.ts"
import { cut } from "../base/quote.ts"
import type { User } from "../base/user.ts"
import type { Incoming } from "../http/exchange.ts"
import { issuerOf } from "./jwt-form.ts"
import type { AuthenticationMeter } from "./meters.ts"
import { type CredentialNotes, note } from "./notes.ts"

/** The credentials in a request, or in a review of a token. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders
  /** The bearer token. */
  readonly token: string | undefined
  /** The request whose connection has the client's certificates. Absent when a review's token is checked. */
  readonly incoming?: Incoming
  /** The request that records the credential's notes. */
  readonly request?: NotedRequest
  /** The token must be for one of these audiences. Empty: any audience. */
  readonly audiences: readonly string[]
}

/** The user of a request's credentials. The same record for all requests with these credentials, where possible. */
export interface Identity {
  readonly user: User
  /** The requested audiences that the token is for. */
  readonly audiences?: readonly string[]
  readonly notes?: CredentialNotes
}

type Answer = Identity | undefined | Promise<Identity | undefined>

/**
 * Returns the user of the credentials; undefined if there is no credential of this authenticator's type, or one that
 * another authenticator may know. Throws AuthenticationError for a wrong credential, and when it cannot decide; the
 * next authenticator is asked all the same. Returns a promise only if it has to wait.
 */
export type Authenticator = (credentials: Credentials) => Answer

/**
 * A credential is wrong, or could not be looked up. Clients get 401 without the reason; reviews return it, and the log
 * gets `logged`.
 */
export class AuthenticationError extends Error implements LoggedOtherwise {
  /** `notes`: for the refused request. */
  constructor(
    message: string,
    readonly logged = message,
    readonly notes?: CredentialNotes,
  ) {
    const { stackTraceLimit } = Error
    // Caused by the client; a stack trace would not help.
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = "AuthenticationError"
  }
}

/** The user of requests without a credential. Compared by identity. */
export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"], extra: {} }

/**
 * Asks the authenticators in their order; the first that knows the credentials decides, and its user is in the group
 * `system:authenticated`. Returns undefined for a request without a credential. Throws AuthenticationError, or rejects
 * with it, when there is a credential and none knows it. Waits only if an authenticator does.
 */
export function identify(authenticators: readonly Authenticator[], credentials: Credentials): Answer {
  return identifyFrom(authenticators, credentials, 0, undefined)
}

function identifyFrom(
  authenticators: readonly Authenticator[],
  credentials: Credentials,
  from: number,
  faultBefore: AuthenticationError | undefined,
): Answer {
  let fault = faultBefore
  for (let index = from; index < authenticators.length; index++) {
    try {
      const answer = authenticators[index]?.(credentials)
      if (answer instanceof Promise) return identifyAfter(answer, { authenticators, credentials, next: index + 1, fault })
      if (answer !== undefined) return authenticated(answer)
    } catch (error) {
      fault = joined(fault, error)
    }
  }
  if (fault !== undefined) throw fault
  if (credentials.token !== undefined) throw new AuthenticationError("invalid bearer token", unknownToken(credentials.token))
  return undefined
}

/** Characters of an issuer's name in the log. */
const issuerShown = 200

/** For the log: an unknown token usually comes from a provider that is not configured. */
function unknownToken(token: string): string {
  const issuer = issuerOf(token)
  if (issuer === undefined) return "invalid bearer token"
  return `invalid bearer token: its issuer is ${JSON.stringify(cut(issuer, issuerShown))}, and no authenticator of this server knows tokens of that issuer`
}

interface Remaining {
  readonly authenticators: readonly Authenticator[]
  readonly credentials: Credentials
  readonly next: number
  readonly fault: AuthenticationError | undefined
}

async function identifyAfter(answer: Promise<Identity | undefined>, remaining: Remaining): Promise<Identity | undefined> {
  let { fault } = remaining
  try {
    const identity = await answer
    if (identity !== undefined) return authenticated(identity)
  } catch (error) {
    fault = joined(fault, error)
  }
  return identifyFrom(remaining.authenticators, remaining.credentials, remaining.next, fault)
}

/** Joins both faults. Rethrows errors that are not an authenticator's answer but a fault of the server. */
function joined(before: AuthenticationError | undefined, error: unknown): AuthenticationError {
  if (!(error instanceof AuthenticationError)) throw error
  if (before === undefined) return error
  const logged = `${before.logged}, ${error.logged}`
  return new AuthenticationError(`${before.message}, ${error.message}`, logged, before.notes ?? error.notes)
}

export interface RequestOptions {
  /** Whether requests without a credential are accepted. */
  readonly anonymous: boolean
  /** Gets the reason of a 401 for wrong credentials. */
  readonly onFault?: ((fault: AuthenticationError) => void) | undefined
  readonly meter?: AuthenticationMeter | undefined
}

/**
 * As `identify`, for a request, which is anonymous without a credential. Throws 401, or rejects with it, for
 * credentials that no authenticator knows, and for missing ones while anonymous requests are off.
 */
export function authenticate(
  authenticators: readonly Authenticator[],
  credentials: Credentials,
  options: RequestOptions,
): User | Promise<User> {
  const asked: Asked = { credentials, options, began: options.meter?.begin() ?? 0 }
  let answer: Answer
  try {
    answer = identify(authenticators, credentials)
  } catch (error) {
    throw refused(error, asked)
  }
  return answer instanceof Promise ? authenticateAfter(answer, asked) : userOf(answer, asked)
}

interface Asked {
  readonly credentials: Credentials
  readonly options: RequestOptions
  readonly began: number
}

async function authenticateAfter(answer: Promise<Identity | undefined>, asked: Asked): Promise<User> {
  const identity = await answer.catch((error: unknown) => {
    throw refused(error, asked)
  })
  return userOf(identity, asked)
}

function userOf(identity: Identity | undefined, { credentials, options, began }: Asked): User {
  const { anonymous: mayBeAnonymous, meter } = options
  if (identity === undefined && !mayBeAnonymous) {
    meter?.end("failure", began)
    throw unauthorized()
  }
  if (identity?.notes !== undefined) note(credentials.request, identity.notes)
  const user = identity?.user ?? anonymous
  if (meter !== undefined) {
    meter.end("success", began)
    meter.user(user.name)
  }
  return user
}

function refused(error: unknown, { credentials, options, began }: Asked): unknown {
  options.meter?.end("error", began)
  if (!(error instanceof AuthenticationError)) return error
  if (error.notes !== undefined) note(credentials.request, error.notes)
  options.onFault?.(error)
  return unauthorized()
}

const authenticatedGroup = "system:authenticated"

/** Authenticators return one record per user, so the record with the added group is made once. */
const authenticatedIdentities = new WeakMap<Identity, Identity>()

function authenticated(identity: Identity): Identity {
  let known = authenticatedIdentities.get(identity)
  if (known === undefined) {
    const { user } = identity
    const groups = user.groups.includes(authenticatedGroup) ? user.groups : [...user.groups, authenticatedGroup]
    known = { ...identity, user: { ...user, groups } }
    authenticatedIdentities.set(identity, known)
  }
  return known
}

/**
 * The token of an `Authorization: Bearer` header, RFC 6750; undefined without one. As in kube-apiserver, a single blank
 * precedes the token, and text after the token is ignored.
 */
export function bearerToken(headers: IncomingHttpHeaders): string | undefined {
  return tokenOf(headers.authorization ?? "")
}

const tokenOf = memoize((authorization) => /^\s*Bearer ([^ ]+)/i.exec(authorization)?.[1])

/** One line of `--token-auth-file`. */
export interface StaticToken {
  readonly token: string
  readonly user: User
}

/**
 * Accepts tokens from a file, and tokens made at start. Compares SHA-256 hashes in constant time. The tokens are for
 * the server: for `audiences`, the values of `--api-audiences`.
 */
export function staticTokens(tokens: readonly StaticToken[], audiences: readonly string[] = []): Authenticator {
  const hashed = tokens.map(({ token, user }) => ({ hash: sha256(token), identity: { user } }))
  const seen = new Map<string, Identity>()
  const ofServer = forServer(audiences)
  return ({ token, audiences: asked }) => {
    if (token === undefined) return undefined
    const known = seen.get(token)
    if (known !== undefined) return ofServer(known, asked)
    const hash = sha256(token)
    const identity = hashed.find((entry) => timingSafeEqual(entry.hash, hash))?.identity
    if (identity === undefined) return undefined
    seen.set(token, identity)
    return ofServer(identity, asked)
  }
}

/**
 * For authenticators whose tokens name no audience: the tokens are for the server's audiences. Returns undefined when a
 * token for another audience is requested.
 */
export function forServer(audiences: readonly string[]): (identity: Identity, asked: readonly string[]) => Identity | undefined {
  // Requests ask for all audiences; their identities have one record each.
  const ofRequests = new WeakMap<Identity, Identity>()
  const common = (identity: Identity, asked: readonly string[]): Identity | undefined => {
    const shared = asked.filter((each) => audiences.includes(each))
    return shared.length === 0 ? undefined : { ...identity, audiences: shared }
  }
  return (identity, asked) => {
    if (asked.length === 0) return identity
    if (asked !== audiences) return common(identity, asked)
    let known = ofRequests.get(identity)
    if (known === undefined) {
      known = { ...identity, audiences }
      ofRequests.set(identity, known)
    }
    return known
  }
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
