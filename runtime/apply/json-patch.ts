/**
 * JSON Patch, RFC 6902 (`application/json-patch+json`), with the leniencies of the reference that clients rely on:
 * `replace` of an absent field adds it, indices may be negative (from the end) or signed, `copy` of an absent field and
 * `add` without a value give null, the first character of a path is ignored, and `test` treats absent and null alike.
 */
import { badRequest, tooLarge } from "../base/errors.ts"
import { copyFields, deepClone, deepEqual, ownField } from "../encoding/field-path.ts"
import { setField } from "../encoding/json/text.ts"
import { isObject } from "../base/json.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import type { TypeShape } from "../schema/shape.ts"
import {
  documentDepthMax,
  documentValuesMax,
  jsonPatchCopyBytesMax,
  jsonPatchOperationsMax,
  messageCharactersMax,
  turnValues,
} from "../base/limits.ts"
import type { Stages } from "../base/turns.ts"
import { jsonPatchFault } from "./patch-fault.ts"

export interface JsonPatchOperation {
  /** As sent; only the six of RFC 6902 can be applied. */
  readonly op: string
  readonly path: string | undefined
  readonly from: string | undefined
  /** Null when absent. */
  readonly value: JsonValue
}

/** A checked patch, created once per request and applied on every attempt. */
export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[]
  /** Whether an operation has an unknown field. */
  readonly unknownFields: boolean
}

/** A list of operations, used to find unknown and repeated fields in them. */
export const operationShape: TypeShape = {
  name: "JsonPatchOperation",
  fields: [
    { name: "op", type: { scalar: "string" } },
    { name: "path", type: { scalar: "string" } },
    { name: "from", type: { scalar: "string" } },
    { name: "value", type: { scalar: "any" } },
  ],
}

/**
 * Parses a decoded patch body; null means no operations. Throws ApiError 400 for a body of the wrong form, 413 for too
 * many operations.
 */
export function parseJsonPatch(body: JsonValue): JsonPatch {
  const list = body ?? []
  if (!Array.isArray(list)) throw badRequest("error decoding patch: a JSON patch must be a list of operations")
  if (list.length > jsonPatchOperationsMax) {
    throw tooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${list.length}`,
    )
  }
  let unknownFields = false
  const operations = list.map((entry, index) => {
    const item = entry ?? {}
    if (!isObject(item)) throw badRequest(`error decoding patch: [${index}]: an operation must be an object`)
    unknownFields ||= Object.keys(item).some((name) => !operationFields.has(name))
    const text = (name: string): string | undefined => operationText(item, name, index)
    return { op: text("op") ?? "unknown", path: text("path"), from: text("from"), value: ownField(item, "value") ?? null }
  })
  return { operations, unknownFields }
}

const operationFields: ReadonlySet<string> = new Set(operationShape.fields.map(({ name }) => name))

function operationText(operation: JsonObject, name: string, index: number): string | undefined {
  const value = ownField(operation, name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== "string") throw badRequest(`error decoding patch: [${index}].${name}: must be text`)
  return value
}

/**
 * Applies all operations in order and returns the new object. The argument is not changed; unchanged parts are shared.
 * Called inside the update loop. Throws ApiError 422 when an operation does not apply or the result is not an object.
 */
export function* applyingJsonPatch(object: JsonObject, patch: JsonPatch): Stages<JsonObject> {
  const document = new Document(object)
  let pieceEnd = turnValues
  for (const [index, operation] of patch.operations.entries()) {
    try {
      applyOperation(document, operation)
    } catch (error) {
      if (!(error instanceof OperationError)) throw error
      throw jsonPatchFault(
        `operation ${index} (${operation.op.slice(0, messageCharactersMax)} ${shown(operation.path ?? "")}): ${error.message}`,
      )
    }
    if (document.work < pieceEnd) continue
    yield
    pieceEnd = document.work + turnValues
  }
  if (!isObject(document.root)) throw jsonPatchFault("the patch leaves something that is not an object")
  if (deeperThan(document.root, documentDepthMax)) throw jsonPatchFault(`the patch nests the object deeper than ${documentDepthMax} levels`)
  return document.root
}

/** Moves can nest an object one level deeper per operation, and later code walks it recursively. */
function deeperThan(value: JsonValue | undefined, levels: number): boolean {
  if (levels < 0) return true
  if (Array.isArray(value)) return value.some((item) => deeperThan(item, levels - 1))
  if (!isObject(value)) return false
  for (const name in value) if (deeperThan(value[name], levels - 1)) return true
  return false
}

/** An operation that does not apply. `applyingJsonPatch` catches it. */
class OperationError extends Error {}

function applyOperation(document: Document, operation: JsonPatchOperation): void {
  const { op, value } = operation
  document.work++
  const path = (): string => required(operation.path, "path")
  const from = (): string => required(operation.from, "from")
  switch (op) {
    case "add":
      return document.add(path(), value)
    case "remove":
      document.remove(path())
      return
    case "replace":
      return document.replace(path(), value)
    case "move":
      return document.add(path(), document.remove(from()))
    case "copy":
      return document.copy(from(), path())
    case "test":
      if (!document.test(path(), value)) throw new OperationError("testing the value failed: it differs")
      return
    default:
      throw new OperationError("unknown op; one of add, remove, replace, move, copy, test")
  }
}

function required(value: string | undefined, field: string): string {
  if (value === undefined) throw new OperationError(`the operation has no ${field}`)
  return value
}

/** Inserting before this many items of a list costs as much as visiting one value. */
const itemsMovedAtOnce = 256

/** The object being patched. Containers are copied on their first change, so the original stays unchanged. */
class Document {
  /** Operations plus the values that they visited. */
  work = 0
  private readonly owned = new WeakSet<JsonObject | JsonValue[]>()
  private copiedBytes = 0
  private copiedValues = 0

  constructor(public root: JsonValue) {}

  /** Returns the value at a pointer; undefined when the field is absent. Its container must exist. */
  get(pointer: string): JsonValue | undefined {
    if (pointer === "") return this.root
    const { container, key } = this.container(pointer, false)
    return Array.isArray(container) ? container[existingIndex(container, key)] : ownField(container, key)
  }

  add(pointer: string, value: JsonValue): void {
    const { container, key } = this.container(pointer, true)
    if (!Array.isArray(container)) return setField(container, key, value)
    const index = key === "-" ? container.length : insertionIndex(container, key)
    this.moved(container, index)
    container.splice(index, 0, value)
  }

  /** Counts the items that shift when one is inserted or removed before them. */
  private moved(list: readonly JsonValue[], from: number): void {
    this.work += Math.ceil((list.length - from) / itemsMovedAtOnce)
  }

  /** Returns the removed value. */
  remove(pointer: string): JsonValue {
    const { container, key } = this.container(pointer, true)
    if (Array.isArray(container)) {
      const index = existingIndex(container, key)
      this.moved(container, index)
      return container.splice(index, 1)[0] ?? null
    }
    const value = ownField(container, key)
    if (value === undefined) throw new OperationError(`there is no field ${shown(key)} to remove`)
    delete container[key]
    return value
  }

  replace(pointer: string, value: JsonValue): void {
    if (pointer === "") {
      this.root = value
      return
    }
    const { container, key } = this.container(pointer, true)
    if (Array.isArray(container)) container[existingIndex(container, key)] = value
    else setField(container, key, value)
  }

  copy(from: string, pointer: string): void {
    const value = this.get(from) ?? null
    const size = { bytes: jsonPatchCopyBytesMax - this.copiedBytes, values: documentValuesMax - this.copiedValues }
    measure(value, size, documentDepthMax)
    const values = documentValuesMax - this.copiedValues - size.values
    this.copiedBytes = jsonPatchCopyBytesMax - size.bytes
    this.copiedValues += values
    this.work += values
    this.add(pointer, deepClone(value))
  }

  /** Whether the value at a pointer equals `value`. */
  test(pointer: string, value: JsonValue): boolean {
    // The comparison costs no more than the size of `value`, which is part of the patch.
    this.work += 1
    return deepEqual(this.get(pointer) ?? null, value)
  }

  /**
   * Returns the container of a pointer's last step. With `change`, the document owns that container and its parents
   * afterwards.
   */
  private container(pointer: string, change: boolean): { container: JsonObject | JsonValue[]; key: string } {
    const steps = pointerSteps(pointer)
    const key = steps.pop()
    if (key === undefined) throw new OperationError('the path names no field: it must look like "/spec/replicas"')
    let container = this.asContainer(this.root, pointer)
    if (change) this.root = container = this.own(container)
    for (const step of steps) {
      const at = Array.isArray(container) ? existingIndex(container, step) : step
      const value: JsonValue | undefined = Array.isArray(container) ? container[Number(at)] : ownField(container, step)
      let next = this.asContainer(value, pointer)
      if (change) {
        next = this.own(next)
        if (Array.isArray(container)) container[Number(at)] = next
        else setField(container, step, next)
      }
      container = next
    }
    return { container, key }
  }

  private asContainer(value: JsonValue | undefined, pointer: string): JsonObject | JsonValue[] {
    if (Array.isArray(value) || isObject(value)) return value
    throw new OperationError(`the document is missing the path ${shown(pointer)}`)
  }

  private own(container: JsonObject | JsonValue[]): JsonObject | JsonValue[] {
    if (this.owned.has(container)) return container
    const copy = Array.isArray(container) ? [...container] : copyFields(container)
    this.owned.add(copy)
    return copy
  }
}

/**
 * Splits a path as the reference does: text before the first slash is ignored. Stops after `documentDepthMax` + 1
 * steps, since a longer path leads nowhere.
 */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split("/", documentDepthMax + 2)
    .slice(1)
    .map(unescapeStep)
}

/** Shortens a name or path for a message. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, messageCharactersMax))
}

/** RFC 6901: `~1` is a slash, `~0` a tilde. */
function unescapeStep(step: string): string {
  return step.includes("~") ? step.replaceAll("~1", "/").replaceAll("~0", "~") : step
}

function existingIndex(list: readonly JsonValue[], key: string): number {
  const index = listIndex(key, list.length)
  if (index < 0 || index >= list.length) throw new OperationError(`there is no index ${key} in a list of ${list.length}`)
  return index
}

function insertionIndex(list: readonly JsonValue[], key: string): number {
  const index = listIndex(key, list.length + 1)
  if (index < 0 || index > list.length) throw new OperationError(`there is no index ${key} to insert at in a list of ${list.length}`)
  return index
}

function listIndex(key: string, length: number): number {
  if (!/^[-+]?[0-9]{1,15}$/.test(key)) throw new OperationError(`${shown(key)} is not a list index`)
  const index = Number(key)
  return index < 0 ? index + length : index
}

/**
 * Subtracts the size of a value, in values and approximate bytes of JSON, from `left`. Throws OperationError when that
 * is not enough.
 */
function measure(value: JsonValue, left: { bytes: number; values: number }, levels: number): void {
  if (levels < 0) throw new OperationError(`what is copied is nested deeper than ${documentDepthMax} levels`)
  left.values--
  left.bytes -= ownBytes(value)
  if (left.bytes < 0) throw new OperationError(`the copies of this patch add more than ${jsonPatchCopyBytesMax} bytes`)
  if (left.values < 0) throw new OperationError(`the copies of this patch add more than ${documentValuesMax} values`)
  if (Array.isArray(value)) for (const item of value) measure(item, left, levels - 1)
  else if (isObject(value)) {
    for (const name in value) {
      left.bytes -= Buffer.byteLength(name) + 3
      measure(value[name] ?? null, left, levels - 1)
    }
  }
}

/** Bytes of a value without the content of a list or an object, but with its comma. */
function ownBytes(value: JsonValue): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 3
  return typeof value === "object" && value !== null ? 3 : String(value).length + 1
}
