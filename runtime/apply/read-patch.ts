/**
 * Parses a PATCH body that changes an object by its JSON: parsed and checked once per request, applied once per
 * attempt.
 */
import { badRequest, invalid } from "../base/errors.ts"
import { ownField } from "../encoding/field-path.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { type Fraction, type ParsedJson, pathText, setField } from "../encoding/json/text.ts"
import type { TypeShape } from "../schema/shape.ts"
import { duplicateFieldText, numberAt, parsingTypedJson, unknownFieldText } from "../encoding/json/typed.ts"
import { sortedPaths } from "../encoding/unknown-fields.ts"
import type { Stages } from "../base/turns.ts"
import { applyingJsonPatch, type JsonPatch, type JsonPatchOperation, operationShape, parseJsonPatch, pointerSteps } from "./json-patch.ts"
import { applyMergePatch } from "./merge-patch.ts"
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts"

/** Content types of the patches in this module. */
const jsonPatchType = "application/json-patch+json"
const mergePatchType = "application/merge-patch+json"
const strategicPatchType = "application/strategic-merge-patch+json"
export type DocumentPatchType = typeof jsonPatchType | typeof mergePatchType | typeof strategicPatchType

/** A patch ready to be applied. */
export interface DocumentPatch {
  /**
   * Applies the patch and returns the object, not yet normalized; the argument is not changed. Throws ApiError 422 for
   * a patch that does not fit the object, 400 for an invalid one.
   */
  apply(object: JsonObject): Stages<JsonObject>
  /** Errors in the patch itself, subject to `fieldValidation`; unknown fields of the result come after them. */
  readonly strictErrors: readonly string[]
  /**
   * Sorts texts about unknown fields of the result as the reference reports them: it sorts the keys of the patched
   * object.
   */
  ordered(texts: readonly string[]): string[]
}

/** A parsed body. */
export interface PatchDocument {
  /** Read only for a JSON patch with unknown or repeated fields. */
  readonly text: string
  readonly parsed: ParsedJson
}

/**
 * Called with the body and the shape of the kind. Throws ApiError 400 for an invalid patch, 413 for too many
 * operations.
 */
export function* readingDocumentPatch(type: DocumentPatchType, document: PatchDocument, shape: TypeShape): Stages<DocumentPatch> {
  if (type === jsonPatchType) return yield* readingJsonPatch(document, shape)
  const { parsed } = document
  const patch = parsed.value ?? {}
  if (!isObject(patch)) throw badRequest("error decoding patch: a patch of this type must be a JSON object")
  const strictErrors = parsed.duplicates.map(duplicateFieldText)
  if (type === strategicPatchType)
    return {
      apply: (object) => inOnePiece(() => asBefore(object, applyStrategicMergePatch(shape, object, patch))),
      strictErrors,
      ordered: (texts) => [...texts].sort(),
    }
  if (parsed.value === null) throw badRequest("error decoding patch: null is no merge patch; {} changes nothing")
  const check = numberCheck({ shape, value: patch, fractions: parsed.fractions, place: (steps) => steps })
  return { apply: (object) => inOnePiece(() => check(applyMergePatch(object, patch))), strictErrors, ordered: sortedPaths }
}

// biome-ignore lint/correctness/useYield: all of it is one piece
function* inOnePiece<Result>(work: () => Result): Stages<Result> {
  return work()
}

/**
 * Keeps the type: a strategic merge patch applies to an object of a known type, so the reference ignores the type in
 * the patch.
 */
function asBefore(object: JsonObject, result: JsonObject): JsonObject {
  for (const name of ["kind", "apiVersion"] as const) {
    const before = object[name]
    if (typeof result[name] === "string" && before !== undefined) result[name] = before
  }
  return result
}

function* readingJsonPatch(document: PatchDocument, shape: TypeShape): Stages<DocumentPatch> {
  const { parsed } = document
  const { value, fractions } = parsed
  const check = numberCheck({ shape, value, fractions, place: (steps) => operationPlace(value, steps) })
  const patch = parseJsonPatch(value)
  const doubtful = patch.unknownFields || parsed.duplicates.length > 0
  const strictErrors = doubtful
    ? (yield* parsingTypedJson(document.text, operationShape, { list: true, typeMeta: false })).strictErrors
    : []
  return {
    apply: (object) => checkedJsonPatch(object, patch, check),
    strictErrors: strictErrors.map((error) => `json patch ${error}`),
    ordered: (texts) => (texts.length === 0 ? [] : sortedPaths(texts, patch.operations.slice(0, placesMax).map(writtenAt))),
  }
}

/** Operations whose values keep the order of their keys in messages about unknown fields. */
const placesMax = 100

/** How the texts about fields below an operation's value begin; below its list for an item at the end of one. */
function writtenAt({ path = "" }: JsonPatchOperation): string {
  const steps = pointerSteps(path)
  if (steps.at(-1) === "-") steps.pop()
  return unknownFieldText(pathText(steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)))).slice(0, -1)
}

function* checkedJsonPatch(object: JsonObject, patch: JsonPatch, check: (result: JsonObject) => JsonObject): Stages<JsonObject> {
  return check(yield* applyingJsonPatch(object, patch))
}

/** Maps a path in the `value` of an operation to a path in the object. */
function operationPlace(patch: JsonValue, [index, name, ...inner]: readonly (string | number)[]): readonly (string | number)[] | undefined {
  const operation = Array.isArray(patch) ? patch[Number(index)] : undefined
  const pointer = name === "value" && isObject(operation) ? operation.path : undefined
  return typeof pointer === "string" ? [...pointerSteps(pointer), ...inner] : undefined
}

interface NumbersOfPatch {
  readonly shape: TypeShape
  /** The patch; quantities in it become texts. */
  readonly value: JsonValue
  readonly fractions: readonly Fraction[]
  /** Maps a path of the patch to a path in the object. */
  readonly place: (steps: readonly (string | number)[]) => readonly (string | number)[] | undefined
}

/**
 * A typed decoder reads the values of a patch as they are written: it refuses 1.0 for an integer, and 1e3 determines
 * the form of a quantity. Of a custom object only the metadata has types to decode with. Returns the check of the
 * result.
 */
function numberCheck({ shape, value, fractions, place }: NumbersOfPatch): (result: JsonObject) => JsonObject {
  let wrong: readonly (string | number)[] | undefined
  for (const { steps, text } of fractions) {
    const target = place(steps)
    const isTyped = target !== undefined && (shape.structural === undefined || target[0] === "metadata")
    const kind = isTyped ? numberAt(shape, target) : undefined
    if (kind === "whole") wrong ??= target
    if (kind === "quantity") setAt(value, steps, text)
  }
  if (wrong === undefined) return (result) => result
  const detail = `the patch writes the whole number ${pathText(wrong)} with a fraction or an exponent`
  return () => {
    throw invalid({ group: "", resource: "" }, [{ type: "Invalid", field: "patch", value: "", detail }])
  }
}

function setAt(document: JsonValue, steps: readonly (string | number)[], value: JsonValue): void {
  let container = document
  for (const step of steps.slice(0, -1))
    container = (Array.isArray(container) ? container[Number(step)] : ownValue(container, step)) ?? null
  const last = steps.at(-1)
  if (Array.isArray(container)) container[Number(last)] = value
  else if (isObject(container)) setField(container, String(last), value)
}

function ownValue(container: JsonValue, step: string | number): JsonValue | undefined {
  return isObject(container) ? ownField(container, String(step)) : undefined
}
