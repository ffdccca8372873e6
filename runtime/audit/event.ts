/**
 * One audit event, as JSON and as a line of text. Its parts are written when the stage is reached, since most of them
 * are the same for all stages of a request; only the objects of bodies stay bytes.
 */
import type { User } from "../base/user.ts"
import type { Level, Stage } from "./policy.ts"

/** Facts of an event in the format `legacy`. */
export interface EventFacts {
  readonly auditId: string
  readonly verb: string
  readonly uri: string
  /** Absent: not authenticated. */
  readonly user?: User | undefined
  readonly impersonated?: User | undefined
  readonly address: string
  readonly agent: string
  readonly namespace: string
  readonly receivedMs: number
}

export interface AuditEvent {
  readonly level: Level
  readonly stage: Stage
  /**
   * Whether the request changes only the store, and only after `Audit.beforeWrite`. Until then its first event may
   * wait, to be written with others.
   */
  readonly mayWait: boolean
  readonly facts: EventFacts
  /** Status code of the answer; absent before it. */
  readonly code?: number | undefined
  /** JSON of the event up to its objects, times and annotations, without the closing brace. */
  readonly head: string
  /** JSON. */
  readonly requestObject?: Buffer | undefined
  readonly responseObject?: Buffer | undefined
  /** The timestamp fields, beginning with a comma. */
  readonly times: string
  /** JSON of an object with at least one field. */
  readonly annotations: string | undefined
}

/** Approximate size in bytes: the texts are ASCII except for names and messages. */
export function sizeOf({ head, requestObject, responseObject, times }: AuditEvent): number {
  return head.length + (requestObject?.length ?? 0) + (responseObject?.length ?? 0) + times.length
}

/** The JSON of an event on one line, without a line break: one text if it has no objects. */
export function eventPieces(event: AuditEvent): readonly (string | Buffer)[] {
  const { head, requestObject, responseObject, times, annotations } = event
  const tail = `${times}${annotations === undefined ? "" : `,"annotations":${annotations}`}}`
  if (requestObject === undefined && responseObject === undefined) return [head + tail]
  const pieces: (string | Buffer)[] = [head]
  if (requestObject !== undefined) pieces.push(',"requestObject":', requestObject)
  if (responseObject !== undefined) pieces.push(',"responseObject":', responseObject)
  pieces.push(tail)
  return pieces
}

/** The annotation of truncated events. */
const truncatedName = "audit.k8s.io/truncated"

/** Called for an event that is too large. Returns it without its objects, with an annotation that says so. */
export function truncated(event: AuditEvent): AuditEvent {
  const { requestObject: _request, responseObject: _response, annotations, ...kept } = event
  return { ...kept, annotations: withTruncated(annotations) }
}

/** Adds the annotation of a truncated event. */
export function withTruncated(annotations: AuditEvent["annotations"]): string {
  return `${annotations === undefined ? "{" : `${annotations.slice(0, -1)},`}"${truncatedName}":"true"}`
}

/** The event in the format `legacy`, without a line break. */
export function legacyLine({ facts, stage, code }: AuditEvent): string {
  const { auditId, verb, uri, user, impersonated, address, agent, namespace, receivedMs } = facts
  const quote = JSON.stringify
  const groups = (of: User): string => quote(of.groups.map((group) => quote(group)).join(","))
  const groupsOf = (of: User | undefined, none: string): string => (of === undefined ? quote(none) : groups(of))
  return (
    `${new Date(receivedMs).toISOString()} AUDIT: id=${quote(auditId)} stage=${quote(stage)} ip=${quote(address)} method=${quote(verb)} ` +
    `user=${quote(user?.name ?? "<none>")} groups=${groupsOf(user, "<none>")} ` +
    `as=${quote(impersonated?.name ?? "<self>")} asgroups=${groupsOf(impersonated, "<lookup>")} ` +
    `user-agent=${quote(agent)} namespace=${quote(namespace === "" ? "<none>" : namespace)} uri=${quote(uri)} ` +
    `response=${quote(code === undefined ? "<deferred>" : String(code))}`
  )
}

/** `2026-11-27T14:03:54.318069Z`: the text of a MicroTime. Optimised for calls within the same second. */
export function microTime(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1000).toISOString().slice(0, 20)
  }
  return `${lastText}${String(Math.floor((ms - second * 1000) * 1000)).padStart(6, "0")}Z`
}

let lastSecond = Number.NaN
let lastText = ""
