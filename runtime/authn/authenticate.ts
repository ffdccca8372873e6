/**
 * Authentication: a list of authenticators, of which the first that knows a request's credentials decides.
 * Specification section 5.
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
  /** The request: its connection has the certificates of the client. Absent for the token of a review. */
  readonly incoming?: Incoming
  /** The request that takes notes. */
  readonly request?: NotedRequest
  /** A token must be for one of these. Empty: it does not matter what a token is for. */
  readonly audiences: readonly string[]
}

/** Whose credentials these are. One record for all requests with the same ones, where that is possible. */
export interface Identity {
  readonly user: User
  /** Those of the asked audiences that the token is for. */
  readonly audiences?: readonly string[]
  readonly notes?: CredentialNotes
}

type Answer = Identity | undefined | Promise<Identity | undefined>

/**
 * Returns whose credentials these are, or undefined when there is none of this authenticator's sort, or one that
 * another may know. Throws AuthenticationError for a wrong one, and when it cannot decide; the next authenticator is
 * asked all the same. Only one that has to wait returns a promise.
 */
export type Authenticator = (credentials: Credentials) => Answer

/**
 * A credential is wrong, or could not be looked up. Clients get 401 without the reason; reviews have it, and the log
 * has `logged`.
 */
export class AuthenticationError extends Error implements LoggedOtherwise {
  /** `notes`: of the request that is refused. */
  constructor(
    message: string,
    readonly logged = message,
    readonly notes?: CredentialNotes,
  ) {
    const { stackTraceLimit } = Error
    // The client's fault: its stack says nothing.
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

/** Characters of an issuer in the log. */
const issuerShown = 200

/** For the log: a token that names an issuer is most often one of another provider than those that are configured. */
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

/** Both faults as one. Throws what is no answer of an authenticator but a fault of the server. */
function joined(before: AuthenticationError | undefined, error: unknown): AuthenticationError {
  if (!(error instanceof AuthenticationError)) throw error
  if (before === undefined) return error
  const logged = `${before.logged}, ${error.logged}`
  return new AuthenticationError(`${before.message}, ${error.message}`, logged, before.notes ?? error.notes)
}

export interface RequestOptions {
  /** Whether a request without a credential comes in. */
  readonly anonymous: boolean
  /** Gets the reason of a 401 for wrong credentials. */
  readonly onFault?: ((fault: AuthenticationError) => void) | undefined
  readonly meter?: AuthenticationMeter | undefined
}

/**
 * As `identify`, for a request: it is anonymous without a credential. Throws 401, or rejects with it, for credentials
 * that no authenticator knows, and without any while anonymous requests are off.
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
 * The token of an `Authorization: Bearer` header, RFC 6750; undefined without one. As in kube-apiserver a single blank
 * precedes the token, and what follows it does not count.
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
 * Accepts tokens of a file, or made at start. Compares SHA-256 hashes in constant time. The tokens are for the server:
 * for `audiences`, those of `--api-audiences`.
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
 * For authenticators whose tokens name no audience: they are for those of the server. Returns undefined when a token
 * for another one is asked for.
 */
export function forServer(audiences: readonly string[]): (identity: Identity, asked: readonly string[]) => Identity | undefined {
  // Requests ask for all of them: one record for each of their identities.
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
