/** Creation: system fields, preparation by the kind, validation, commit. Specification section 2.2. */
import type { OpenAttributes } from "../admission/plugin.ts"
import { emptyObject } from "../apply/managed-fields/versions.ts"
import {
  alreadyExists,
  type ApiError,
  badRequest,
  generatedNameExists,
  invalid,
  methodNotAllowed,
  stillDeleted,
  timeout,
  unknownPath,
} from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import { deepClone, deletePath, getPath, setPath } from "../encoding/field-path.ts"
import { sentForms } from "../encoding/sent-forms.ts"
import type { ApiObject, JsonObject, ObjectMeta } from "../base/json.ts"
import type { ChangeContext } from "../schema/behaviour.ts"
import type { Kind } from "../schema/kind.ts"
import type { TypeShape } from "../schema/shape.ts"
import { timeText } from "../base/time.ts"
import { conflictAttemptsMax, generatedNameTries } from "../base/limits.ts"
import type { Random } from "../base/random.ts"
import type { Vendor } from "../base/vendor.ts"
import { mutateObject, validateByKind, validateObject } from "./admit.ts"
import { commitPut, collectTransactionOps, type WriteResult } from "./commit.ts"
import { namespaceCheck, awaitNamespaceChange } from "./namespace-guard.ts"
import { dropGated } from "./gated-fields.ts"
import { validateParts } from "./first-validation.ts"
import { metaOptions, validateObjectMeta } from "./object-meta.ts"
import { parseObject } from "./object-codec.ts"
import { checkManagers, isTooLarge, managerOf, updateManagedFields, type ManagedFieldsMode } from "./managed-fields.ts"
import { dedupOwnerReferences } from "./owner-references.ts"
import { objectRefOf } from "./read.ts"
import { checkReferences } from "./references.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { settleHooks } from "./settle-hooks.ts"

export interface CreateRequest {
  /** Operation CREATE, in the namespace of the object. */
  readonly attributes: OpenAttributes
  /** Decoded, in the handle's version, with defaults. */
  readonly object: ApiObject
  /** Of a request that was authorized as a change. Absent: it was authorized as a creation. */
  readonly authorize?: AuthorizeCreate
  /** The request is a PUT or an apply, which may name a version of an object that is gone. Absent: it is a POST. */
  readonly isChange?: boolean
  /** Absent: the server itself creates the object, and no manager owns its fields. */
  readonly managedFields?: ManagedFieldsMode | undefined
}

/**
 * Called before validating admission of each attempt, where the reference checks as well. Throws 403 unless the user
 * may create the object.
 */
export type AuthorizeCreate = () => undefined | Promise<undefined>

/** Letters and digits that cannot form words; the reference uses the same alphabet. */
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"
const nameSuffixLength = 5
const generatedBaseLength = 58

/**
 * Creates an object. Called by POST, and by PUT on a missing object if its kind allows that. Throws 409, 422, or the
 * error of an admission plugin.
 */
export async function createObject(registry: Registry, handle: KindHandle, request: CreateRequest): Promise<WriteResult> {
  try {
    return await createNamed(registry, handle, request)
  } catch (error) {
    if (request.managedFields !== "tracked" || !isTooLarge(error)) throw error
    const { managedFields: _mode, ...untracked } = request
    return await createNamed(registry, handle, untracked)
  }
}

async function createNamed(registry: Registry, handle: KindHandle, request: CreateRequest): Promise<WriteResult> {
  const generate = (request.object.metadata?.name ?? "") === "" && (request.object.metadata?.generateName ?? "") !== ""
  for (let attempt = 1; ; attempt++) {
    const result = await registry.creations.track(request.attributes.namespace, () => createOnce(registry, handle, request))
    if (result.ok) return result.result
    if (result.refusedAt !== undefined && !result.exists) await awaitNamespaceChange(registry, result.refusedAt)
    if (result.exists && !generate) throw nameConflict(handle, request, result.name)
    if (attempt >= (result.exists ? generatedNameTries : conflictAttemptsMax)) {
      throw result.exists
        ? nameConflict(handle, request, result.name)
        : timeout("the server could not allocate what the object needs because others were faster each time; try again", 1)
    }
  }
}

/** Returns a 409 for a name in use. Its text differs for an object that is being deleted: clients wait for its end. */
function nameConflict(handle: KindHandle, { attributes: { namespace }, object }: CreateRequest, name: string): ApiError {
  const objectRef = objectRefOf(handle, name)
  const exists = (object.metadata?.generateName ?? "") === "" ? alreadyExists(objectRef) : generatedNameExists(objectRef)
  const existing = handle.cache.get(handle.key(namespace, name))
  const isTerminating = existing !== undefined && handle.fromStored(parseObject(existing.json())).metadata?.deletionTimestamp !== undefined
  return isTerminating ? stillDeleted(exists) : exists
}

/** `refusedAt`: the revision of a refused commit, after which the namespace must be read again. */
type Attempt =
  | { readonly ok: true; readonly result: WriteResult }
  | { readonly ok: false; readonly exists: boolean; readonly name: string; readonly refusedAt?: number }

async function createOnce(registry: Registry, handle: KindHandle, request: CreateRequest): Promise<Attempt> {
  const { vendor } = registry.deps
  const { attributes } = request
  const pace = handle.firstWrites.weigh(attributes.pace)
  const { namespace, dryRun, trace } = attributes
  if (handle.kind.custom !== undefined) checkDefinition(registry, handle.kind)
  const sent = await trackedObject(registry, handle, request)
  await pace.turn()
  const guard = dryRun ? undefined : await namespaceCheck(registry, namespace, handle.prefix(namespace), trace)
  attributes.name = sent.metadata?.name ?? ""
  const mutated = mutateObject(registry, attributes, { object: sent, pace }, handle.parts)
  const object = mutated === sent ? sent : afterMutation(handle, request, { sent, mutated: await mutated })
  const name = nameObject(registry, object)
  const key = handle.key(namespace, name)
  const failures = new Failures()
  prepareCreate(handle, object, { failures, dryRun, user: attributes.user, warn: attributes.warn })
  if (handle.hasOwnHooks) await settleHooks(handle, object, pace)
  await pace.turn()
  validateObjectMeta(object.metadata ?? {}, metaOptions(handle.kind, vendor, failures))
  const { settled } = handle
  if (handle.firstWrites.isFirst && pace.isSlow && !attributes.pace.isSlow) await validateParts(handle.parts, object, vendor)
  const passed = settled === undefined ? undefined : (field: string) => settled.hasPassed(object, field)
  const validating = validateByKind(handle.parts, object, {
    failures,
    vendor,
    passed,
    allowsPrivileged: registry.allowsPrivileged,
    bytes: pace.bytes,
  })
  if (validating !== undefined) await validating
  const looking = checkReferences(registry, failures, trace)
  if (looking !== undefined) await looking
  if (!failures.empty) throw invalid({ group: handle.kind.storage.group, resource: handle.kind.kind, name }, failures.list)
  settled?.keepPassed(object)
  for (const text of handle.parts.warnings?.(object, { failures, vendor }) ?? []) attributes.warn(text)
  attributes.name = name
  const authorized = request.authorize?.()
  if (authorized !== undefined) await authorized
  const validated = validateObject(registry, attributes, { object })
  if (validated !== undefined) await validated
  await pace.turn()
  showDefaults(handle, object, vendor)
  if (!dryRun) forgetVersion(object, request)
  else if (handle.cache.get(key) !== undefined) return { ok: false as const, exists: true, name }
  const own = await collectTransactionOps(handle, { object }, { dryRun, pace })
  const ops = guard === undefined ? own : { ...own, checks: [...own.checks, guard] }
  await pace.turn()
  const outcome = await commitPut(registry, handle, {
    key,
    expected: 0,
    object,
    passed: true,
    pace,
    ops,
    dryRun,
    created: true,
    trace,
  })
  if (outcome.ok) return outcome
  return { ok: false, exists: outcome.exists, name, ...(guard !== undefined && { refusedAt: outcome.revision }) }
}

/** Throws 405 while the definition of the kind is being deleted, and 404 once it is gone. */
function checkDefinition({ deps: { kinds } }: Registry, kind: Kind): void {
  const { custom } = kinds.current(kind) ?? {}
  if (custom === undefined) throw unknownPath()
  if (custom.isTerminating) throw methodNotAllowed("create not allowed while custom resource definition is terminating")
}

/** The client's object with its managed fields. Uid, creation time and generated name are set after admission. */
async function trackedObject(registry: Registry, handle: KindHandle, request: CreateRequest): Promise<ApiObject> {
  const metadata = sentMetadata(handle, request.attributes.namespace, request.object.metadata ?? {})
  const object = { ...request.object, metadata }
  for (const behaviour of handle.behaviours) behaviour.decoded?.(object)
  dedupOwnerReferences(object, request.attributes.warn)
  const managedFields = await newManagedFields(registry, handle, request, object)
  // A behaviour may have put other metadata in place.
  if (managedFields !== undefined) object.metadata.managedFields = managedFields
  return object
}

/** Handles the plugins' object like one that a client sent. */
function afterMutation(handle: KindHandle, request: CreateRequest, states: { sent: ApiObject; mutated: ApiObject }): ApiObject {
  const { sent, mutated } = states
  if (mutated === sent) return sent
  const metadata = sentMetadata(handle, request.attributes.namespace, mutated.metadata ?? {})
  const object = { ...mutated, metadata }
  for (const behaviour of handle.behaviours) behaviour.decoded?.(object)
  dedupOwnerReferences(object, request.attributes.warn)
  const { managedFields } = sent.metadata ?? {}
  // A behaviour may have put other metadata in place.
  if (managedFields !== undefined) object.metadata.managedFields = managedFields
  return object
}

/** Computes `managedFields` for a new object from the client's object, before any preparation. */
async function newManagedFields(
  registry: Registry,
  handle: KindHandle,
  request: CreateRequest,
  object: ApiObject,
): Promise<JsonObject[] | undefined> {
  const { managedFields: mode } = request
  const sent = request.object.metadata?.managedFields
  if (mode === undefined) return undefined
  checkManagers(handle, object.metadata?.name ?? "", request.object)
  if (mode === "provided") return sent
  const next = sent === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields: sent } }
  const forms = sentForms(request.object)
  const manager = managerOf(request.attributes)
  return updateManagedFields(registry, handle, { manager, subresource: "", next, forms, pace: request.attributes.pace })
}

function prepareCreate(handle: KindHandle, object: ApiObject, context: ChangeContext): void {
  for (const path of handle.kind.rules.createDrops) emptyPath(handle.parts.shape, object, path)
  const { generation, firstGeneration = 1 } = handle.kind.rules
  if (object.metadata !== undefined && generation !== undefined) {
    // A kind that begins without a generation keeps the client's value, as in the reference.
    if (firstGeneration !== 0) object.metadata.generation = firstGeneration
  }
  if (handle.gatedFields !== undefined) dropGated(handle.gatedFields, object)
  for (const behaviour of handle.behaviours) behaviour.prepareCreate?.(object, context)
}

/**
 * Re-applies defaults once the client's `status` was dropped and the object validated: stored custom objects equal what
 * a read would default.
 */
function showDefaults({ kind, parts }: KindHandle, object: ApiObject, vendor: Vendor): void {
  if (kind.custom !== undefined && kind.rules.createDrops.length > 0) parts.applyDefaults(object, { vendor })
}

/** Drops the client's value at `path`. A field that the kind always shows (`status: {replicas: 0}`) becomes empty. */
function emptyPath(shape: TypeShape, object: ApiObject, path: string): void {
  const empty = getPath(emptyObject(shape), path)
  if (empty === undefined) deletePath(object, path)
  else setPath(object, path, deepClone(empty))
}

/** Fields that only the server sets on a new object; `nameObject` sets them. */
const systemFields = ["uid", "resourceVersion", "creationTimestamp"] as const

/**
 * Metadata of a new object as the client sent it. The system fields are already present as undefined: this keeps the
 * published order without assembling the record again, which would be most of the cost of a creation here.
 */
function sentMetadata(handle: KindHandle, namespace: string, sent: ObjectMeta): ObjectMeta {
  const metadata: JsonObject = {}
  if ((sent.name ?? "") !== "" || (sent.generateName ?? "") !== "") metadata.name = (sent.name ?? "") === "" ? undefined : sent.name
  if (sent.generateName !== undefined) metadata.generateName = sent.generateName
  if (handle.kind.namespaced) metadata.namespace = namespace
  for (const field of systemFields) metadata[field] = field === "resourceVersion" ? sent.resourceVersion : undefined
  const rest: JsonObject = sent
  for (const field in rest) if (!(field in metadata) && !ignoredMetadata.has(field)) metadata[field] = rest[field]
  return metadata
}

/** Sets name, uid and creation time, and returns the name. Called after admission; each attempt gets new values. */
function nameObject(registry: Registry, { metadata = {} }: ApiObject): string {
  const { clock, random } = registry.deps
  const { generateName = "" } = metadata
  if (metadata.name === undefined && generateName !== "") metadata.name = generatedName(random, generateName)
  metadata.uid = random.uuid()
  metadata.creationTimestamp = timeText(clock.nowMs())
  return metadata.name ?? ""
}

/**
 * Called before the commit, where the reference checks as well: other faults are reported first, and a dry run shows
 * the version that was sent. Throws 400 for a version in a POST; only a number above 0 counts as a version.
 */
function forgetVersion({ metadata = {} }: ApiObject, { isChange }: CreateRequest): void {
  const { resourceVersion = "" } = metadata
  if (isChange !== true && isRevision(resourceVersion)) throw badRequest("resourceVersion should not be set on objects to be created")
  metadata.resourceVersion = ""
}

/** Whether the reference reads the text as an unsigned number of 64 bits above 0. */
function isRevision(text: string): boolean {
  return /^0*[1-9][0-9]{0,19}$/.test(text) && BigInt(text) < 2n ** 64n
}

/** Metadata that a client cannot set on a new object. */
const ignoredMetadata = new Set(["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields", "namespace"])

function generatedName(random: Random, generateName: string): string {
  let suffix = ""
  for (let index = 0; index < nameSuffixLength; index++) suffix += nameAlphabet[random.integer(nameAlphabet.length)]
  return generateName.slice(0, generatedBaseLength) + suffix
}
