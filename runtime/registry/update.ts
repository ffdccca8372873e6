/**
 * The update loop behind update, patch and every sub-resource write: read the newest state, call the transform, apply
 * the rules of the kind, commit if the object has not changed meanwhile, else retry. The transform must be pure.
 */
import { equalIgnoringTimes } from "../apply/managed-fields/entry.ts"
import { withManagers } from "../apply/managed-fields/with-managers.ts"
import type { OpenAttributes } from "../admission/plugin.ts"
import { ApiError, badRequest, conflict, invalid, notFound, staleVersion, storedPreconditionText } from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import { copyPath, deepEqual, getPath, ownField } from "../encoding/field-path.ts"
import { sentForms } from "../encoding/sent-forms.ts"
import { setField } from "../encoding/json/text.ts"
import { ownValue } from "../encoding/settled.ts"
import type { ApiObject, JsonObject, ObjectMeta } from "../base/json.ts"
import type { Subresource } from "../schema/kind.ts"
import { cut } from "../base/quote.ts"
import { staleReadTimeoutMs } from "../base/limits.ts"
import type { CachedObject } from "../storage/cache.ts"
import { mutateObject, validateByKind, validateObject } from "./admit.ts"
import { commitDelete, commitPut, collectTransactionOps, type CommitOutcome, type WriteResult } from "./commit.ts"
import { type AuthorizeCreate, createObject } from "./create.ts"
import { confirmDefinition } from "./definition-guard.ts"
import { removable } from "./deletion-step.ts"
import { dropGated } from "./gated-fields.ts"
import { metaOptions, validateObjectMetaUpdate } from "./object-meta.ts"
import { dedupOwnerReferences } from "./owner-references.ts"
import { checkManagers, isTooLarge, managerOf, updateManagedFields, type ManagedFieldsMode, type TrackedChange } from "./managed-fields.ts"
import { awaitFreshness, parseRevision, objectRefOf } from "./read.ts"
import { checkReferences } from "./references.ts"
import type { KindHandle, Registry } from "./registry.ts"
import type { Pace } from "../base/pace.ts"
import { inTurns } from "../base/turns.ts"
import { removalOps } from "./removal.ts"
import { settleHooks } from "./settle-hooks.ts"
import { readingToChange, readToChange } from "./stored-object.ts"
import { isStoredEarlier } from "./stored-earlier.ts"
import { copyRemembered, keepsStoredOnly, rememberedStored, rememberStored } from "./stored-state.ts"
import { withConversions } from "./version-conversion.ts"
import { tryWriteFromCache } from "./write-from-cache.ts"
import { writeInTurn } from "./write-in-turn.ts"

export interface UpdateRequest {
  /** Operation UPDATE, with the object's namespace and name. A creation by PUT or apply is admitted as CREATE. */
  readonly attributes: OpenAttributes
  /** The sub-resource whose rules apply. Absent: the rules of the object itself. */
  readonly subresource?: Subresource
  /** How admission runs. Absent: mutating and validating plugins, on the object itself. */
  readonly admission?: UpdateAdmission
  /**
   * Makes the next object from the stored one (in the handle's version; `undefined` if there is none and one may be
   * created). `pace`: by the larger of the stored JSON and the request body. `written`: the same object, if this
   * process wrote it last, in this version. Must not modify its arguments.
   */
  readonly transform: (old: ApiObject | undefined, pace: Pace, written: ApiObject | undefined) => ApiObject | Promise<ApiObject>
  /** The transform's result shares nothing with its argument or with earlier results, and may be modified in place. */
  readonly fresh?: boolean
  /** The request is a PUT: the kind decides whether it may leave resourceVersion out. */
  readonly put: boolean
  /** How a missing object is created. Absent: it is 404. */
  readonly creation?: UpdateCreation
  /** Precondition: 409 unless the stored object has this uid. */
  readonly uid?: string
  /** The same for the uid in the body of a PUT that is not the object. 409 also when there is no object. */
  readonly sentUid?: string
  /** Absent: the server itself writes, and managedFields stay as they are. */
  readonly managedFields?: ManagedFieldsMode | undefined
}

/** A PUT or an apply that may create its object. It was authorized as a change alone. */
export interface UpdateCreation {
  /** `put`: only if the kind allows it. `apply`: always. */
  readonly by: "put" | "apply"
  /** As `CreateRequest.authorize`. */
  readonly authorize: AuthorizeCreate
}

/**
 * `done`: the write is part of a request that was admitted as a whole (binding, eviction). `view`: the transform has
 * already run the mutating plugins; the validating plugins see this view of the object and of the stored one (scale).
 */
export type UpdateAdmission = "done" | { readonly view: (object: ApiObject) => ApiObject }

/** Called by update, patch and sub-resource verbs. Throws 404, 409, 422, or the error of a plugin or the transform. */
export async function updateObject(registry: Registry, handle: KindHandle, request: UpdateRequest): Promise<WriteResult> {
  const { namespace, name, trace } = request.attributes
  const key = handle.key(namespace, name)
  // A PUT mostly names the version that it replaces, and must not wait to hear that it is stale.
  const triesAtOnce = request.put || !registry.writes.isContended(key)
  const cached = triesAtOnce ? handle.cache.get(key) : undefined
  if (cached !== undefined) {
    const attemptFromCache = (attributes: OpenAttributes): Promise<CommitOutcome> =>
      attemptOn(registry, handle, { ...request, attributes }, cached).then(({ outcome }) => outcome)
    const written = await tryWriteFromCache(registry, request.attributes, attemptFromCache)
    if (written !== undefined) return written
  }
  await awaitFreshness(registry, handle, { mode: "most-recent" }, trace)
  const outrun = (): ApiError => staleVersion(objectRefOf(handle, name))
  const write = { key, attributes: request.attributes, triesAtOnce, outrun }
  return writeInTurn(registry, write, () => attemptOnNewest(registry, handle, request, key))
}

/** Makes one attempt on top of the newest state. Returns undefined if another write came first. */
async function attemptOnNewest(
  registry: Registry,
  handle: KindHandle,
  request: UpdateRequest,
  key: string,
): Promise<WriteResult | undefined> {
  const { trace, name } = request.attributes
  const current = handle.cache.get(key)
  if (current === undefined) {
    const result = await createMissing(registry, handle, request)
    if (result === undefined) await awaitFreshness(registry, handle, { mode: "most-recent" }, trace)
    return result
  }
  const { outcome, pinned } = await attemptOn(registry, handle, request, current)
  if (outcome.ok) return outcome.result
  // If the object is gone, or another one has its name, the next attempt reports it.
  if (pinned && outcome.changed && outcome.createRevision === current.createRevision) throw staleVersion(objectRefOf(handle, name))
  await trace.during("etcd", handle.cache.waitFor(outcome.revision, staleReadTimeoutMs))
  return undefined
}

/** Makes one attempt on top of `current`. `pinned`: the client sent a resourceVersion. */
async function attemptOn(
  registry: Registry,
  handle: KindHandle,
  request: UpdateRequest,
  current: CachedObject,
): Promise<{ readonly outcome: CommitOutcome; readonly pinned: boolean }> {
  const { key, modRevision: revision } = current
  const { conversion } = handle
  const json = (conversion === undefined ? current : await conversion.one(current)).json()
  const { attributes } = request
  const pace = handle.firstWrites.weigh(attributes.pace.atLeast(json.length))
  const recent = conversion === undefined ? registry.recent.find(key, revision) : undefined
  const storedOld = recent?.object ?? (pace.isSlow ? await inTurns(readingToChange(json)) : readToChange(json, handle.settled))
  const old = handle.fromStored(storedOld)
  await pace.turn()
  const written = old === recent?.object ? old : undefined
  const next = await withConversions(conversion, () => request.transform(old, pace, written))
  checkUid(registry, handle, request, { next, old })
  const pinned = request.put && namesVersion(next)
  const oldPassed = written !== undefined && recent?.passed === true
  // The transform may have added fields that need defaults.
  const state = { key, revision, current, old, oldPassed, storedOld, next, pace: pace.atLeast(attributes.pace.bytes) }
  return { outcome: await attemptThatFits(registry, handle, request, state), pinned }
}

/** Creates the object if the request may. Returns undefined if another request created it meanwhile. */
async function createMissing(registry: Registry, handle: KindHandle, request: UpdateRequest): Promise<WriteResult | undefined> {
  const { attributes, managedFields, creation, sentUid = "" } = request
  const objectRef = objectRefOf(handle, attributes.name)
  if (sentUid !== "") throw conflict(objectRef, missingUidText(registry, handle, request, sentUid))
  const isPart = request.subresource !== undefined
  if (creation === undefined || (isPart && !request.put)) throw notFound(objectRef)
  const object = await request.transform(undefined, attributes.pace, undefined)
  const { uid = "" } = object.metadata ?? {}
  // The reference checks the uid before it looks whether there is an object, also for a sub-resource.
  if (uid !== "") throw conflict(objectRef, missingUidText(registry, handle, request, uid))
  if (isPart || (creation.by === "put" && !handle.kind.rules.createOnUpdate)) throw notFound(objectRef)
  if (namesVersion(object)) parseRevision(object.metadata?.resourceVersion ?? "", "object")
  try {
    return await createObject(registry, handle, {
      attributes: { ...attributes, operation: "CREATE", oldObject: undefined },
      object,
      isChange: true,
      authorize: creation.authorize,
      ...(managedFields !== undefined && { managedFields }),
    })
  } catch (error) {
    if (error instanceof ApiError && error.reason === "AlreadyExists") return undefined
    throw error
  }
}

/** The text of the 409 for a uid of an object that does not exist. */
function missingUidText(registry: Registry, handle: KindHandle, request: UpdateRequest, uid: string): string {
  if (request.put || request.sentUid !== undefined) return storedPreconditionText(shownKey(registry, handle, request), "UID", uid, "")
  return `uid mismatch: the provided object specified uid ${cut(uid)}, and no existing object was found`
}

/** The key of the object as failures show it. The reference checks a dry run before it adds the prefix of the store. */
function shownKey({ deps: { storePrefix } }: Registry, handle: KindHandle, { attributes }: UpdateRequest): string {
  const key = handle.key(attributes.namespace, attributes.name)
  return attributes.dryRun ? `/${key.slice(storePrefix.length)}` : key
}

function namesVersion({ metadata: { resourceVersion = "" } = {} }: ApiObject): boolean {
  return resourceVersion !== "" && resourceVersion !== "0"
}

/**
 * Called after mutating admission. Throws 409 if the object's version is not the stored one, 422 if the kind requires a
 * version and the object has none.
 */
function checkVersion(handle: KindHandle, request: UpdateRequest, state: { next: ApiObject; current: number }): void {
  const { name } = request.attributes
  const asked = state.next.metadata?.resourceVersion ?? ""
  if (!namesVersion(state.next)) {
    if (request.managedFields !== undefined && request.admission === undefined && !handle.kind.rules.unconditionalUpdate) {
      const detail = "must be specified for an update"
      throw invalid({ group: handle.kind.group, resource: handle.kind.resource, name }, [
        { type: "Invalid", field: "metadata.resourceVersion", value: asked, shown: "0x0", detail },
      ])
    }
    return
  }
  if (parseRevision(asked, "object") !== state.current) throw staleVersion(objectRefOf(handle, name))
}

function checkUid(registry: Registry, handle: KindHandle, request: UpdateRequest, state: { next: ApiObject; old: ApiObject }): void {
  const stored = state.old.metadata?.uid ?? ""
  const asked = request.uid ?? request.sentUid ?? (request.put ? state.next.metadata?.uid : undefined) ?? ""
  if (asked !== "" && asked !== stored) {
    throw conflict(
      objectRefOf(handle, request.attributes.name),
      storedPreconditionText(shownKey(registry, handle, request), "UID", asked, stored),
    )
  }
}

interface UpdateState {
  readonly key: string
  readonly revision: number
  readonly current: CachedObject
  readonly old: ApiObject
  /** `old` has passed validation as a whole, in this version. */
  readonly oldPassed: boolean
  /** `old` in the stored version. */
  readonly storedOld: ApiObject
  readonly next: ApiObject
  readonly pace: Pace
  /** Drop all managedFields. */
  readonly dropsManagedFields?: boolean | undefined
}

/** If the object is too large to be stored, retries without managedFields. */
async function attemptThatFits(registry: Registry, handle: KindHandle, request: UpdateRequest, state: UpdateState): Promise<CommitOutcome> {
  try {
    return await attemptUpdate(registry, handle, request, state)
  } catch (error) {
    if (request.managedFields !== "tracked" || !isTooLarge(error)) throw error
    // The first attempt may have modified the transform's result.
    const next = request.fresh === true ? await request.transform(state.old, state.pace, undefined) : state.next
    return await attemptUpdate(registry, handle, request, { ...state, next, dropsManagedFields: true })
  }
}

/** Computes `managedFields` for the next object from the client's object, before any preparation. */
function nextManagedFields(
  registry: Registry,
  handle: KindHandle,
  request: UpdateRequest,
  state: UpdateState & Pick<TrackedChange, "forms">,
): ReturnType<typeof updateManagedFields> {
  const { managedFields: mode } = request
  const { old, next } = state
  if (mode === undefined) return old.metadata?.managedFields
  if (request.subresource === undefined) checkManagers(handle, request.attributes.name, next, old)
  if (mode === "provided") return next.metadata?.managedFields
  if (state.dropsManagedFields === true) return undefined
  const subresource = request.subresource?.name ?? ""
  const { forms, pace } = state
  return updateManagedFields(registry, handle, { manager: managerOf(request.attributes), subresource, next, old, forms, pace })
}

async function attemptUpdate(registry: Registry, handle: KindHandle, request: UpdateRequest, state: UpdateState): Promise<CommitOutcome> {
  const { key, revision, old, oldPassed, pace } = state
  const { attributes } = request
  const { dryRun, trace } = attributes
  const subresource = request.subresource?.name
  const scope = subresource === undefined ? { dryRun } : { dryRun, subresource }
  const failures = new Failures()
  const sent = request.fresh === true ? state.next : ownCopy(state.next)
  const isConverted = keepsStoredOnly(handle)
  if (isConverted) {
    rememberStored(old, state.storedOld)
    rememberStored(sent, state.storedOld)
  }
  await pace.turn()
  afterDecoding(handle, sent)
  const found = nextManagedFields(registry, handle, request, { forms: sentForms(state.next), ...state, next: sent })
  const managedFields = found instanceof Promise ? await found : found
  await pace.turn()
  const admits = request.admission === undefined && registry.deps.admission.mutates(attributes.operation)
  const next = admits ? await mutated(registry, handle, request, { next: sent, old, pace, managedFields }) : sent
  // A patch that names an owner twice has become its manager by now, as in the reference.
  dedupOwnerReferences(next, attributes.warn)
  if (isConverted && next !== sent) copyRemembered(sent, next)
  checkVersion(handle, request, { next, current: revision })
  const isLinked = (next.metadata?.selfLink ?? "") !== ""
  next.metadata = nextMetadata(next, old)
  if (managedFields !== undefined) next.metadata.managedFields = managedFields
  keepStored(handle, request, { next, old })
  if (handle.gatedFields !== undefined) dropGated(handle.gatedFields, next, old, scope.subresource)
  for (const behaviour of handle.behaviours) behaviour.prepareUpdate?.(next, old, { ...scope, failures, user: attributes.user })
  if (handle.hasOwnHooks) await settleHooks(handle, next, pace)
  countGeneration(handle, request, { next, old })
  await pace.turn()
  const validating = validateUpdate(registry, handle, request, { next, old, oldPassed, failures, pace })
  if (validating !== undefined) await validating
  await pace.turn()
  const judged = validated(registry, request, { next, old })
  if (judged !== undefined) await judged
  if (removable(handle, next)) {
    const ops = await removalOps(registry, handle, old, scope)
    return commitDelete(registry, handle, { key, expected: revision, object: next, ops, dryRun, trace })
  }
  const ops = await collectTransactionOps(handle, { object: next, old }, { pace, ...scope })
  await pace.turn()
  const sameHidden = !isConverted || rememberedStored(next) === state.storedOld
  const same = ops.writes.length === 0 && sameHidden && unchanged(next, old, isLinked)
  await pace.turn()
  if (same && !(await isStoredEarlier(registry, handle, state.current))) {
    await confirmDefinition(registry, handle)
    return { ok: true, result: { object: old, created: false, removed: false } }
  }
  // A status write leaves all other fields as they were.
  const passed = subresource === undefined || (oldPassed && subresource === "status")
  return commitPut(registry, handle, { key, expected: revision, object: next, passed, pace, ops, dryRun, created: false, trace })
}

/** The steps that follow decoding, for an object of a client or of a plugin. */
function afterDecoding(handle: KindHandle, object: ApiObject): void {
  for (const behaviour of handle.behaviours) behaviour.decoded?.(object)
}

/** Runs the mutating plugins, which see the client's object with updated managedFields. */
async function mutated(
  registry: Registry,
  handle: KindHandle,
  request: UpdateRequest,
  {
    next: sent,
    old,
    pace,
    managedFields,
  }: Pick<UpdateState, "next" | "old" | "pace"> & { readonly managedFields: JsonObject[] | undefined },
): Promise<ApiObject> {
  const object = withManagers(sent, managedFields)
  const next = await mutateObject(registry, request.attributes, { object, old, pace }, handle.parts)
  if (next !== object) afterDecoding(handle, next)
  return next
}

function validated(
  registry: Registry,
  { admission, attributes }: UpdateRequest,
  { next, old }: { next: ApiObject; old: ApiObject },
): undefined | Promise<undefined> {
  if (admission === "done" || !registry.deps.admission.validates(attributes.operation)) return undefined
  const view = admission?.view ?? ((object: ApiObject) => object)
  return validateObject(registry, attributes, { object: view(next), old: view(old) })
}

/**
 * Copies an object that may share parts with the stored one, since behaviours modify it in place. Managed fields and
 * settled values stay shared: behaviours do not touch them.
 */
function ownCopy(object: ApiObject): ApiObject {
  const managedFields = object.metadata?.managedFields
  const own = withManagers(object, undefined)
  const copy: ApiObject = {}
  for (const name in own) {
    const value = own[name]
    if (value !== undefined) setField(copy, name, ownValue(value))
  }
  if (managedFields !== undefined && copy.metadata !== undefined) copy.metadata.managedFields = managedFields
  return copy
}

/**
 * Whether the object is unchanged but for the times in managedFields. Such an object is not written. As in the
 * reference, times do count when the client has sent the link of an earlier version (`isLinked`).
 */
function unchanged(next: ApiObject, old: ApiObject, isLinked: boolean): boolean {
  const [after, before] = [next.metadata ?? {}, old.metadata ?? {}]
  return (
    sameBut("metadata", next, old) &&
    sameBut("managedFields", after, before) &&
    (isLinked ? deepEqual : equalIgnoringTimes)(after.managedFields, before.managedFields)
  )
}

function sameBut(omitted: string, left: JsonObject, right: JsonObject): boolean {
  for (const name in left) if (name !== omitted && !deepEqual(left[name], ownField(right, name))) return false
  for (const name in right) if (name !== omitted && right[name] !== undefined && ownField(left, name) === undefined) return false
  return true
}

/** Metadata that a client cannot set. */
const ignoredMetadata: ReadonlySet<string> = new Set(["selfLink", "managedFields", "generation"])

/** Metadata for the next object, with the fields that an update cannot change; catalog `metadataRules.update`. */
function nextMetadata(next: ApiObject, old: ApiObject): ObjectMeta {
  const before = old.metadata ?? {}
  const sent: JsonObject = next.metadata ?? {}
  const kept: JsonObject = {}
  for (const name in sent) if (!ignoredMetadata.has(name)) kept[name] = sent[name]
  const metadata: ObjectMeta = kept
  const { resourceVersion, generation, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = before
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  if (generation !== undefined) metadata.generation = generation
  if ((metadata.uid ?? "") === "" && uid !== undefined) metadata.uid = uid
  if (creationTimestamp !== undefined) metadata.creationTimestamp = creationTimestamp
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp
  if (metadata.deletionGracePeriodSeconds === undefined && deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds = deletionGracePeriodSeconds
  return metadata
}

function keepStored(handle: KindHandle, request: UpdateRequest, state: { next: ApiObject; old: ApiObject }): void {
  const kept = request.subresource === undefined ? handle.kind.rules.updateKeeps : (request.subresource.keeps ?? [])
  for (const path of kept) {
    if (path === "metadata") keepMetadata(state)
    else copyPath(state.old, state.next, path)
  }
}

/** All metadata but the managed fields, which the write has changed. */
function keepMetadata({ next, old }: { next: ApiObject; old: ApiObject }): void {
  const { managedFields } = next.metadata ?? {}
  const { managedFields: _before, ...kept } = old.metadata ?? {}
  next.metadata = managedFields === undefined ? kept : { ...kept, managedFields }
}

/** Increments `generation` if one of the kind's generation paths has changed. A write of the status never does. */
function countGeneration(handle: KindHandle, { subresource }: UpdateRequest, state: { next: ApiObject; old: ApiObject }): void {
  const paths = handle.kind.rules.generation
  if (paths === undefined || state.next.metadata === undefined || subresource?.name === "status") return
  const changed = paths.some((path) => !deepEqual(getPath(state.next, path), getPath(state.old, path)))
  if (changed) state.next.metadata.generation = (state.old.metadata?.generation ?? 0) + 1
}

/** Throws 422, or rejects with it where validation has stages or other objects had to be looked up. */
function validateUpdate(
  registry: Registry,
  handle: KindHandle,
  request: UpdateRequest,
  state: { next: ApiObject; old: ApiObject; oldPassed: boolean; failures: Failures; pace: Pace },
): undefined | Promise<undefined> {
  const { vendor } = registry.deps
  const { next, old, oldPassed, failures, pace } = state
  const { name, trace } = request.attributes
  const { allowsPrivileged } = registry
  const context = {
    failures,
    vendor,
    old,
    passed: oldPassed ? (field: string) => deepEqual(next[field], old[field]) : undefined,
    allowsPrivileged,
    bytes: pace.bytes,
    ...(request.subresource !== undefined && { subresource: request.subresource.name }),
  }
  if (next.metadata?.name !== name)
    throw badRequest(`the name of the object (${next.metadata?.name ?? ""}) does not match the name on the URL (${name})`)
  const ofKind = request.subresource === undefined || request.subresource.validatesObject === true
  const options = metaOptions(handle.kind, vendor, failures)
  const isFree = request.subresource?.freeFinalizers === true
  validateObjectMetaUpdate(next.metadata, old.metadata ?? {}, {
    options: isFree ? { ...options, standardFinalizer: undefined } : options,
    isOfKind: ofKind,
  })
  const ofMetadata = failures.list.length
  const validating = validateByKind(handle.parts, next, context)
  const judge = (): undefined => {
    if (ofKind && handle.kind.rules.validatesTwice === true && failures.list.length > ofMetadata) {
      const again = new Failures()
      handle.parts.validate(next, { failures: again, vendor, again: true })
      for (const failure of again.list) failures.add(failure)
    }
    if (!failures.empty) throw invalid({ group: handle.kind.storage.group, resource: handle.kind.kind, name }, failures.list)
    // As in the reference: a controller that writes the status did not write the fields that cause warnings.
    if (request.subresource?.name === "status") return undefined
    for (const text of handle.parts.warnings?.(next, context) ?? []) request.attributes.warn(text)
  }
  if (validating === undefined) return checkReferences(registry, failures, trace)?.then(judge) ?? judge()
  return validating.then(() => checkReferences(registry, failures, trace)?.then(judge) ?? judge())
}
