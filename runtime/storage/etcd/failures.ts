/** Translates errors of etcd and of the connection to it into errors of the store. */
import { status } from "@grpc/grpc-js"
import { StoreError } from "../store.ts"

/** How a call ended: a gRPC status and its message. */
export interface RpcFault {
  readonly code: number
  readonly details: string
}

/** Texts by which etcd distinguishes errors with the same gRPC status (its `rpctypes`); they are part of its API. */
const marks = {
  compacted: "required revision has been compacted",
  future: "required revision is a future revision",
  noSpace: "database space exceeded",
  requestTooLarge: "request is too large",
  tooManyOperations: "too many operations in txn request",
  messageTooLarge: "message larger than max",
  leaseNotFound: "requested lease not found",
  leaseExists: "lease already exists",
  tooManyRequests: "etcdserver: too many requests",
  denied: "etcdserver: permission denied",
  noLeader: "etcdserver: no leader",
  leaderChanged: "etcdserver: leader changed",
  /** Followed by one of several causes. */
  undecided: "etcdserver: request timed out",
  corrupt: "etcdserver: corrupt cluster",
  /** grpc-js: the call was never sent. */
  neverSent: "No connection established",
  /** grpc-js: how far the call got is unknown. */
  dropped: "Connection dropped",
} as const

type Mark = keyof typeof marks

/** Whether a fault is of this kind. */
export function isFault(fault: RpcFault, mark: Mark): boolean {
  return fault.details.includes(marks[mark])
}

/** Whether another endpoint may succeed. A call that is not repeatable must certainly not have been made. */
export function mayRetryElsewhere(fault: RpcFault, repeatable: boolean): boolean {
  if (isFault(fault, "neverSent")) return true
  return repeatable && (fault.code === status.UNAVAILABLE || fault.code === status.DEADLINE_EXCEEDED)
}

/** etcd's errors for a write before it proposes it, or when every member refused to apply it. */
const refusals: readonly Mark[] = [
  "neverSent",
  "noSpace",
  "corrupt",
  "requestTooLarge",
  "tooManyOperations",
  "messageTooLarge",
  "leaseNotFound",
  "noLeader",
  "tooManyRequests",
  "denied",
]
/** gRPC's codes for errors in the call itself. No broken connection and no stopping member causes one of them. */
const refusalCodes = new Set<number>([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.ALREADY_EXISTS,
  status.FAILED_PRECONDITION,
  status.OUT_OF_RANGE,
  status.UNIMPLEMENTED,
  status.UNAUTHENTICATED,
])

/**
 * Whether a write that ended this way certainly did not happen. Any fault that is not known to be a refusal leaves it
 * open.
 */
export function isRefusal(fault: RpcFault): boolean {
  return refusalCodes.has(fault.code) || refusals.some((mark) => isFault(fault, mark))
}

/** The error of a write that was sent and not refused. */
export function undecidedError(fault: RpcFault): StoreError {
  return new StoreError("undecided", storeErrorOf(fault).message)
}

/** Whether the endpoint did not answer in time: others are tried first for a while. */
export function isTimeout(fault: RpcFault): boolean {
  return fault.code === status.DEADLINE_EXCEEDED
}

/** Why etcd refuses writes until an operator repairs it; texts for errors and health checks. */
export const alarmMessages = {
  noSpace: "etcd is out of space (alarm NOSPACE): compact and defragment it, or raise its quota, then disarm the alarm",
  corrupt: "etcd found its data corrupt (alarm CORRUPT): replace the member that differs from the others, then disarm the alarm",
} as const

const quorumHint = "more than half of its members must be running and reach each other"

/** Faults with messages of their own, in the order of the search. */
const known: readonly (readonly [Mark, StoreError["code"], string])[] = [
  ["compacted", "compacted", "etcd has compacted the revision"],
  ["future", "future", "the revision is ahead of etcd's"],
  ["noSpace", "full", alarmMessages.noSpace],
  ["corrupt", "full", alarmMessages.corrupt],
  ["requestTooLarge", "too-large", "etcd takes no request of that size; its --max-request-bytes says how much"],
  ["messageTooLarge", "too-large", "etcd takes no request of that size; its --max-request-bytes says how much"],
  ["tooManyOperations", "too-large", "etcd takes no transaction of that many writes; its --max-txn-ops says how many"],
  ["noLeader", "unavailable", `etcd has no leader: ${quorumHint}`],
  ["dropped", "unavailable", "the connection to etcd was lost"],
  ["leaderChanged", "unavailable", "etcd was given another leader meanwhile"],
  ["undecided", "timeout", `etcd could not agree in time: ${quorumHint}`],
]

/**
 * The store's error for a fault. "compacted" and "future" lack their revision, which etcd does not send; the caller
 * adds it.
 */
export function storeErrorOf(fault: RpcFault): StoreError {
  const found = known.find(([mark]) => isFault(fault, mark))
  if (found !== undefined) return new StoreError(found[1], found[2])
  if (isTimeout(fault)) return new StoreError("timeout", "etcd did not answer in time")
  if (isFault(fault, "neverSent")) return new StoreError("unavailable", `no etcd server could be reached: ${detailsOf(fault)}`)
  return new StoreError("unavailable", `etcd: ${detailsOf(fault)}`)
}

/** Why a server does not serve; undefined when it does and only refused this call. */
export function serverFault(fault: RpcFault): string | undefined {
  if (isTimeout(fault)) return "it did not answer in time"
  if (fault.code !== status.UNAVAILABLE) return undefined
  return known.find(([mark]) => isFault(fault, mark))?.[2] ?? detailsOf(fault)
}

/** Removes the text that grpc-js puts around the cause; its remark on name resolution is mostly empty. */
function detailsOf({ code, details }: RpcFault): string {
  const words = details
    .replace(/\.?\s*Resolution note:\s*$/, "")
    .replace(/^No connection established\. (?=Last error: Error: )/, "")
    .replace("Last error: Error: ", "")
  return words === "" ? `status ${code}` : words
}
