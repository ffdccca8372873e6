/** The audit of one request: gathers what filters and verbs report, and makes the events of its stages. */
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Clock } from "../base/clock.ts"
import type { Decision } from "../base/decision.ts"
import { formatDuration } from "../base/duration.ts"
import { internal } from "../base/errors.ts"
import { auditedObjectBytesMax } from "../base/audit-limits.ts"
import { memoize } from "../base/memoize.ts"
import { TimedTrace, untraced } from "../base/trace.ts"
import type { User } from "../base/user.ts"
import type { Vendor } from "../base/vendor.ts"
import { stringifyText } from "../encoding/json/stringify-text.ts"
import { stringify } from "../encoding/json/text.ts"
import type { RequestAudit } from "../http/request/audit.ts"
import type { Operation } from "../http/request/operation.ts"
import { readOnlyVerbs } from "../http/request/info.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { AuditCounts } from "./counts.ts"
import { type AuditEvent, type EventFacts, microTime, withTruncated } from "./event.ts"
import { auditAnnotationCharactersMax, auditAnnotationsMax, auditedAgentCharactersMax, auditLatencyMs } from "./limits.ts"
import { type AuditDecision, auditedNamespace, type PolicyEvaluator, type Stage } from "./policy.ts"
import { sourceAddresses } from "./source-addresses.ts"

/** Stores events. */
export interface AuditSink {
  /**
   * Called once per event. Resolves, or returns at once, when the request may go on; false: the event could not be
   * stored, and the mode is strict.
   */
  process(event: AuditEvent): boolean | Promise<boolean>
}

export interface TrailDeps {
  readonly evaluate: PolicyEvaluator
  readonly sink: AuditSink
  readonly counts: AuditCounts
  readonly clock: Clock
  readonly vendor: Vendor
  readonly isLongRunning: (info: RequestContext["info"]) => boolean
  readonly report: (fault: unknown) => void
}

/** The object that a request is about. The body supplies the fields that are not in the path. */
interface ObjectReference {
  resource: string
  namespace: string
  name: string
  uid: string
  apiGroup: string
  apiVersion: string
  resourceVersion: string
  subresource: string
}

/** The part of the answer that every level records. */
interface Answer {
  readonly code: number
  /** The `responseStatus`, as JSON. */
  readonly status: string
}

/** Texts that all events of a request share. */
interface SameTexts {
  readonly facts: EventFacts
  /** JSON before and after the stage. */
  readonly asked: readonly [string, string]
  /** The fields of addresses and user agent, beginning with a comma. */
  readonly from: string
  /** Timestamp of the request's arrival. */
  readonly received: string
}

export class AuditTrail implements RequestAudit {
  keepsRequest = false
  keepsResponse = false
  private readonly trace: TimedTrace
  private decision: AuditDecision | undefined
  /** The authenticated user; impersonation replaces only the request's user. */
  private user: User | undefined
  private reference: ObjectReference | undefined
  /** The JSON of `reference`; undefined after a change. */
  private referenceText: string | undefined
  private requestObject: Buffer | undefined
  private responseObject: Buffer | undefined
  private answer: Answer | undefined
  private hasStarted = false
  private hasPanicked = false
  private isTruncated = false
  private annotations: Map<string, string> | undefined
  private sameTexts: SameTexts | undefined
  private readonly receivedMs: number
  private readonly startedMs: number

  /** Created for each request before it is authenticated; makes its last event when the request ends. */
  constructor(
    private readonly request: Operation,
    private readonly deps: TrailDeps,
  ) {
    this.receivedMs = deps.clock.nowMs()
    this.startedMs = deps.clock.elapsedMs()
    this.trace = new TimedTrace(deps.clock)
    request.trace = this.trace
    request.onEnd(() => this.end())
  }

  authenticated(): undefined | Promise<undefined> {
    const { deps, request } = this
    this.decide(request.user)
    if (this.decision?.level === "None") {
      request.audit = undefined
      request.trace = untraced
      return undefined
    }
    if (this.decision?.omitStages.has("RequestReceived") === true) return undefined
    const stored = deps.sink.process(this.event("RequestReceived", this.receivedMs))
    return stored instanceof Promise ? stored.then((is) => this.goOn(is)) : this.goOn(stored)
  }

  private goOn(isStored: boolean): undefined {
    if (isStored) return undefined
    this.deps.counts.rejected++
    throw internal("failed to store audit event")
  }

  private decide(user: User | undefined): AuditDecision {
    const { info } = this.request
    const decision = this.deps.evaluate({ info, ...(user !== undefined && { user }) })
    this.decision = decision
    this.user = user
    this.deps.counts.countRequest(decision.level)
    this.keepsRequest = decision.level === "Request" || decision.level === "RequestResponse"
    this.keepsResponse = decision.level === "RequestResponse"
    if (info.isResource && decision.level !== "None") this.reference = referenceOf(info, this.deps.vendor)
    return decision
  }

  sent(object: ApiObject, isTyped: boolean): void {
    const { metadata = {} } = object
    const { reference } = this
    if (reference !== undefined) {
      this.referenceText = undefined
      reference.namespace ||= textOf(metadata.namespace)
      reference.name ||= textOf(metadata.name)
      reference.uid ||= textOf(metadata.uid)
      reference.resourceVersion ||= textOf(metadata.resourceVersion)
    }
    if (!this.keepsRequest) return
    const { managedFields, creationTimestamp, ...others } = metadata
    const hasMetadata = object.metadata !== undefined
    const kept: JsonObject = { ...others }
    if (isTyped || creationTimestamp !== undefined) kept.creationTimestamp = creationTimestamp ?? null
    if (managedFields !== undefined && this.decision?.omitManagedFields !== true) kept.managedFields = managedFields
    this.sentJson(stringify(hasMetadata ? { ...object, metadata: kept } : object))
  }

  sentJson(json: string): void {
    if (!this.keepsRequest) return
    const bytes = Buffer.from(oneLine(json))
    if (bytes.length > auditedObjectBytesMax) this.isTruncated = true
    else this.requestObject = bytes
  }

  get omitsManagedFields(): boolean {
    return this.decision?.omitManagedFields === true
  }

  answeredStatus(code: number, { status, message, reason, details, ...more }: JsonObject): void {
    // The client already has the answer of the deadline, and will not see a later one.
    if (this.answer !== undefined && this.request.expired) return
    const shown = stringify({ metadata: {}, ...definedOf({ status, message, reason, details }), code })
    this.answer = { code, status: shown }
    const object = stringify({ ...more, ...definedOf({ status, message, reason, details }) })
    this.responseObject = this.decision === undefined || this.keepsResponse ? Buffer.from(object) : undefined
  }

  answered(code: number, json?: Buffer): void {
    if (this.answer !== undefined && this.request.expired) return
    this.answer = { code, status: statusOf(code) }
    if (!this.keepsResponse || json === undefined) return
    if (json.length > auditedObjectBytesMax) this.isTruncated = true
    else this.responseObject = json
  }

  answeredTooLarge(code: number): void {
    this.answered(code)
    this.isTruncated = true
  }

  started(code: number): void {
    if (this.hasStarted) return
    this.hasStarted = true
    this.answer ??= { code, status: statusOf(code) }
    this.emit("ResponseStarted")
  }

  panicked(): void {
    this.hasPanicked = true
    // Without the error's text, which may contain data that the level omits.
    const message = "APIServer panic'd: the server's log has the error"
    const status = stringify({ metadata: {}, status: "Failure", message, reason: "InternalError", code: 500 })
    this.answer = { code: 500, status }
  }

  annotate(name: string, value: string): void {
    this.annotations ??= new Map()
    if (this.annotations.size >= auditAnnotationsMax || this.annotations.has(name)) return
    this.annotations.set(name, value.slice(0, auditAnnotationCharactersMax))
  }

  /** Called once the request has ended, in whatever way. */
  private end(): void {
    if (this.decision === undefined) return this.endRefused()
    if (this.decision.level === "None") return
    this.answer ??= this.unsaidAnswer()
    if (this.hasPanicked) return this.emit("Panic")
    if (!this.hasStarted && this.deps.isLongRunning(this.request.info)) this.started(this.answer.code)
    this.emit("ResponseComplete")
  }

  /** A request that was refused before its user was known has one event, without a user. */
  private endRefused(): void {
    if (this.answer === undefined || this.decide(undefined).level === "None") return
    if (!this.keepsResponse) this.responseObject = undefined
    this.emit("ResponseStarted")
  }

  /** The answer of a handler that did not report one. */
  private unsaidAnswer(): Answer {
    const { outgoing } = this.request
    if (outgoing.headersSent || !outgoing.destroyed) return { code: outgoing.statusCode, status: statusOf(outgoing.statusCode) }
    return { code: 200, status: '{"metadata":{},"status":"Success","message":"Connection closed early","code":200}' }
  }

  private emit(stage: Stage): void {
    const { clock, report, sink } = this.deps
    if (this.decision?.omitStages.has(stage) !== false) return
    const nowMs = clock.elapsedMs()
    const tookMs = nowMs - this.startedMs
    if (stage === "ResponseComplete" && tookMs > auditLatencyMs) this.annotateLatencies(nowMs)
    const stored = sink.process(this.event(stage, this.receivedMs + tookMs))
    if (stored instanceof Promise) void stored.catch(report)
  }

  /** Skips watches and upgraded connections: they last as long as their clients want, so they have no latency. */
  private annotateLatencies(nowMs: number): void {
    if (this.request.info.verb === "watch" || this.answer?.code === 101) return
    const { latency } = this.names
    for (const [part, ms] of this.trace.until(nowMs)) this.annotate(latency + part, durationText(ms))
    this.annotate(`${latency}total`, durationText(nowMs - this.startedMs))
  }

  private get names(): AnnotationNames {
    return annotationNames(this.deps.vendor)
  }

  private event(stage: Stage, nowMs: number): AuditEvent {
    const { decision, deps, request, receivedMs, user, answer } = this
    deps.counts.events++
    const level = decision?.level ?? "None"
    const isFirst = stage === "RequestReceived"
    this.sameTexts ??= this.textsOfRequest(level)
    const { facts, asked, from, received } = this.sameTexts
    const impersonated = !isFirst && user !== undefined && request.user !== user ? request.user : undefined
    const head =
      `${asked[0]}${stage}${asked[1]}` +
      `${impersonated === undefined ? "" : `,"impersonatedUser":${userJson(impersonated)}`}${from}` +
      this.referenceField() +
      `${answer === undefined ? "" : `,"responseStatus":${answer.status}`}`
    const times = `,"requestReceivedTimestamp":"${received}","stageTimestamp":"${nowMs === receivedMs ? received : microTime(nowMs)}"`
    return {
      level,
      stage,
      mayWait: request.info.subresource === "" && (request.info.isResource || readOnlyVerbs.has(request.info.verb)),
      facts: impersonated === undefined ? facts : { ...facts, impersonated },
      code: answer?.code,
      head,
      requestObject: this.requestObject,
      responseObject: this.responseObject,
      times,
      // There is no decision yet, or there never will be one.
      annotations: this.shownAnnotations(isFirst || user === undefined ? undefined : this.request.decision),
    }
  }

  private referenceField(): string {
    if (this.reference === undefined) return ""
    this.referenceText ??= `,"objectRef":${referenceJson(this.reference)}`
    return this.referenceText
  }

  /** The texts that all events of the request share. */
  private textsOfRequest(level: AuditDecision["level"]): SameTexts {
    const { deps, receivedMs, request, user } = this
    const { incoming, info, outgoing } = request
    const auditId = String(outgoing.getHeader("audit-id") ?? "")
    const uri = incoming.url ?? ""
    const { verb } = info
    const addresses = sourceAddresses(incoming)
    const agent = shownAgent(request.headers["user-agent"] ?? "")
    const namespace = this.reference?.namespace ?? ""
    return {
      facts: { auditId, verb, uri, user, address: addresses.first, agent, namespace, receivedMs },
      asked: [
        `{"kind":"Event","apiVersion":"${deps.vendor.apiVersion("audit.orch.io/v1")}","level":"${level}","auditID":${stringifyText(auditId)},"stage":"`,
        `","requestURI":${stringifyText(uri)},"verb":${stringifyText(verb)},"user":${userJson(user)}`,
      ],
      from: `${addresses.first === "" ? "" : `,"sourceIPs":${addresses.json}`}${agent === "" ? "" : `,"userAgent":${agentJson(agent)}`}`,
      received: microTime(receivedMs),
    }
  }

  /** The authorization decision and the other annotations. */
  private shownAnnotations(decision: Decision | undefined): AuditEvent["annotations"] {
    const { names } = this
    let fields = decision === undefined ? "" : decisionJson(decision, names)
    if (this.annotations !== undefined)
      for (const [name, value] of this.annotations)
        if (name !== names.decision && name !== names.reason)
          fields += `${fields === "" ? "" : ","}${JSON.stringify(name)}:${JSON.stringify(value)}`
    const shown = fields === "" ? undefined : `{${fields}}`
    return this.isTruncated ? withTruncated(shown) : shown
  }
}

function decisionJson({ error, opinion, reason }: Decision, names: AnnotationNames): string {
  if (opinion === "allow") return names.allowed(reason)
  return error === undefined ? names.forbidden(reason) : `"${names.reason}":"internal error"`
}

interface AnnotationNames {
  readonly decision: string
  readonly reason: string
  /** Prefix of the latency annotations; the part that took the time follows. */
  readonly latency: string
  /** The JSON of both annotations of a decision, by its reason: most requests are allowed by one of a few bindings. */
  readonly allowed: (reason: string) => string
  readonly forbidden: (reason: string) => string
}

const namesOfVendors = new WeakMap<Vendor, AnnotationNames>()

function annotationNames(vendor: Vendor): AnnotationNames {
  let names = namesOfVendors.get(vendor)
  if (names === undefined) {
    const authorization = vendor.group("authorization.orch.io")
    const [decision, reason] = [`${authorization}/decision`, `${authorization}/reason`]
    const fields = (outcome: string) => memoize((text) => `"${decision}":"${outcome}","${reason}":${JSON.stringify(text)}`)
    names = {
      decision,
      reason,
      allowed: fields("allow"),
      forbidden: fields("forbid"),
      latency: `${vendor.group("apiserver.latency.orch.io")}/`,
    }
    namesOfVendors.set(vendor, names)
  }
  return names
}

function referenceOf(info: RequestContext["info"], vendor: Vendor): ObjectReference {
  return {
    resource: info.resource,
    namespace: auditedNamespace(info),
    name: info.name,
    uid: "",
    apiGroup: vendor.group(info.group),
    apiVersion: info.version,
    resourceVersion: "",
    subresource: info.subresource,
  }
}

/** Without empty fields, in the reference's order. */
function referenceJson(reference: ObjectReference): string {
  let text = ""
  for (const field of referenceFields) {
    const value = reference[field]
    if (value !== "") text += `${text === "" ? "{" : ","}"${field}":${stringifyText(value)}`
  }
  return text === "" ? "{}" : `${text}}`
}
const referenceFields = ["resource", "namespace", "name", "uid", "apiGroup", "apiVersion", "resourceVersion", "subresource"] as const

const usersJson = new WeakMap<User, string>()

/** Authenticators return one record per user, so its text is written once. */
function userJson(user: User | undefined): string {
  if (user === undefined) return "{}"
  let json = usersJson.get(user)
  if (json === undefined) {
    const { name: username, uid, groups, extra } = user
    json = stringify({
      username,
      ...(uid !== undefined && uid !== "" && { uid }),
      ...(groups.length > 0 && { groups: [...groups] }),
      ...(Object.keys(extra).length > 0 && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
    })
    usersJson.set(user, json)
  }
  return json
}

const agentJson = memoize((agent) => JSON.stringify(agent))

function shownAgent(agent: string): string {
  return agent.length <= auditedAgentCharactersMax ? agent : `${agent.slice(0, auditedAgentCharactersMax)}...TRUNCATED`
}

/** The `responseStatus` of an answer that is not a Status. */
function statusOf(code: number): string {
  return `{"metadata":{},"code":${code}}`
}

function definedOf(fields: Readonly<Record<string, JsonObject[string]>>): JsonObject {
  const defined: JsonObject = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) defined[name] = value
  return defined
}

function durationText(ms: number): string {
  return formatDuration(BigInt(Math.round(ms * 1e6)))
}

function textOf(value: JsonObject[string]): string {
  return typeof value === "string" ? value : ""
}

/** Line breaks in valid JSON are only between its tokens. */
function oneLine(json: string): string {
  return /[\n\r]/.test(json) ? json.replace(/[\n\r]/g, " ") : json
}
