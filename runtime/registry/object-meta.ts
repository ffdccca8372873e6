/**
 * The rules for `metadata` that hold for every kind (catalog validation.yaml, common/ObjectMeta). Create and update
 * call them after system fields are set and before the kind's own validation. Texts and field paths are the
 * reference's: an error about a label or a finalizer names the whole map or list.
 */
import { shortList } from "../base/bounded-text.ts"
import { type Failure, Failures } from "../base/failure.ts"
import { deepEqual, FieldPath } from "../encoding/field-path.ts"
import type { JsonObject, JsonValue, ObjectMeta, OwnerReference } from "../base/json.ts"
import type { Kind, NameRule } from "../schema/kind.ts"
import type { Vendor } from "../base/vendor.ts"
import { annotationsBytesMax, managerBytesMax } from "../base/limits.ts"
import { dnsLabelFaults, labelValueFaults, longerThan, nameFaults, qualifiedNameFaults } from "../schema/names.ts"

const subresourceBytesMax = 256

export interface ObjectMetaOptions {
  readonly namespaced: boolean
  readonly nameRule: NameRule
  readonly failures: Failures
  /** Path of the metadata; default `metadata`. Templates pass their own. */
  readonly path?: string | undefined
  /** The kind takes only finalizers that have a domain in their name, or that are standard ones of this vendor. */
  readonly standardFinalizer?: string | undefined
  /** The kind validates the name in an update as a path segment only. */
  readonly freeNameOnUpdate?: boolean
}

/** Returns a kind's rules for the metadata of its objects. Called for each creation and update. */
export function metaOptions(kind: Kind, vendor: Vendor, failures: Failures): ObjectMetaOptions {
  const { namespaced, nameRule, custom, rules } = kind
  const free = custom !== undefined || rules.freeFinalizers === true
  const freeNameOnUpdate = custom !== undefined || rules.freeNameOnUpdate === true
  return { namespaced, nameRule, failures, path: undefined, standardFinalizer: free ? undefined : vendor.word, freeNameOnUpdate }
}

/** Adds a failure for every invalid field of `meta`, which already has its name and namespace. */
export function validateObjectMeta(meta: ObjectMeta, options: ObjectMetaOptions): void {
  const path = FieldPath.of(options.path ?? "metadata")
  const { failures } = options
  validateName(meta, options, path)
  validateNamespace(meta.namespace ?? "", options, path.child("namespace"))
  if ((meta.generation ?? 0) < 0) failures.add(invalid(path.child("generation"), meta.generation, "must be greater than or equal to 0"))
  if (meta.labels !== undefined) validateLabels(meta.labels, path.child("labels"), failures)
  if (meta.annotations !== undefined) validateAnnotations(meta.annotations, path.child("annotations"), failures)
  if (meta.ownerReferences !== undefined) validateOwnerReferences(meta.ownerReferences, path.child("ownerReferences"), failures)
  if (meta.finalizers !== undefined) validateFinalizers(meta.finalizers, path.child("finalizers"), failures)
  if (meta.managedFields !== undefined) validateManagedFields(meta.managedFields, path.child("managedFields"), failures)
  validateFinalizerNames(meta.finalizers, options, path.child("finalizers"))
}

/** Rules of kinds, beyond the rules for the metadata of all objects. */
function validateFinalizerNames(
  finalizers: readonly string[] = [],
  { standardFinalizer, failures }: Pick<ObjectMetaOptions, "standardFinalizer" | "failures">,
  path: FieldPath,
): void {
  if (standardFinalizer === undefined) return
  for (let index = 0; index < finalizers.length && !failures.full; index++) {
    const finalizer = finalizers[index] ?? ""
    if (finalizer.includes("/") || finalizer === standardFinalizer || standardFinalizers.includes(finalizer)) continue
    const detail = "name is neither a standard finalizer name nor is it fully qualified"
    failures.add(invalid(path.index(index), finalizer, detail))
  }
}

/** Finalizers without a domain that all vendors have. */
const standardFinalizers = ["orphan", "foregroundDeletion"]

function invalid(path: FieldPath, value: JsonValue | undefined, detail: string): Failure {
  return { type: "Invalid", field: path.toString(), value, detail }
}

function addAll(failures: Failures, path: FieldPath, value: JsonValue, faults: readonly string[]): void {
  for (const fault of faults) failures.add(invalid(path, value, fault))
}

function validateName(meta: ObjectMeta, { nameRule, failures }: ObjectMetaOptions, path: FieldPath): void {
  const { name = "", generateName = "" } = meta
  if (generateName !== "") addAll(failures, path.child("generateName"), generateName, nameFaults(generateName, nameRule, true))
  if (name === "") failures.add({ type: "Required", field: path.child("name").toString(), detail: "name or generateName is required" })
  else addAll(failures, path.child("name"), name, nameFaults(name, nameRule))
}

function validateNamespace(namespace: string, { namespaced, failures }: ObjectMetaOptions, path: FieldPath): void {
  if (!namespaced) {
    if (namespace !== "") failures.add({ type: "Forbidden", field: path.toString(), detail: "not allowed on this type" })
  } else if (namespace === "") failures.add({ type: "Required", field: path.toString(), detail: "" })
  else addAll(failures, path, namespace, dnsLabelFaults(namespace))
}

function validateLabels(labels: Readonly<Record<string, string>>, path: FieldPath, failures: Failures): void {
  for (const key in labels) {
    if (failures.full) return
    const value = labels[key] ?? ""
    addAll(failures, path, key, qualifiedNameFaults(key))
    addAll(failures, path, value, labelValueFaults(value))
  }
}

function validateAnnotations(annotations: Readonly<Record<string, string>>, path: FieldPath, failures: Failures): void {
  let bytes = 0
  for (const key in annotations) {
    if (failures.full) return
    const value = annotations[key] ?? ""
    addAll(failures, path, key, qualifiedNameFaults(key.toLowerCase()))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (bytes > annotationsBytesMax) {
    failures.add({ type: "TooLong", field: path.toString(), detail: `must have at most ${annotationsBytesMax} bytes` })
  }
}

function validateOwnerReferences(references: readonly OwnerReference[], path: FieldPath, failures: Failures): void {
  let controller: string | undefined
  let all: OwnerReference[] | undefined
  for (const reference of references) {
    if (failures.full) return
    validateOwnerReference(reference, path, failures)
    if (reference.controller !== true) continue
    const current = `${reference.kind}/${reference.name}`
    if (controller === undefined) controller = current
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`
      all ??= [...references]
      failures.add(invalid(path, all, detail))
    }
  }
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath, failures: Failures): void {
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference
  const version = versionOf(apiVersion)
  if (version === "") failures.add(invalid(path.child("apiVersion"), apiVersion, "version must not be empty"))
  if (kind === "") failures.add(invalid(path.child("kind"), kind, "kind must not be empty"))
  if (name === "") failures.add(invalid(path.child("name"), name, "name must not be empty"))
  if (uid === "") failures.add(invalid(path.child("uid"), uid, "uid must not be empty"))
  if (apiVersion === "v1" && kind === "Event") failures.add(invalid(path, reference, "/v1, Kind=Event is disallowed from being an owner"))
}

/** `v1` for `v1` and `apps/v1`; "" for a text that is neither a version nor a group and a version. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split("/")
  return parts.length > 2 ? "" : (parts.at(-1) ?? "")
}

function validateFinalizers(finalizers: readonly string[], path: FieldPath, failures: Failures): void {
  for (const finalizer of finalizers) {
    if (failures.full) return
    addAll(failures, path, finalizer, qualifiedNameFaults(finalizer))
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    failures.add(invalid(path, [...finalizers], "finalizer orphan and foregroundDeletion cannot be both set"))
  }
}

function validateManagedFields(entries: readonly JsonObject[], path: FieldPath, failures: Failures): void {
  for (let index = 0; index < entries.length && !failures.full; index++) {
    const entry = entries[index]
    if (entry !== undefined) validateManagedFieldsEntry(entry, path.index(index), failures)
  }
}

function validateManagedFieldsEntry(entry: JsonObject, path: FieldPath, failures: Failures): void {
  const { operation, fieldsType, manager, subresource } = entry
  if (operation !== "Apply" && operation !== "Update")
    failures.add(invalid(path.child("operation"), operation ?? "", "must be `Apply` or `Update`"))
  if (fieldsType !== undefined && fieldsType !== "" && fieldsType !== "FieldsV1") {
    failures.add(invalid(path.child("fieldsType"), fieldsType, "must be `FieldsV1`"))
  }
  if (typeof manager === "string") validateManager(manager, path.child("manager"), failures)
  if (typeof subresource === "string" && longerThan(subresource, subresourceBytesMax)) {
    failures.add({ type: "TooLong", field: path.child("subresource").toString(), detail: `must have at most ${subresourceBytesMax} bytes` })
  }
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/** Also validates the `fieldManager` parameter of requests. */
export function validateManager(manager: string, path: FieldPath, failures: Failures): void {
  if (longerThan(manager, managerBytesMax)) {
    failures.add({ type: "TooLong", field: path.toString(), detail: `must have at most ${managerBytesMax} bytes` })
  }
  if (printable.test(manager)) return
  let position = 0
  for (const character of manager) {
    if (failures.full) return
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
      failures.add(invalid(path, manager, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(character)
  }
}

const immutableFields = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const

/** The fields that the check of a change validates again. */
const checkedOnChange = ["labels", "annotations", "ownerReferences", "managedFields"]

/**
 * Adds a failure for every invalid field of `meta`, and for every change from `old` that no update may make. Failures
 * repeat as often as in the reference, since clients and recorded responses count the causes. Its common rules validate
 * the whole metadata, with a name that can be a part of a path, and then the change, which includes labels and the like
 * again. The rules of a kind (`isOfKind`: not of its sub-resources) then validate the change and the whole.
 */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  { options, isOfKind }: { readonly options: ObjectMetaOptions; readonly isOfKind: boolean },
): void {
  const { namespaced, nameRule, standardFinalizer, freeNameOnUpdate = false } = options
  const path = FieldPath.of(options.path ?? "metadata")
  const [whole, ofKind] = [new Failures(), new Failures()]
  validateObjectMeta(meta, { namespaced, nameRule: "path-segment", failures: whole, path: options.path, standardFinalizer: undefined })
  const looksAtWhole = isOfKind && !freeNameOnUpdate
  if (looksAtWhole) validateName(meta, { namespaced, nameRule, failures: ofKind }, path)
  // The check of the change reports them, and so does the check of the whole.
  for (let left = looksAtWhole ? 2 : 1; left > 0; left--)
    validateFinalizerNames(meta.finalizers, { standardFinalizer, failures: ofKind }, path.child("finalizers"))
  const refused = refusedChanges(meta, old, path)
  if (whole.empty && ofKind.empty && refused.length === 0) return
  const parts = checkedOnChange.map((name) => path.child(name).toString())
  const again = whole.list.filter(({ field }) => parts.some((part) => field.startsWith(part)))
  const change = [...refused, ...again]
  const found = [...whole.list, ...change]
  if (isOfKind || standardFinalizer !== undefined) found.push(...change)
  const generateName = path.child("generateName").toString()
  if (isOfKind) found.push(...whole.list.filter(({ field }) => field !== generateName))
  for (const failure of [...found, ...ofKind.list]) options.failures.add(failure)
}

function refusedChanges(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): Failure[] {
  const found: Failure[] = []
  if (old.deletionTimestamp !== undefined) found.push(...addedFinalizers(meta, old, path.child("finalizers")))
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    found.push(invalid(path.child("generation"), meta.generation ?? 0, "must not be decremented"))
  for (const name of immutableFields) {
    if (!deepEqual(meta[name] ?? null, old[name] ?? null)) found.push(invalid(path.child(name), meta[name], "field is immutable"))
  }
  return found
}

/** Once deletion has begun, finalizers can only be removed, so that cleanup comes to an end. */
function addedFinalizers(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): Failure[] {
  const before = new Set(old.finalizers ?? [])
  const added = [...new Set(meta.finalizers ?? [])].filter((finalizer) => !before.has(finalizer)).sort()
  if (added.length === 0) return []
  const shown = shortList(added.map((finalizer) => JSON.stringify(finalizer)))
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`
  return [{ type: "Forbidden", field: path.toString(), detail }]
}
