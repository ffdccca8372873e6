/**
 * The calls of etcd's version 3 API that this driver makes, with the fields it uses
 * (https://etcd.io/docs/v3.5/dev-guide/api_reference_v3/). Names and numbers are etcd's.
 */
import type { Decoded, Encodable, MessageType } from "../../encoding/protobuf/message.ts"
import { bool, bytes, embedded, identifier, int64, list, message, text, texts } from "../../encoding/protobuf/message.ts"

const responseHeader = message({ revision: int64(3) })

const keyValue = message({
  key: text(1),
  createRevision: int64(2),
  modRevision: int64(3),
  version: int64(4),
  value: bytes(5),
  lease: identifier(6),
})
export type KeyValue = Decoded<typeof keyValue>

const rangeRequest = message({
  key: text(1),
  rangeEnd: text(2),
  limit: int64(3),
  revision: int64(4),
  keysOnly: bool(8),
  countOnly: bool(9),
})
export type RangeRequest = Encodable<typeof rangeRequest>

const rangeResponse = message({ header: embedded(1, responseHeader), kvs: list(2, keyValue), more: bool(3), count: int64(4) })
const putRequest = message({ key: text(1), value: bytes(2), lease: int64(3) })
const deleteRangeRequest = message({ key: text(1) })

/** Exactly one of these is set. */
const requestOperation = message({
  range: embedded(1, rangeRequest),
  put: embedded(2, putRequest),
  deleteRange: embedded(3, deleteRangeRequest),
})
export type RequestOperation = Encodable<typeof requestOperation>
const deleteRangeResponse = message({ deleted: int64(2) })
const responseOperation = message({ range: embedded(1, rangeResponse), deleteRange: embedded(3, deleteRangeResponse) })

export const compareResult = { equal: 0 } as const
export const compareTarget = { version: 0, modRevision: 2 } as const
const compare = message({ result: int64(1), target: int64(2), key: text(3), version: int64(4), modRevision: int64(6) })
export type Compare = Encodable<typeof compare>

const txnRequest = message({ compare: list(1, compare), success: list(2, requestOperation), failure: list(3, requestOperation) })
const txnResponse = message({ header: embedded(1, responseHeader), succeeded: bool(2), responses: list(3, responseOperation) })
export type TxnResponse = Decoded<typeof txnResponse>

const watchCreateRequest = message({
  key: text(1),
  rangeEnd: text(2),
  startRevision: int64(3),
  progressNotify: bool(4),
  prevKv: bool(6),
  fragment: bool(8),
})
const nothing = message({})
export const watchRequest = message({ create: embedded(1, watchCreateRequest), progress: embedded(3, nothing) })
export type WatchRequest = Encodable<typeof watchRequest>

export const eventType = { put: 0, delete: 1 } as const
const event = message({ type: int64(1), kv: embedded(2, keyValue), prevKv: embedded(3, keyValue) })
export type WatchEvent = Decoded<typeof event>
export const watchResponse = message({
  header: embedded(1, responseHeader),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int64(5),
  cancelReason: text(6),
  fragment: bool(7),
  events: list(11, event),
})
export type WatchResponse = Decoded<typeof watchResponse>

export const alarmType = { noSpace: 1, corrupt: 2 } as const
const alarmMember = message({ alarm: int64(2) })

/** One call: its path, and the types of its request and response. */
export interface Call<Request, Response> {
  /** Service and method as gRPC spells them. */
  readonly path: string
  readonly request: MessageType<unknown, Request>
  readonly response: MessageType<Response, unknown>
  /**
   * It changes nothing, or has the same effect however often it is made: another endpoint may be tried after any
   * failure.
   */
  readonly repeatable: boolean
}

export const rangeCall = { path: "/etcdserverpb.KV/Range", request: rangeRequest, response: rangeResponse, repeatable: true }
export const txnCall = { path: "/etcdserverpb.KV/Txn", request: txnRequest, response: txnResponse, repeatable: false }
export const compactCall = {
  path: "/etcdserverpb.KV/Compact",
  request: message({ revision: int64(1) }),
  response: message({ header: embedded(1, responseHeader) }),
  repeatable: true,
}
/** The caller chooses `id`, so that it is a number that JavaScript holds exactly. */
export const leaseGrantCall = {
  path: "/etcdserverpb.Lease/LeaseGrant",
  request: message({ ttl: int64(1), id: int64(2) }),
  response: message({ id: int64(2), ttl: int64(3) }),
  repeatable: false,
}
/** `ttl` is -1 for a lease that is gone. */
export const leaseTimeToLiveCall = {
  path: "/etcdserverpb.Lease/LeaseTimeToLive",
  request: message({ id: identifier(1) }),
  response: message({ ttl: int64(3) }),
  repeatable: true,
}
export const leaseRevokeCall = {
  path: "/etcdserverpb.Lease/LeaseRevoke",
  request: message({ id: int64(1) }),
  response: nothing,
  repeatable: true,
}
export const statusCall = {
  path: "/etcdserverpb.Maintenance/Status",
  request: nothing,
  response: message({ header: embedded(1, responseHeader), version: text(2), dbSize: int64(3), leader: int64(4), errors: texts(8) }),
  repeatable: true,
}
/** The empty request asks for every alarm of every member. */
export const alarmCall = {
  path: "/etcdserverpb.Maintenance/Alarm",
  request: nothing,
  response: message({ alarms: list(2, alarmMember) }),
  repeatable: true,
}

export const watchPath = "/etcdserverpb.Watch/Watch"
