/**
 * Validation of custom objects by the schema of their definition: the checks of kube-openapi's pkg/validation and
 * apiextensions-apiserver, with their texts, causes and order. An object's own metadata, version and kind, and rules
 * (CEL) are checked elsewhere.
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
  /** The stored object, on update. Lists with repeated items may keep them. */
  readonly old?: JsonObject
  /** Values that the update leaves unchanged may be invalid (gate CRDValidationRatcheting). Default true. */
  readonly ratchet?: boolean
  readonly scale?: ScalePaths
  /** Absent: metadata of embedded resources is not checked. */
  readonly checkMetadata?: MetadataCheck
}

/**
 * Adds all failures of a custom object, after `pruneObject`, `normalizeEmbedded` and `defaultObject`. Called for writes
 * of the main resource, and of every sub-resource except status.
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
 * and ratcheting applies only to repeated items.
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

/** Validates values only. Also called by the checks of a definition's defaults. */
export function* validatingValue(value: JsonObject, schema: Structural, failures: Failures, old?: JsonObject): Stages<void> {
  const plan = planOf(schema)
  let found = yield* new ValueWalk().run(plan, value)
  if (found.length > 0 && old !== undefined) {
    // Few objects are invalid, so changes of an update are computed only for them.
    const unchanged: Skipping = unchangedValues(schema, value, old)
    found = unchanged.isUnchanged() ? [] : yield* new ValueWalk().run(plan, value, unchanged)
  }
  for (const failure of found) failures.add(failure)
}

/**
 * The failures of one value by one schema, such as a default. Paths begin at the value. `walk`: used for this value
 * only; it may start with the work of other values, so that all of them share the limit.
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
 * Whether rules (CEL) must not be evaluated, because values have a wrong type or size. The caller adds the failure for
 * that.
 */
export function preventRules(failures: Failures): boolean {
  return failures.list.some(({ type }) => blocking.has(type))
}
