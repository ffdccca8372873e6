/**
 * What a typed server does by decoding into its types and writing them out again: only fields that the shape knows, in its order,
 * values in canonical form, empty ones left out or written as the shape says. Everything that enters an object of a known kind passes
 * through here: bodies, results of patches and apply, stored values of the compact encoding, converted versions.
 *
 * Rules (catalog, types; the reference's JSON tags): null is absent. A pointer is written when it is there. Without pointer, the zero
 * value is left out unless `keepEmpty`; objects, and the special scalars that are structs there (Time, Quantity, IntOrString,
 * Duration, RawExtension), are always written. Null as a list item or map value is the zero value of the type.
 */
import { turnValues } from "../limits.ts"
import type { Stages } from "../turns.ts"
import { isObject, type ApiObject, type JsonObject, type JsonValue } from "./json.ts"
import { Walk } from "./normalize-walk.ts"
import type { TypeShape } from "./shape.ts"
import { type Node, type Plan, planOf, shortName } from "./shape-plan.ts"
import { unknownFields } from "./unknown-fields.ts"
import { unboundedValues } from "./value-bounds.ts"

export interface NormalizeOptions {
  /** `apiVersion` and `kind` are known at the top and stand first. Default true; false for a part of an object. */
  readonly typeMeta?: boolean
  /**
   * For run-time definitions: only unknown fields are dropped. Values that do not fit stay for the validator to report, null and empty
   * values stay, nothing is filled in. Metadata is decoded as for any kind.
   */
  readonly structural?: boolean
  /** Name unknown fields. Default true; without it they are only dropped. */
  readonly reportUnknown?: boolean
  /** Values that the result may have, those that it is filled with counted; more is ApiError 413. Default: as many as there are, for what is stored. */
  readonly maxValues?: number
}

export interface Normalized<T extends JsonObject = ApiObject> {
  readonly object: T
  /** Paths of fields that the shape does not know, in document order, at most `strictErrorsMax`: `spec.containers[0].foo`. */
  readonly unknown: string[]
  /** There are such fields, also where nobody asked for their names. */
  readonly hasUnknown: boolean
}

const noUnknown: string[] = []

/**
 * Called after every decode and every change of an object's JSON. Answers a new object that may be changed freely; only
 * values without a type of their own (RawExtension, FieldsV1, any, unknown fields that are kept) are shared with `value`. Throws DecodeFault.
 */
export function normalize(shape: TypeShape, value: JsonValue, options: NormalizeOptions = {}): Normalized {
  const { walk, plan, source, typeMeta } = begin(shape, value, options)
  return end(walk.object(plan, source, typeMeta), { walk, plan, source, typeMeta }, options)
}

/** The same in pieces of so many values. Called with what bodies hold. */
export function* normalizing(
  shape: TypeShape,
  value: JsonValue,
  options: NormalizeOptions = {},
  pieceValues: number = turnValues,
): Stages<Normalized> {
  const { walk, plan, source, typeMeta } = begin(shape, value, options)
  walk.endTurnAfter(pieceValues)
  const object = walk.object(plan, source, typeMeta)
  if (walk.isLeft) yield* walk.rest(pieceValues)
  return end(object, { walk, plan, source, typeMeta }, options)
}

interface Pass {
  readonly walk: Walk
  readonly plan: Plan
  readonly source: JsonObject
  readonly typeMeta: boolean
}

function begin(shape: TypeShape, value: JsonValue, options: NormalizeOptions): Pass {
  const walk = new Walk(options.structural === true, options.maxValues)
  const plan = planOf(shape)
  const source = value ?? {}
  if (!isObject(source)) throw walk.mismatch(source, shortName(plan.name))
  return { walk, plan, source, typeMeta: options.typeMeta !== false }
}

function end(object: JsonObject, { walk, plan, source, typeMeta }: Pass, options: NormalizeOptions): Normalized {
  const hasUnknown = walk.unknownSeen
  if (!hasUnknown || options.reportUnknown === false) return { object, unknown: noUnknown, hasUnknown }
  return { object, unknown: unknownFields(plan, source, typeMeta), hasUnknown }
}

/** Called with a value that nothing will be made of, at a path of its document. Throws DecodeFault when it does not fit the type. */
export function checkValue(node: Node, value: JsonValue, steps: readonly (string | number)[]): void {
  if (value !== null) new Walk(false, unboundedValues, [...steps]).value(node, value)
}
