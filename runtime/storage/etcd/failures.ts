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
  /** grpc-js: the call never left. */
  neverSent: "No connection established",
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

/** Whether the endpoint did not answer in time: others go first for a while. */
export function isTimeout(fault: RpcFault): boolean {
  return fault.code === status.DEADLINE_EXCEEDED
}

/** The store's error for a fault. Compacted and future have no revision yet: etcd does not say it, the caller finds out. */
export function storeErrorOf(fault: RpcFault): StoreError {
  if (isFault(fault, "compacted")) return new StoreError("compacted", "etcd has compacted the revision")
  if (isFault(fault, "future")) return new StoreError("future", "the revision is ahead of etcd's")
  if (isFault(fault, "noSpace")) {
    return new StoreError(
      "full",
      "etcd is out of space (alarm NOSPACE): compact and defragment it, or raise its quota, then disarm the alarm",
    )
  }
  if (isFault(fault, "requestTooLarge") || isFault(fault, "messageTooLarge")) {
    return new StoreError("too-large", "etcd takes no request of that size; its --max-request-bytes says how much")
  }
  if (isFault(fault, "tooManyOperations")) {
    return new StoreError("too-large", "etcd takes no transaction of that many writes; its --max-txn-ops says how many")
  }
  if (isTimeout(fault)) return new StoreError("timeout", "etcd did not answer in time")
  return new StoreError("unavailable", `etcd: ${wordsOf(fault)}`)
}

/** grpc-js ends with a remark on name resolution, which mostly has nothing to remark. */
function wordsOf({ code, details }: RpcFault): string {
  const words = details.replace(/\.?\s*Resolution note:\s*$/, "").replace("Last error: Error: ", "Last error: ")
  return words === "" ? `status ${code}` : words
}
