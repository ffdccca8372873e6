/** What etcd and the way to it answer instead of a result, in the words of the store. */
import { status } from "@grpc/grpc-js"
import { StoreError } from "../store.ts"

/** How a call ended: a gRPC status and its message. */
export interface RpcFault {
  readonly code: number
  readonly details: string
}

/** Texts by which etcd tells apart what has one gRPC status (its `rpctypes`); they are part of its API. */
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
  /** Of several causes, which follow it. */
  undecided: "etcdserver: request timed out",
  corrupt: "etcdserver: corrupt cluster",
  /** grpc-js: the call never left. */
  neverSent: "No connection established",
  /** grpc-js: nobody knows how far it came. */
  dropped: "Connection dropped",
} as const

type Mark = keyof typeof marks

/** Whether a fault is of this kind. */
export function isFault(fault: RpcFault, mark: Mark): boolean {
  return fault.details.includes(marks[mark])
}

/** Whether another endpoint may do better. Of a call that may not be made twice: whether it certainly was not made. */
export function mayTryElsewhere(fault: RpcFault, repeatable: boolean): boolean {
  if (isFault(fault, "neverSent")) return true
  return repeatable && (fault.code === status.UNAVAILABLE || fault.code === status.DEADLINE_EXCEEDED)
}

/** What etcd says of a write before it proposes it, or when every member has refused to apply it. */
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
/** gRPC's codes for what is wrong with a call itself. No broken connection and no member that stops has one of them. */
const refusalCodes = new Set<number>([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.ALREADY_EXISTS,
  status.FAILED_PRECONDITION,
  status.OUT_OF_RANGE,
  status.UNIMPLEMENTED,
  status.UNAUTHENTICATED,
])

/** Whether a write that ended so certainly did not happen. Everything that is not known to be a refusal leaves it open. */
export function isRefusal(fault: RpcFault): boolean {
  return refusalCodes.has(fault.code) || refusals.some((mark) => isFault(fault, mark))
}

/** The error of a write that was sent and not refused. */
export function undecidedError(fault: RpcFault): StoreError {
  return new StoreError("undecided", storeErrorOf(fault).message)
}

/** Whether the endpoint did not answer in time: others go first for a while. */
export function isTimeout(fault: RpcFault): boolean {
  return fault.code === status.DEADLINE_EXCEEDED
}

/** What makes etcd refuse writes until somebody mends it, as errors and health checks have it. */
export const alarmWords = {
  noSpace: "etcd is out of space (alarm NOSPACE): compact and defragment it, or raise its quota, then disarm the alarm",
  corrupt: "etcd found its data corrupt (alarm CORRUPT): replace the member that differs from the others, then disarm the alarm",
} as const

const quorumHint = "more than half of its members must be running and reach each other"

/** Faults that have words of their own, in the order in which they are looked for. */
const known: readonly (readonly [Mark, StoreError["code"], string])[] = [
  ["compacted", "compacted", "etcd has compacted the revision"],
  ["future", "future", "the revision is ahead of etcd's"],
  ["noSpace", "full", alarmWords.noSpace],
  ["corrupt", "full", alarmWords.corrupt],
  ["requestTooLarge", "too-large", "etcd takes no request of that size; its --max-request-bytes says how much"],
  ["messageTooLarge", "too-large", "etcd takes no request of that size; its --max-request-bytes says how much"],
  ["tooManyOperations", "too-large", "etcd takes no transaction of that many writes; its --max-txn-ops says how many"],
  ["noLeader", "unavailable", `etcd has no leader: ${quorumHint}`],
  ["dropped", "unavailable", "the connection to etcd was lost"],
  ["leaderChanged", "unavailable", "etcd was given another leader meanwhile"],
  ["undecided", "timeout", `etcd could not agree in time: ${quorumHint}`],
]

/** The store's error for a fault. Compacted and future have no revision yet: etcd does not say it, the caller finds out. */
export function storeErrorOf(fault: RpcFault): StoreError {
  const found = known.find(([mark]) => isFault(fault, mark))
  if (found !== undefined) return new StoreError(found[1], found[2])
  if (isTimeout(fault)) return new StoreError("timeout", "etcd did not answer in time")
  if (isFault(fault, "neverSent")) return new StoreError("unavailable", `no etcd server could be reached: ${wordsOf(fault)}`)
  return new StoreError("unavailable", `etcd: ${wordsOf(fault)}`)
}

/** Why one server does not serve, or undefined when it does: what it refused then is the caller's affair. */
export function serverFault(fault: RpcFault): string | undefined {
  if (isTimeout(fault)) return "it did not answer in time"
  if (fault.code !== status.UNAVAILABLE) return undefined
  return known.find(([mark]) => isFault(fault, mark))?.[2] ?? wordsOf(fault)
}

/** Without what grpc-js puts around the cause; its remark on name resolution mostly has nothing to remark. */
function wordsOf({ code, details }: RpcFault): string {
  const words = details
    .replace(/\.?\s*Resolution note:\s*$/, "")
    .replace(/^No connection established\. (?=Last error: Error: )/, "")
    .replace("Last error: Error: ", "")
  return words === "" ? `status ${code}` : words
}
