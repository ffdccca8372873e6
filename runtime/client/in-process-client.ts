/**
 * `ObjectClient` of a running server for programs in its process. An operation passes the steps of a request without
 * HTTP: authorization, options, decoding, defaults, admission, validation, managed fields and commit are shared with
 * the verbs. Documents are copied, never written as text and parsed again.
 */
import { methodNotAllowed, unavailable } from "../base/errors.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { Turns } from "../base/turns.ts"
import { readWork } from "../base/work.ts"
import { deepClone } from "../encoding/field-path.ts"
import { stringify } from "../encoding/json/text.ts"
import type { User } from "../base/user.ts"
import type { WriteResult } from "../registry/commit.ts"
import { versionsOf } from "../registry/managed-fields.ts"
import { alwaysAllow } from "../authz/authorize.ts"
import { inOrder } from "../filters/in-order.ts"
import { operationSteps } from "../filters/chain.ts"
import type { OperationStep } from "../http/env.ts"
import { repeatedFor } from "../registry/released-kind.ts"
import type { Subresource } from "../schema/kind.ts"
import type {
  ObjectPlace,
  ApplyOptions,
  CollectionPlace,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectClient,
  ObjectList,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../schema/object-client.ts"
import type { KindBody, ServerParts } from "../server-parts.ts"
import type { CachedObject } from "../storage/cache.ts"
import { type ApplyScope, applyPatchOf } from "../verbs/apply.ts"
import type { ObjectRequest } from "../verbs/call.ts"
import { answeredOperation } from "../verbs/answered.ts"
import { createOperation } from "../verbs/create.ts"
import { deleteCollectionOperation } from "../verbs/delete-collection.ts"
import { deleteOptionsKind, readDeleteOptions } from "../verbs/delete-options.ts"
import { deleteOperation } from "../verbs/delete.ts"
import { getOperation } from "../verbs/get.ts"
import { listOperation } from "../verbs/list/list.ts"
import type { Patch } from "../verbs/patch-document.ts"
import { documentPatch, patchOperation } from "../verbs/patch.ts"
import { freshVersion, objectOf } from "../verbs/represent.ts"
import { withDefaults } from "../verbs/request-body.ts"
import { routeOf } from "../verbs/route.ts"
import { changeScale, getScale, patchedScale, replacedScale, scaleApplyScope, scaleKind } from "../verbs/scale/scale.ts"
import { postedForm, postOperation, writeScope } from "../verbs/subresource.ts"
import { updateOperation, type WriteScope } from "../verbs/update.ts"
import { watchedBy } from "../verbs/watch/watch.ts"
import { readWriteOptions, type WriteKind, type WriteOptions as CheckedOptions } from "../verbs/write-options.ts"
import { decodingValue, type FieldValidation } from "../wire/decode-object.ts"
import { workOn } from "../wire/long-documents.ts"
import { clientError } from "./client-error.ts"
import { type ClientVerb, infoOf, InProcessOperation, queryOf, type RequestPlace } from "./in-process-operation.ts"
import { plainJson } from "./plain-json.ts"
import { type OpenedWatch, watchEvents } from "./watch-events.ts"

/** An operation whose kind is known, and whose user may call it. */
interface Call extends ObjectRequest {
  readonly request: InProcessOperation
  /** Absent: the operation concerns the object itself. */
  readonly subresource: Subresource | undefined
}

/** An operation that a program requests. */
interface Asked {
  readonly verb: ClientVerb
  readonly place: RequestPlace
  readonly query?: URLSearchParams
  readonly signal?: AbortSignal | undefined
  /** Of a write: copied before anything else is done. */
  readonly document?: object
  readonly warn?: WriteOptions["warn"]
}

/** A write before its kind is known. */
interface Write {
  readonly verb: "create" | "update" | "patch"
  /** The options that it may have. */
  readonly sort: WriteKind
  readonly place: RequestPlace
  readonly options: WriteOptions | undefined
}

/** Performs a write with a document of the program, copied, and checked options. */
type Perform<Result> = (call: Call, document: JsonValue, options: CheckedOptions) => Promise<Result>

/**
 * The client of a user. Called once per user: for the administrator by `startServer`. Authorization and admission see
 * it as the user of an HTTP request.
 */
export function inProcessClient(parts: ServerParts, user: User): ObjectClient {
  return new InProcessClient(parts, user, false)
}

/**
 * The client of the server itself, for its controllers and behaviours. Its writes pass admission in the name of `user`,
 * are always authorized, and no manager owns the fields that they set.
 */
export function ownClient(parts: ServerParts, user: User): ObjectClient {
  return new InProcessClient({ ...parts, authorizers: [alwaysAllow] }, user, true)
}

class InProcessClient implements ObjectClient {
  private readonly steps: readonly OperationStep[]

  constructor(
    private readonly parts: ServerParts,
    private readonly user: User,
    private readonly own: boolean,
  ) {
    // The server itself may do everything, and its operations are not recorded.
    this.steps = own ? [] : operationSteps(parts)
  }

  get(place: ObjectPlace, options: GetOptions = {}): Promise<ApiObject> {
    return this.run({ verb: "get", place, query: queryOf(options), signal: options.signal }, async (call) => {
      const { subresource } = call
      return subresource?.type === "scale" ? getScale(call, subresource) : objectOf(call.handle, await getOperation(call))
    })
  }

  list(place: CollectionPlace, options: ListOptions = {}): Promise<ObjectList> {
    return this.run({ verb: "list", place, query: queryOf(options), signal: options.signal }, async (call) => {
      const { items, revision, continueToken, remainingItemCount } = await listOperation(call)
      const metadata = {
        resourceVersion: revision > 0 ? String(revision) : "",
        ...(continueToken !== "" && { continue: continueToken }),
        ...(remainingItemCount !== undefined && { remainingItemCount }),
      }
      return { metadata, items: await readInTurns(call, items) }
    })
  }

  watch(place: CollectionPlace, options: WatchOptions = {}): AsyncIterable<WatchEvent> {
    const open = (at: WatchOptions): Promise<OpenedWatch> =>
      this.run({ verb: "watch", place, query: queryOf(at) }, async (call) => {
        const watched = watchedBy(call)
        call.request.audit?.started(200)
        return { call, watched, end: () => call.request.end() }
      })
    return { [Symbol.asyncIterator]: () => watchEvents(open, options) }
  }

  create(place: CollectionPlace, object: object, options?: WriteOptions): Promise<ApiObject> {
    return this.write({ verb: "create", sort: "CreateOptions", place, options }, object, async (call, document, checked) => {
      if (call.subresource !== undefined) throw methodNotAllowed()
      const body = await decoded(call, document, { form: formOf(call), ...checked })
      if (call.handle.kind.answeredBy !== undefined) return answeredOperation(call, body, checked)
      return written(call, await createOperation(call, body, checked))
    })
  }

  post(place: ObjectPlace, sent: object, options?: WriteOptions): Promise<ApiObject | undefined> {
    return this.write({ verb: "create", sort: "CreateOptions", place, options }, sent, async (call, document, checked) => {
      const { subresource } = call
      if (subresource === undefined) throw methodNotAllowed()
      const posted = await postedForm(call, subresource)
      const body = await decoded(call, document, { ...posted, ...checked })
      return postOperation(call, { ...posted, subresource, body, options: checked })
    })
  }

  update(place: ObjectPlace, object: object, options?: WriteOptions): Promise<ApiObject> {
    return this.write({ verb: "update", sort: "UpdateOptions", place, options }, object, async (call, document, checked) => {
      const { subresource } = call
      const body = await decoded(call, document, { form: await bodyForm(call), ...checked })
      if (subresource?.type === "scale") return changeScale(call, subresource, replacedScale(body, checked))
      return written(call, await updateOperation(call, body, { options: checked, scope: scopeOf(call) }))
    })
  }

  patch(place: ObjectPlace, patch: object, { type, ...options }: PatchOptions = {}): Promise<ApiObject> {
    return this.write({ verb: "patch", sort: "PatchOptions", place, options }, patch, async (call, value, checked) => {
      const document = {
        parsed: { value, duplicates: [], fractions: [] },
        get text() {
          return stringify(value)
        },
      }
      if (call.request.audit?.keepsRequest === true) call.request.audit.sentJson(document.text)
      const contentType = patchTypes[type ?? (Array.isArray(value) ? "json" : "merge")]
      return patched(call, { patch: await documentPatch(call, contentType, document), options: checked, applied: false })
    })
  }

  apply(place: ObjectPlace, configuration: object, options: ApplyOptions): Promise<ApiObject> {
    return this.write({ verb: "patch", sort: "apply", place, options }, configuration, async (call, document, checked) => {
      const value = withKind(document, await bodyForm(call))
      if (call.request.audit?.keepsRequest === true) call.request.audit.sentJson(stringify(value))
      const patch = applyPatchOf(call, { value, duplicates: [] }, await applyScope(call, checked))
      return patched(call, { patch, options: checked, applied: true })
    })
  }

  delete(place: ObjectPlace, options: DeleteOptions = {}): Promise<void> {
    return this.run({ verb: "delete", place, signal: options.signal }, async (call) => {
      await deleteOperation(call, readDeleteOptions(noQuery, await deleteBody(call, options)))
    })
  }

  deleteCollection(place: CollectionPlace, options: DeleteCollectionOptions = {}): Promise<void> {
    const { labelSelector, fieldSelector, signal } = options
    return this.run({ verb: "deletecollection", place, query: queryOf({ labelSelector, fieldSelector }), signal }, async (call) => {
      await deleteCollectionOperation(call, readDeleteOptions(noQuery, await deleteBody(call, options), { collection: true }))
    })
  }

  private write<Result>({ verb, sort, place, options = {} }: Write, document: object, perform: Perform<Result>): Promise<Result> {
    const query = queryOf(options)
    const asked = { verb, place, query, signal: options.signal, document, warn: options.warn }
    return this.run(asked, (call, value) => perform(call, value, readWriteOptions(query, sort)))
  }

  /** Runs an operation, which a stopping server waits for, and gives errors the form that clients get. */
  private async run<Result>(asked: Asked, perform: (call: Call, document: JsonValue) => Promise<Result>): Promise<Result> {
    const { parts, user, own } = this
    const { verb, place, query = noQuery, signal, warn } = asked
    signal?.throwIfAborted()
    if (parts.stopping.aborted) throw unavailable("the server has stopped")
    const operation = new InProcessOperation({ info: infoOf(verb, this.neutral(place)), query, user, own, signal }, parts)
    const end = parts.inFlight.begin()
    const running = this.carryOut(operation, asked, perform).finally(end)
    try {
      return await (signal === undefined ? running : untilAborted(running, signal))
    } catch (error) {
      throw clientError(error, parts.vendor)
    } finally {
      if (warn !== undefined) for (const text of operation.warnings) warn(text)
    }
  }

  /** Runs a request without a connection: the steps, then kind and verb, again while the kind is replaced. */
  private async carryOut<Result>(
    operation: InProcessOperation,
    { verb, document }: Asked,
    perform: (call: Call, document: JsonValue) => Promise<Result>,
  ): Promise<Result> {
    try {
      const { value, bytes } = document === undefined ? nothing : plainJson(document)
      await inOrder(this.steps, operation)
      const result = await repeatedFor(operation, async () => {
        operation.pace.bytes = bytes
        return perform(await this.call(operation), value)
      })
      // A watch ends with its stream.
      if (verb !== "watch") operation.succeeded(result)
      return result
    } catch (error) {
      operation.failed(error)
      throw error
    }
  }

  /** Finds the kind of an operation. Throws 404 or 405. */
  private async call(request: InProcessOperation): Promise<Call> {
    const { parts } = this
    const { kind, subresource } = routeOf(parts, request)
    return { parts, registry: parts.registry, handle: await parts.registry.handle(kind), subresource, request }
  }

  /** Also accepts a group as on the wire, since definitions name their own group so. */
  private neutral(place: RequestPlace): RequestPlace {
    const { kinds, vendor } = this.parts
    return kinds.hasGroup(place.group) ? place : { ...place, group: vendor.neutralGroup(place.group) }
  }
}

/** Stands for the document of an operation that has none. */
const nothing = { value: null, bytes: 0 }

const noQuery = new URLSearchParams()

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const

/** Rejects with the reason of the signal when it is aborted. The work goes on, and its outcome is dropped. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener("abort", onAbort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
}

/** The form of bodies of the object itself. */
function formOf({ handle }: Call): Form {
  const { apiVersion, parts, kind } = handle
  return { apiVersion, kind: kind.kind, shape: parts.shape, applyDefaults: parts.applyDefaults }
}

type Form = Pick<KindBody, "apiVersion" | "kind" | "shape" | "applyDefaults">

/** The form of the bodies that a PUT or an apply takes. */
async function bodyForm(call: Call): Promise<Form> {
  return call.subresource?.type === "scale" ? call.parts.body(scaleKind) : formOf(call)
}

interface DecodeRequest {
  readonly form: Form
  /** The versions that the document may state. Absent: the form's version. */
  readonly apiVersions?: readonly string[]
  readonly fieldValidation: FieldValidation
}

/** Decodes a document into a normalized object with defaults. Throws 400. */
async function decoded(call: Call, document: JsonValue, { form, apiVersions, fieldValidation }: DecodeRequest): Promise<ApiObject> {
  const { expiry, pace, warnings } = call.request
  const expect = { kind: form.kind, apiVersions: apiVersions ?? [form.apiVersion] }
  const { object, warnings: found } = await workOn(
    pace.bytes,
    decodingValue(withKind(document, form), { shape: form.shape, expect, fieldValidation }),
    expiry,
  )
  warnings.push(...found)
  withDefaults(call, form, object)
  call.request.audit?.sent(object, call.handle.kind.custom === undefined)
  return object
}

/** Fills in apiVersion and kind, which a document may omit: the place of the operation implies them. */
function withKind(document: JsonValue, { apiVersion, kind }: Pick<Form, "apiVersion" | "kind">): JsonValue {
  return isObject(document) ? { apiVersion, kind, ...document } : document
}

/** The rules of a write with a body of the parent's kind. */
function scopeOf(call: Call): WriteScope {
  return call.subresource === undefined ? {} : writeScope(call, call.subresource)
}

async function applyScope(call: Call, options: CheckedOptions): Promise<ApplyScope> {
  const { subresource, registry, handle, parts } = call
  if (subresource?.type === "scale") return scaleApplyScope(await parts.body(scaleKind), subresource, options)
  const name = subresource?.name ?? ""
  return { ...options, subresource: name, versions: await versionsOf(registry, handle, name) }
}

async function patched(call: Call, change: { patch: Patch; options: CheckedOptions; applied: boolean }): Promise<ApiObject> {
  const { subresource } = call
  if (subresource?.type === "scale") return changeScale(call, subresource, patchedScale(call, await call.parts.body(scaleKind), change))
  const { patch, options, applied } = change
  return written(call, await patchOperation(call, patch, { options, scope: scopeOf(call), applying: applied }))
}

/**
 * A copy of the object that a write stored, which the caller may keep and change: the registry shares parts of the
 * original. In another version than the stored one it is the object that a get returns, since a conversion may drop
 * fields.
 */
function written({ handle }: Call, result: WriteResult): ApiObject {
  return handle.kind === handle.stored ? deepClone<ApiObject>(result.object) : objectOf(handle, freshVersion(handle, result))
}

/** Parses the objects of a list; many of them in several turns. */
async function readInTurns({ handle }: Call, items: Iterable<CachedObject>): Promise<ApiObject[]> {
  const turns = new Turns()
  const objects: ApiObject[] = []
  for (const item of items) {
    if (turns.isOver(readWork(item))) await turns.next()
    objects.push(objectOf(handle, item))
  }
  return objects
}

/** DeleteOptions as a client sends them in a body; undefined if there are none. Throws 400. */
async function deleteBody(call: Call, options: DeleteOptions): Promise<JsonObject | undefined> {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options
  const body: JsonObject = {
    ...(dryRun === true && { dryRun: ["All"] }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions: { ...preconditions } }),
  }
  if (Object.keys(body).length === 0) return undefined
  return decoded(call, body, { form: await call.parts.body(deleteOptionsKind), fieldValidation: "Ignore" })
}
