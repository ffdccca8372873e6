/**
 * Validation of custom objects by the schema of their definition: what kube-openapi's pkg/validation and
 * apiextensions-apiserver check, with their texts, causes and order. Own metadata, version and kind of an object, and
 * rules (CEL) are checked elsewhere.
 */
import { type Failure, type FailureType, Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import type { Structural } from "../structural.ts"
import { checkEmbedded, type MetadataCheck } from "./embedded-check.ts"
import { checkingListTypes } from "./list-types.ts"
import { planOf } from "./plan.ts"
import { unchangedValues } from "./ratchet.ts"
import { checkScaleSpec, checkScaleStatus, type ScalePaths } from "./scale.ts"
import { type Skipping, ValueWalk } from "./value-walk.ts"

export interface ValidateOptions {
  /** The stored object, on update. Lists that repeat items already may go on doing so. */
  readonly old?: JsonObject
  /** Values that the update leaves as they are may be invalid (gate CRDValidationRatcheting). Default true. */
  readonly ratchet?: boolean
  readonly scale?: ScalePaths
  /** Absent: metadata of embedded resources is not checked. */
  readonly checkMetadata?: MetadataCheck
}

/**
 * Adds every failure of a custom object, which has passed `pruneObject`, `normalizeEmbedded` and `defaultObject`.
 * Called for writes of the main resource, and of every sub-resource but status.
 */
export function validateObject(object: JsonObject, schema: Structural, failures: Failures, options: ValidateOptions = {}): void {
  atOnce(validatingObject(object, schema, failures, options))
}

/** `validateObject` in stages of some 10 ms. */
export function* validatingObject(object: JsonObject, schema: Structural, failures: Failures, options: ValidateOptions = {}): Stages<void> {
  const { old, scale, ratchet = true, checkMetadata } = options
  yield* validatingValue(object, schema, failures, ratchet ? old : undefined)
  if (scale !== undefined) {
    checkScaleSpec(object, scale, failures)
    checkScaleStatus(object, scale, failures)
  }
  yield
  checkEmbedded(object, schema, failures, checkMetadata)
  yield
  yield* checkingChangedLists(object, schema, failures, old)
}

/**
 * Adds the failures of an update of `/status`. As in the reference, paths into the status do not begin with `status`,
 * and nothing is ratcheted but repeated items.
 */
export function* validatingStatus(
  object: JsonObject,
  schema: Structural,
  failures: Failures,
  { old, scale }: Pick<ValidateOptions, "old" | "scale"> = {},
): Stages<void> {
  const { status } = object
  const ofStatus = schema.properties.get("status")
  if (status !== undefined && ofStatus !== undefined) {
    for (const failure of yield* new ValueWalk().run(planOf(ofStatus), status)) failures.add(failure)
  }
  if (scale !== undefined) checkScaleStatus(object, scale, failures)
  yield* checkingChangedLists(object, schema, failures, old)
}

/** Validates the values alone. Called by the checks of a definition's defaults as well. */
export function* validatingValue(value: JsonObject, schema: Structural, failures: Failures, old?: JsonObject): Stages<void> {
  const plan = planOf(schema)
  let found = yield* new ValueWalk().run(plan, value)
  if (found.length > 0 && old !== undefined) {
    // Few objects are invalid: what an update has changed is only looked at for those.
    const unchanged: Skipping = unchangedValues(schema, value, old)
    found = unchanged.isUnchanged() ? [] : yield* new ValueWalk().run(plan, value, unchanged)
  }
  for (const failure of found) failures.add(failure)
}

/**
 * The failures of one value by one schema, as of a default. Paths begin at the value. `walk`: of this value alone; it
 * may begin with the steps of other values, so that all of them share the limit.
 */
export function findingFailures(value: JsonValue, schema: Structural, walk = new ValueWalk()): Stages<readonly Failure[]> {
  return walk.run(planOf(schema), value)
}

function* checkingChangedLists(object: JsonObject, schema: Structural, failures: Failures, old: JsonObject | undefined): Stages<void> {
  const found = new Failures()
  yield* checkingListTypes(object, schema, found)
  if (found.empty) return
  const before = new Failures(1)
  if (old !== undefined) yield* checkingListTypes(old, schema, before)
  if (before.empty) for (const failure of found.list) failures.add(failure)
}

const blocking: ReadonlySet<FailureType> = new Set<FailureType>(["NotSupported", "Required", "TooLong", "TooMany", "TypeInvalid"])

/**
 * Whether rules (CEL) are not evaluated, since values have a wrong type or size. The caller adds the failure that says
 * so.
 */
export function preventRules(failures: Failures): boolean {
  return failures.list.some(({ type }) => blocking.has(type))
}
