/** A PATCH body of the kinds that change an object by its JSON: read and checked once per request, applied once per attempt. */
import { badRequest, invalid } from "../errors.ts"
import { isObject, type JsonObject } from "../kit/json.ts"
import { JsonSyntaxError, type ParsedJson, parseJson, pathText } from "../kit/json-text.ts"
import type { TypeShape } from "../kit/shape.ts"
import { duplicateFieldText, isWholeNumber, parseTypedJson } from "../kit/typed-json.ts"
import { sortedPaths } from "../kit/unknown-fields.ts"
import { decodeUtf8 } from "../kit/utf8.ts"
import { applyJsonPatch, operationShape, parseJsonPatch } from "./json-patch.ts"
import { applyMergePatch } from "./merge-patch.ts"
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts"

/** Content types of the patches that this module reads. */
const jsonPatchType = "application/json-patch+json"
const mergePatchType = "application/merge-patch+json"
const strategicPatchType = "application/strategic-merge-patch+json"
export type DocumentPatchType = typeof jsonPatchType | typeof mergePatchType | typeof strategicPatchType

/** A patch made ready. */
export interface DocumentPatch {
  /**
   * The object after the patch, still to be normalized; the argument is not changed. Throws ApiError 422 for a patch that does not fit the
   * object, 400 for one that is none.
   */
  apply(object: JsonObject): JsonObject
  /** What `fieldValidation` judges of the patch itself; unknown fields of the result come after. */
  readonly strictErrors: readonly string[]
  /** Texts about unknown fields of the result in the order in which the reference tells them: it sorts the keys of what it patches. */
  ordered(texts: readonly string[]): string[]
}

/** Called with the whole body and the shape of the kind. Throws ApiError 400 for what is no patch, 413 for too many operations. */
export function readDocumentPatch(type: DocumentPatchType, body: Uint8Array, shape: TypeShape): DocumentPatch {
  const text = decodeUtf8(body)
  const parsed = parsePatch(text)
  if (type === jsonPatchType) return readJsonPatch(text, parsed, shape)
  const patch = parsed.value ?? {}
  if (!isObject(patch)) throw badRequest("error decoding patch: a patch of this type must be a JSON object")
  const strictErrors = parsed.duplicates.map(duplicateFieldText)
  if (type === strategicPatchType)
    return { apply: (object) => applyStrategicMergePatch(shape, object, patch), strictErrors, ordered: (texts) => [...texts].sort() }
  if (parsed.value === null) throw badRequest("error decoding patch: null is no merge patch; {} changes nothing")
  const check = numberCheck(shape, parsed.fractions)
  return { apply: (object) => check(applyMergePatch(object, patch)), strictErrors, ordered: sortedPaths }
}

function readJsonPatch(text: string, parsed: ParsedJson, shape: TypeShape): DocumentPatch {
  const patch = parseJsonPatch(parsed.value)
  const doubtful = patch.unknownFields || parsed.duplicates.length > 0
  const strictErrors = doubtful ? parseTypedJson(text, operationShape, { list: true, typeMeta: false }).strictErrors : []
  const places = parsed.fractions.flatMap(([index, name, ...inner]) => {
    const pointer = name === "value" ? patch.operations[Number(index)]?.path : undefined
    return pointer === undefined ? [] : [[...pointer.split("/").slice(1), ...inner]]
  })
  const check = numberCheck(shape, places)
  return {
    apply: (object) => check(applyJsonPatch(object, patch)),
    strictErrors: strictErrors.map((error) => `json patch ${error}`),
    ordered: sortedPaths,
  }
}

/** A typed decoder refuses 1.0 where a whole number belongs, and the values of a patch come to it as they are written. */
function numberCheck(shape: TypeShape, places: readonly (readonly (string | number)[])[]): (result: JsonObject) => JsonObject {
  const wrong = places.find((steps) => isWholeNumber(shape, steps))
  if (wrong === undefined) return (result) => result
  const detail = `the patch writes the whole number of ${pathText(wrong)} with a fraction or an exponent`
  return () => {
    throw invalid({ group: "", resource: "" }, [{ type: "Invalid", field: "patch", value: "", detail }])
  }
}

function parsePatch(text: string): ParsedJson {
  try {
    return parseJson(text, { trackDuplicates: true })
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`error decoding patch: ${error.message}`)
    throw error
  }
}
