/**
 * Validates values against limits that are data (`constraints.ts`). A field's limits are compiled on first use: a
 * server that serves a kind but never writes it compiles nothing. Generated code reads the fields itself, because
 * reading a field by a name that varies is several times slower.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { type Constraint, constraintTable, limitOf, type Limits, shownValue } from "./constraints.ts"
import { nonZero } from "./expression.ts"
import { addFailure, type FailureForm, type PresenceWord, type Reporter } from "./reported.ts"

/** The limits of a field. The flags are the field's own; they decide about absent and empty values. */
export interface FieldLimits extends Limits {
  /** Absent, "", [] and {} are FieldValueRequired. Other limits then ignore the empty text. */
  readonly nonEmpty?: true
  /** Absent is FieldValueRequired. */
  readonly required?: true
  /** Absent and zero differ: limits hold for the empty text, too. */
  readonly pointer?: true
  /** The zero value is written: limits hold for the empty text, but not an enum. */
  readonly keepEmpty?: true
  /** Value that failures show for an absent one: its zero value, or the `null` of a pointer. */
  readonly absent?: JsonValue
  /** The path of its failures and of all below it, in place of its name. */
  readonly reportedAt?: string
}

/** The limits of a type's own fields, by name. The values of nested types have limits of their own. */
export interface TypeLimits {
  readonly [field: string]: FieldLimits
}

/** A limit ready to test values. */
interface Test {
  readonly constraint: Constraint
  readonly wrong: (value: JsonValue) => boolean
  readonly details: (value: JsonValue) => readonly string[]
  readonly supported?: readonly string[]
  readonly form: FailureForm | undefined
  /** Failures of labels and annotations are reported at the map, not at the entry, as the reference does. */
  readonly atMap: boolean
}

/** The limits of one value, ready to test it. */
interface Plan {
  readonly tests: readonly Test[]
  /** For "": fewer, unless absent and empty differ. */
  readonly testsOfEmpty: readonly Test[]
  readonly parts: Parts | undefined
}

/** The limits of a list's items, or of a map's keys and values. */
interface Parts {
  readonly items: Plan | undefined
  readonly values: Plan | undefined
  readonly keys: Plan | undefined
}

/** The limits of one field, compiled on first use. */
export class FieldCheck {
  private compiled: Plan | undefined
  /** Where failures are reported: the name, unless the schema says otherwise. */
  readonly path: string

  constructor(
    readonly name: string,
    readonly limits: FieldLimits,
  ) {
    this.path = limits.reportedAt ?? name
  }

  get plan(): Plan {
    this.compiled ??= planOf(this.limits, emptyText(this.limits), undefined)
    return this.compiled
  }
}

/** Wraps the limits of a type's fields for `limited`. Called once per type, by generated code. */
export function limits<Of extends TypeLimits>(of: Of): { readonly [Name in keyof Of]: FieldCheck }
export function limits(of: TypeLimits): Readonly<Record<string, FieldCheck>> {
  return Object.fromEntries(Object.entries(of).map(([name, field]) => [name, new FieldCheck(name, field)]))
}

/**
 * The field must be present and not empty. Generated validators call this first, for each such field. `field` is given
 * where the schema says how failures are reported.
 */
export function nonEmpty(value: JsonValue | undefined, name: string, context: Reporter, field?: FieldCheck): void {
  if (!nonZero(value)) missing("nonEmpty", value, context, name, field)
}

/** The field must be present: null is written for an absent one with `keepEmpty`. Called after `nonEmpty`, for each. */
export function required(value: JsonValue | undefined, name: string, context: Reporter, field?: FieldCheck): void {
  if (value === undefined || value === null) missing("required", undefined, context, name, field)
}

/** The field must be present, if only as null. Called in place of `required` for fields that are `nullable`. */
export function requiredOrNull(value: JsonValue | undefined, name: string, context: Reporter, field?: FieldCheck): void {
  if (value === undefined) missing("required", undefined, context, name, field)
}

/** Reports that a field is absent or empty. Called by validators of presence. */
export function missing(
  word: PresenceWord,
  value: JsonValue | undefined,
  context: Reporter,
  name: string,
  field: FieldCheck | undefined,
): void {
  const shown = value ?? field?.limits.absent
  addFailure(context, field?.limits.failures?.[word], { type: "Required", path: field?.path ?? name, value: shown, detail: "" })
}

/**
 * Validates the value of a field and reports every failure: first its own, then the failures of its items, or of its
 * keys and then its values. Absent and null have no limits. Called after `nonEmpty` and `required`, for each field with
 * limits. The work is proportional to the value and ends when the failures are full.
 */
export function limited(value: JsonValue | undefined, context: Reporter, field: FieldCheck): void {
  if (value !== undefined && value !== null) checkValue(field.plan, value, context, field.path, undefined)
}

/** `path` is the value's, or its list's or map's when `step` is given. */
function checkValue(plan: Plan, value: JsonValue, context: Reporter, path: string, step: string | number | undefined): void {
  for (const test of value === "" ? plan.testsOfEmpty : plan.tests) if (test.wrong(value)) report(test, value, context, path, step)
  if (plan.parts !== undefined && typeof value === "object") checkParts(plan.parts, value, context, stepTo(path, step))
}

function checkParts({ items, keys, values }: Parts, value: JsonValue, context: Reporter, path: string): void {
  if (Array.isArray(value)) {
    if (items === undefined) return
    for (let index = 0; index < value.length && !context.failures.full; index++)
      checkValue(items, value[index] ?? null, context, path, index)
  } else if (isObject(value)) {
    if (keys !== undefined) checkKeys(keys, value, context, path)
    if (values === undefined) return
    for (const key of Object.keys(value)) {
      if (context.failures.full) return
      checkValue(values, value[key] ?? null, context, path, key)
    }
  }
}

/** Keys are texts: they have no parts. */
function checkKeys({ tests }: Plan, map: JsonObject, context: Reporter, path: string): void {
  for (const key of Object.keys(map)) {
    for (const test of tests) {
      if (!test.wrong(key)) continue
      if (context.failures.full) return
      report(test, key, context, path, key)
    }
  }
}

function stepTo(path: string, step: string | number | undefined): string {
  return step === undefined ? path : `${path}[${step}]`
}

function report(test: Test, value: JsonValue, context: Reporter, path: string, step: string | number | undefined): void {
  const { constraint, details, supported, atMap, form } = test
  const plain = { type: constraint.failure, path, step: atMap ? undefined : step, value: shownValue(constraint, value), supported }
  const texts = form?.message === undefined ? details(value) : [form.message]
  for (const detail of texts) addFailure(context, form, { ...plain, detail })
}

/** Limits that an empty text need not keep. */
interface EmptyText {
  readonly ofEnum: boolean
  readonly ofOthers: boolean
}

function emptyText({ pointer, keepEmpty, nonEmpty }: FieldLimits): EmptyText {
  return { ofEnum: pointer !== true, ofOthers: nonEmpty === true || (pointer !== true && keepEmpty !== true) }
}

const notExempt: EmptyText = { ofEnum: false, ofOthers: false }

/** `atMap`: the words whose failures are reported at the map. */
function planOf(of: Limits, empty: EmptyText, atMap: "all" | "format" | undefined): Plan {
  const tests = constraintTable.flatMap((constraint) => testOf(constraint, of, atMap === "all" || atMap === constraint.word))
  const testsOfEmpty = tests.filter(({ constraint }) => (constraint.word === "enum" ? !empty.ofEnum : !empty.ofOthers))
  const labels = of.values?.format === "label-value" || of.keys?.format === "annotation-key"
  const items = of.items && planOf(of.items, notExempt, undefined)
  const values = of.values && planOf(of.values, notExempt, labels ? "format" : undefined)
  const keys = of.keys && planOf(of.keys, notExempt, labels ? "all" : undefined)
  const parts = items === undefined && values === undefined && keys === undefined ? undefined : { items, values, keys }
  return { tests, testsOfEmpty, parts }
}

function testOf(constraint: Constraint, of: Limits, atMap: boolean): Test[] {
  const limit = limitOf(constraint, of)
  if (limit === undefined) return []
  const details = (value: JsonValue): readonly string[] => constraint.details(limit, of, value)
  const form = of.failures?.[constraint.word]
  // The reference lists supported values in their order as texts, with few exceptions.
  const supported = constraint.word === "enum" ? { supported: (of.enum ?? []).map(String).toSorted() } : {}
  return [{ constraint, wrong: constraint.wrong(limit), details, atMap, form, ...supported }]
}
