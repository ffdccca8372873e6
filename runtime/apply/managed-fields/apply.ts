/**
 * Server-side apply: merges a configuration into an object and makes its manager the owner of all fields that it sets
 * (specification section 4.8). A field that another manager owns with another value is a conflict unless the request
 * forces it. Fields that the manager applied before and no longer applies are removed.
 */
import { badRequest } from "../../base/errors.ts"
import { shortList } from "../../base/bounded-text.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { equalSets, type FieldSet, intersection, isEmptySet, recursiveDifference } from "../ownership/field-set.ts"
import { intersectionStages } from "../ownership/field-set-stages.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import { IndexedSet } from "../ownership/indexed-set.ts"
import { mergeApplied } from "../ownership/merge-applied.ts"
import { reconciledOnce } from "../ownership/shared-sets.ts"
import { typedFaults } from "../ownership/typed-check.ts"
import { fieldSetOf } from "../ownership/typed-set.ts"
import { identityText } from "./configuration-text.ts"
import { type Conflict, conflictError } from "./conflict.ts"
import { type ManagedFieldsEntry, encodeEntries, encodingStages, type Manager, readEntries, sameManager } from "./entry.ts"
import { allowedByLastApplied, kubectlManager, withLastApplied } from "./last-applied.ts"
import { pruning } from "./prune.ts"
import { fewManagers, withoutUnmanaged, entriesAfterUpdate, withoutTouched } from "./track-update.ts"
import { withManagers } from "./with-managers.ts"
import { FieldChanges, type TypedVersion, type Versions } from "./versions.ts"

export interface ApplyRequest {
  readonly versions: Versions
  /** As stored; absent when apply creates the object. */
  readonly live?: ApiObject
  /** As sent: parsed, neither normalized nor defaulted. */
  readonly config: JsonObject
  readonly manager: string
  /** "" for the main resource. */
  readonly subresource: string
  readonly force: boolean
  /** The time for managedFields, as text. */
  readonly now: string
  /** The annotation in which client-side apply keeps its configuration. */
  readonly lastAppliedAnnotation: string
  /** Whether the objects are large, so that each walk over them has stages of its own. Default false. */
  readonly isLarge?: boolean
}

const beforeFirstApply = "before-first-apply"

/**
 * Returns the object after an apply with its `managedFields`; the caller normalizes it and applies defaults. The
 * arguments are not changed. Called inside the update loop, once per attempt. Throws ApiError 400 for a configuration
 * that does not fit the kind, 409 with a cause per field and manager.
 */
export function applyConfiguration(apply: ApplyRequest): ApiObject {
  return atOnce(applyStages(apply))
}

/** `applyConfiguration` in steps. */
export function* applyStages(apply: ApplyRequest): Stages<ApiObject> {
  checkConfiguration(apply)
  yield
  const { versions, config, force, isLarge = false } = apply
  const { current } = versions
  const live = withManagers(apply.live ?? {}, undefined)
  const before = entriesBefore(apply, live)
  const owner: Manager = { manager: apply.manager, operation: "Apply", apiVersion: current.apiVersion, subresource: apply.subresource }
  const last = before.find((entry) => sameManager(entry, owner))
  const others = before.filter((entry) => entry !== last)
  yield
  const applied = withoutReset(current, fieldSetOf(current.shape, config))
  yield
  const merged: ApiObject = mergeApplied(current.shape, live, config)
  yield
  const kept = withoutUnmanaged(applied)
  const same = last !== undefined && equalSets(last.fields, kept)
  const fields = same ? last.fields : kept
  // Fields that no manager owns, such as the name, still belong to the configuration that sets them.
  const object =
    last === undefined || (same && last.apiVersion === current.apiVersion)
      ? merged
      : yield* pruning({ versions, merged, last, entries: [...others, { ...owner, fields: applied }] })
  const mine: ManagedFieldsEntry = { fields, time: last?.time, stored: last?.stored, ...owner }
  yield
  const changes = new FieldChanges(versions, live, object)
  if (isLarge) yield* changes.compareStages()
  yield
  if (!force) checkConflicts(apply, live, yield* conflictsOf(others, changes, isLarge))
  yield
  // An apply that changes no value keeps the time of its entry.
  const entry = deepEqual(object, live) ? mine : { ...mine, time: apply.now }
  yield
  const left = yield* withoutTouched(others, changes, isLarge)
  if (!isEmptySet(fields)) left.push(entry)
  yield
  const complete = apply.manager === kubectlManager ? withLastApplied(object, config, apply.lastAppliedAnnotation) : object
  return withManagers(complete, isLarge ? yield* encodingStages(left) : encodeEntries(left))
}

function checkConfiguration({ config, versions }: ApplyRequest): void {
  const { metadata } = config
  if (typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) && Array.isArray(metadata.managedFields)) {
    throw badRequest("metadata.managedFields must be nil: leave it out of an applied configuration, the server keeps it")
  }
  const faults = typedFaults(versions.current.shape, config, { duplicates: "refuse" })
  if (faults.length === 0) return
  const texts = faults.map(({ path, detail }) => (path === "" ? detail : `${path}: ${detail}`))
  const text = texts.length === 1 ? shortList(texts) : shortList(["errors:", ...texts], "\n  ")
  throw badRequest(`failed to create typed patch object (${identityText(config)}): ${text}`)
}

/**
 * Assigns a manager to fields that were set before managedFields existed, so that an apply does not take them silently.
 */
function entriesBefore(apply: ApplyRequest, live: ApiObject): readonly ManagedFieldsEntry[] {
  const { versions, subresource, now } = apply
  const known = readEntries(apply.live?.metadata?.managedFields ?? [])
  if (known.length > 0) return known.map((entry) => reconciled(versions, entry))
  if (apply.live === undefined) return []
  return entriesAfterUpdate({ versions, next: live, manager: beforeFirstApply, subresource, now }, [])
}

function reconciled(versions: Versions, entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const version = entry.apiVersion === versions.current.apiVersion ? versions.current : versions.find(entry.apiVersion)
  const fields = version === undefined ? entry.fields : reconciledOnce(version.shape, entry.fields)
  return fields === entry.fields ? entry : { ...entry, fields }
}

function withoutReset(version: TypedVersion, set: FieldSet): FieldSet {
  return isEmptySet(version.reset) ? set : recursiveDifference(set, version.reset)
}

function* conflictsOf(others: readonly ManagedFieldsEntry[], changes: FieldChanges, isLarge: boolean): Stages<Conflict[]> {
  const conflicts: Conflict[] = []
  const many = others.length > fewManagers
  for (const owner of others) {
    const change = changes.at(owner.apiVersion)
    if (change === undefined) continue
    const fields = many
      ? change.valueIndex().sharedWith(owner.fields)
      : isLarge
        ? yield* intersectionStages(owner.fields, change.valued)
        : intersection(owner.fields, change.valued)
    if (!isEmptySet(fields)) conflicts.push({ owner, fields })
  }
  return conflicts
}

/**
 * Throws 409 for fields of other managers. A manager that migrates from client-side apply may take the fields in its
 * last applied configuration.
 */
function checkConflicts(apply: ApplyRequest, live: ApiObject, conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return
  if (apply.manager !== kubectlManager) throw conflictError(conflicts)
  const allowed = new IndexedSet(allowedByLastApplied(apply.versions.current, live, apply.lastAppliedAnnotation))
  const left = conflicts.flatMap((conflict) => withoutAllowed(conflict, allowed))
  if (left.length > 0) throw conflictError(left)
}

function withoutAllowed(conflict: Conflict, allowed: IndexedSet): Conflict[] {
  const fields = allowed.takenFrom(conflict.fields)
  return isEmptySet(fields) ? [] : [{ owner: conflict.owner, fields }]
}
