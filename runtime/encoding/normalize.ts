/**
 * Does what a typed server does by decoding into its types and writing them out again: keeps only fields of the shape,
 * in its order, with values in canonical form and empty ones omitted or written as the shape says. Everything that
 * becomes an object of a known kind passes through here: bodies, results of patches and apply, stored protobuf values,
 * converted versions.
 *
 * Rules (catalog, types; the reference's JSON tags): null is absent, unless the field is nullable. A pointer is written
 * when it is present. Other zero values are omitted unless `keepEmpty`; objects, and the special scalars that are
 * structs in Go (Time, Quantity, IntOrString, Duration, RawExtension), are always written, and so are constants. Null
 * as a list item or map value is the zero value of the type, for lists and maps the empty one.
 */
import { turnValues } from "../base/limits.ts"
import { atOnce, type Stages } from "../base/turns.ts"
import { isObject, type ApiObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { deepClone } from "./field-path.ts"
import { NormalizeWalk } from "./normalize-walk.ts"
import type { StructuralShape, TypeShape } from "../schema/shape.ts"
import { keepSentForms, SentForms } from "./sent-forms.ts"
import { type ShapeNode, type ShapePlan, shapePlanOf, shortName } from "./shape-plan.ts"
import { unknownFields } from "./unknown-fields.ts"
import { unboundedValues } from "./value-bounds.ts"

export interface NormalizeOptions {
  /** `apiVersion` and `kind` are known at the top and written first. Default true; false for a part of an object. */
  readonly typeMeta?: boolean
  /** The value comes from the store, and may be older than its schema. */
  readonly stored?: boolean
  /** Null values remain even where the schema allows none. Only for kinds of run-time definitions. Default false. */
  readonly keepNulls?: boolean
  /** Collect the names of unknown fields. Default true; otherwise they are only dropped. */
  readonly reportUnknown?: boolean
  /**
   * Limit for the values of the result, filled-in ones included; beyond it ApiError 413. Default: unlimited, for stored
   * objects.
   */
  readonly maxValues?: number
  /** Remember values that were sent in another form than the stored one (`sent-forms.ts`). Default false. */
  readonly keepsSentForms?: boolean
  /** Fields of the root that were normalized before, and are copied as they are. */
  readonly unchanged?: ReadonlySet<string> | undefined
}

export interface Normalized<T extends JsonObject = ApiObject> {
  readonly object: T
  /** Paths of unknown fields in document order, at most `strictErrorsMax`: `spec.containers[0].foo`. */
  readonly unknown: string[]
  /** Whether there are unknown fields, also when their names are not collected. */
  readonly hasUnknown: boolean
}

const noUnknown: string[] = []

/**
 * Called after every decode and every change of an object's JSON. Returns a new object that the caller may change; only
 * values without a type of their own (RawExtension, FieldsV1, any, preserved unknown fields) are shared with `value`.
 * Throws DecodeFault.
 */
export function normalize(shape: TypeShape, value: JsonValue, options: NormalizeOptions = {}): Normalized {
  if (shape.structural !== undefined) return atOnce(normalizingStructural(shape.structural, value, options, unboundedValues))
  const { walk, plan, source, typeMeta } = begin(shape, value, options)
  return end(walk.object(plan, source, typeMeta, options.unchanged), { walk, plan, source, typeMeta }, options)
}

/** Like `normalize`, in steps of this many values. Called for bodies. */
export function* normalizing(
  shape: TypeShape,
  value: JsonValue,
  options: NormalizeOptions = {},
  pieceValues: number = turnValues,
): Stages<Normalized> {
  if (shape.structural !== undefined) return yield* normalizingStructural(shape.structural, value, options, pieceValues)
  const { walk, plan, source, typeMeta } = begin(shape, value, options)
  walk.endTurnAfter(pieceValues)
  const object = walk.object(plan, source, typeMeta, options.unchanged)
  if (walk.isLeft) yield* walk.rest(pieceValues)
  return end(object, { walk, plan, source, typeMeta }, options)
}

/** For kinds of run-time definitions. The values below the root are copied, since pruning changes them in place. */
function* normalizingStructural(
  { root, prune }: StructuralShape,
  value: JsonValue,
  options: NormalizeOptions,
  pieceValues: number,
): Stages<Normalized> {
  const { object, unknown, hasUnknown } = yield* normalizing(root, value, options, pieceValues)
  yield
  for (const name in object) if (name !== "metadata") object[name] = deepClone(object[name] ?? null)
  yield
  const { reportUnknown = true, stored = false, keepNulls = false } = options
  const pruned = prune(object, { report: reportUnknown, stored, keepNulls })
  return { object, unknown: pruned.length === 0 ? unknown : [...unknown, ...pruned], hasUnknown: hasUnknown || pruned.length > 0 }
}

interface Pass {
  readonly walk: NormalizeWalk
  readonly plan: ShapePlan
  readonly source: JsonObject
  readonly typeMeta: boolean
}

function begin(shape: TypeShape, value: JsonValue, options: NormalizeOptions): Pass {
  const walk = new NormalizeWalk(options.maxValues, [], options.stored === true)
  if (options.keepsSentForms === true) walk.sent = new SentForms()
  const plan = shapePlanOf(shape)
  const source = value ?? {}
  if (!isObject(source)) throw walk.mismatch(source, shortName(plan.name))
  return { walk, plan, source, typeMeta: options.typeMeta !== false }
}

function end(object: JsonObject, { walk, plan, source, typeMeta }: Pass, options: NormalizeOptions): Normalized {
  const hasUnknown = walk.unknownSeen
  if (walk.sent !== undefined) keepSentForms(object, walk.sent.found)
  if (!hasUnknown || options.reportUnknown === false) return { object, unknown: noUnknown, hasUnknown }
  return { object, unknown: unknownFields(plan, source, typeMeta), hasUnknown }
}

/** Checks a value at a path without keeping the result. Throws DecodeFault when it does not fit the type. */
export function checkValue(node: ShapeNode, value: JsonValue, steps: readonly (string | number)[]): void {
  if (value !== null) new NormalizeWalk(unboundedValues, [...steps]).value(node, value)
}
