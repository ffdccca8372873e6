/**
 * Used by generated validators. `validate.ts` of a schema file holds one function per type: it checks the limits of the
 * type's fields (`check-limits.ts`), calls the functions of nested types, and states the rest (rules, uniqueness,
 * immutability) with one call per fact. Named checks (`runtime/behaviours/checks/`) receive the same context.
 */
import type { Vendor } from "../base/vendor.ts"
import { ruleStepsMax } from "../base/limits.ts"
import { type FieldCheck, missing } from "./check-limits.ts"
import { equals, json, nonZero, type Value } from "./expression.ts"
import { RuleStepsError, ruleStepsText, takeSteps } from "./expression-steps.ts"
import type { Failures, FailureType } from "../base/failure.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { atOnce, type Stages } from "../base/turns.ts"
import { addFailure, joinPaths } from "./reported.ts"
import { typed } from "./typed.ts"
import type { ValidationContext } from "./kind.ts"

/**
 * A named check of a schema's `checks`, for values of the generated type `T`. Called for each value of the type on
 * every write, after its constraints and the ones below it. It reports faults with `context.fail` and changes nothing.
 *
 * An object is checked although its constraints have found faults, so that one answer lists all of them. A required
 * field may therefore be missing; where a check throws because of that, the missing field alone is reported.
 */
export type Check<T = JsonObject> = (value: T, context: CheckContext<T>) => void

/**
 * A named function of a schema's `warnings`, for values of the generated type `T`. Called for a valid object with the
 * value at the path `at` ("" is the object itself), unless it is absent. Returns complete texts, which clients receive
 * as `Warning: 299`.
 */
export type Warning<T extends object = ApiObject> = (value: T, at: string, object: ApiObject, context: ValidationContext) => string[]

/** A generated validator of one type. */
export type TypeValidator = (value: JsonObject, context: CheckContext) => void

/** State shared by the whole validation of an object. */
interface Validation {
  readonly failures: Failures
  readonly vendor: Vendor
  readonly root: ApiObject
  readonly oldRoot: ApiObject | undefined
  readonly subresource: string | undefined
  readonly allowsPrivileged: boolean | undefined
  readonly later: ValidationContext["later"] | undefined
  readonly again: boolean
  readonly passed: ValidationContext["passed"]
  /** Steps of all rules so far. */
  ruleSteps: number
}

/** The context of a validator: the path, the stored value at the same path, and the whole object. */
export class CheckContext<T = JsonValue> {
  private constructor(
    private readonly validation: Validation,
    private readonly parent: CheckContext<unknown> | undefined,
    /** The last step of the path as shown: `spec`, `[0]`, `[a.b]`. */
    private readonly step: string,
    /**
     * The stored value at the same path; absent on create and where the path is new. Items of map lists are found by
     * their keys.
     */
    readonly old: T | undefined,
  ) {}

  /** Creates the context of a whole object. Called once per validation by the generated kind. */
  static of(root: ApiObject, context: ValidationContext): CheckContext {
    const { failures, vendor, old, subresource, allowsPrivileged, later, again = false, passed } = context
    takeSteps()
    const validation = { ruleSteps: 0, failures, vendor, root, oldRoot: old, subresource, allowsPrivileged, later, again, passed }
    return new CheckContext(validation, undefined, "", old)
  }

  get failures(): Failures {
    return this.validation.failures
  }

  get vendor(): Vendor {
    return this.validation.vendor
  }

  /** The object being validated. */
  get root(): ApiObject {
    return this.validation.root
  }

  /** The stored object; absent on create. */
  get oldRoot(): ApiObject | undefined {
    return this.validation.oldRoot
  }

  /** The sub-resource that the request writes; absent for the main resource. */
  get subresource(): string | undefined {
    return this.validation.subresource
  }

  /**
   * Whether containers of this write may have the rights of their node. A status is about containers that run already,
   * so it is not checked.
   */
  get allowsPrivileged(): boolean {
    return this.validation.allowsPrivileged !== false || this.validation.subresource === "status"
  }

  /** Whether a field of the object is as in the stored one, which has passed these checks. */
  hasPassed(name: string): boolean {
    return this.isRoot && this.validation.passed?.(name) === true
  }

  /** Runs the stages of a check that may take long: after the rest of the validation, in turns where it takes turns. */
  inStages(stages: Stages<void>): void {
    if (this.validation.later === undefined) atOnce(stages)
    else this.validation.later(stages)
  }

  get operation(): "create" | "update" {
    return this.validation.oldRoot === undefined && !this.validation.again ? "create" : "update"
  }

  get isRoot(): boolean {
    return this.parent === undefined
  }

  /** `spec.ports[0]`; empty for the whole object. */
  get path(): string {
    return this.parent === undefined ? this.step : joinPaths(this.parent.path, this.step)
  }

  /**
   * Returns a path below this one: `at("template.spec")`, `at("[0].port")`; `at("")` is this path, and `at("../a")` is
   * beside it.
   */
  at(below: string): string {
    return joinPaths(this.path, below)
  }

  /** The context of a field's value. `shown`: the path by which failures name it, unless that is its name. */
  field(name: string, shown = name): CheckContext {
    return this.child(shown, isObject(this.old) ? this.old[name] : undefined)
  }

  /** The context of a list item; `old` is the stored item to compare with. */
  item(index: number, old: JsonValue | undefined): CheckContext {
    return this.child(`[${index}]`, old)
  }

  /** The context of a map entry. */
  entry(key: string): CheckContext {
    return this.child(`[${key}]`, isObject(this.old) && Object.hasOwn(this.old, key) ? this.old[key] : undefined)
  }

  /** Reports an error at this path or, with `below`, at a path under it. */
  fail(type: FailureType, value: JsonValue | undefined, detail: string, below = ""): void {
    if (this.failures.full) return
    this.failures.add({ type, field: this.at(below), value, detail })
  }

  /** Adds the cost of a rule. Returns false when validation of this object has become too expensive and must end. */
  mayGoOn(steps: number, message: () => string): boolean {
    const { validation } = this
    validation.ruleSteps += steps
    if (validation.ruleSteps <= ruleStepsMax) return true
    this.fail("Forbidden", undefined, `${ruleStepsText}; the rule was: ${message()}`)
    validation.failures.end()
    return false
  }

  private child(step: string, old: JsonValue | undefined): CheckContext {
    return new CheckContext(this.validation, this, step, old)
  }
}

/** Reads a path of field names; absent when a step is absent. */
function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (path === "" || value === undefined) return value
  let here: JsonValue | undefined = value
  for (const name of path.split(".")) here = isObject(here) ? here[name] : undefined
  return here
}

/** Validates the value of a struct field with its type's validator. `shown`: as for `CheckContext.field`. */
export function field(self: JsonObject, name: string, context: CheckContext, validate: TypeValidator, shown?: string): void {
  const value = self[name]
  if (isObject(value)) validated(value, context.field(name, shown), validate)
}

/**
 * As `field`, for a field of an object whose checks read nothing else of the object but its name: a value that equals
 * the one that this server checked and wrote last passes again.
 */
export function selfContained(self: JsonObject, name: string, context: CheckContext, validate: TypeValidator, shown?: string): void {
  if (!context.hasPassed(name)) field(self, name, context, validate, shown)
}

/** Rules that cost too much are reported with the path of the value that they belong to. */
function validated(value: JsonObject, context: CheckContext, validate: TypeValidator): void {
  try {
    validate(value, context)
  } catch (error) {
    if (!(error instanceof RuleStepsError)) throw error
    context.fail("Forbidden", undefined, ruleStepsText)
    context.failures.end()
  }
}

/**
 * Validates each item of a list field. `keys`: the keys of a map list, which identify the stored item; without them,
 * the index does.
 */
export function items(
  self: JsonObject,
  name: string,
  context: CheckContext,
  validate: TypeValidator,
  keys?: readonly string[],
  shown?: string,
): void {
  const list = self[name]
  if (!Array.isArray(list)) return
  const below = context.field(name, shown)
  const old = Array.isArray(below.old) ? below.old : []
  let byKeys: ReadonlyMap<string, JsonObject> | undefined
  for (let index = 0; index < list.length && !context.failures.full; index++) {
    const value = list[index]
    if (!isObject(value)) continue
    let stored = old[index]
    // Most items keep their index; all are looked up by key only when one has moved.
    if (keys !== undefined && old.length > 0 && !hasKeysOf(stored, value, keys)) {
      byKeys ??= new Map(old.filter(isObject).map((item) => [keyText(item, keys), item]))
      stored = byKeys.get(keyText(value, keys))
    }
    validated(value, below.item(index, stored), validate)
  }
}

function hasKeysOf(stored: JsonValue | undefined, item: JsonObject, keys: readonly string[]): boolean {
  if (!isObject(stored)) return false
  for (const key of keys) if (stored[key] !== item[key]) return false
  return true
}

/** Validates each value of a map field. */
export function entries(self: JsonObject, name: string, context: CheckContext, validate: TypeValidator, shown?: string): void {
  const map = self[name]
  if (!isObject(map)) return
  const below = context.field(name, shown)
  for (const key in map) {
    if (context.failures.full) return
    const value = map[key]
    if (isObject(value)) validated(value, below.entry(key), validate)
  }
}

/** Validates values of nested lists and maps; `levels` names them, outermost first. */
export function nested(
  value: JsonValue | undefined,
  context: CheckContext,
  levels: readonly ("list" | "map")[],
  validate: TypeValidator,
): void {
  if (context.failures.full) return
  const [level, ...deeper] = levels
  if (level === undefined) {
    if (isObject(value)) validated(value, context, validate)
  } else if (Array.isArray(value)) {
    const old = Array.isArray(context.old) ? context.old : []
    for (const [index, item] of value.entries()) nested(item, context.item(index, old[index]), deeper, validate)
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) nested(item, context.entry(key), deeper, validate)
  }
}

/** The values of these fields as one text; absent equals empty. */
function keyText(item: JsonValue, fields: readonly string[]): string {
  const [field, more] = fields
  const only = field !== undefined && more === undefined && isObject(item) ? (item[field] ?? "") : undefined
  // JSON never begins with a colon.
  if (typeof only === "string") return `:${only}`
  if (fields.length === 0 || !isObject(item)) return JSON.stringify(item, bigintAsText)
  return JSON.stringify(
    fields.map((name) => item[name] ?? ""),
    bigintAsText,
  )
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value
}

/**
 * The items of a list must be unique: as a whole (no fields) or by these fields. Reported at the later item, or at its
 * only field. Items without their only field have no name that could be the same; several fields are compared as they
 * are.
 */
export function unique(self: JsonObject, name: string, context: CheckContext, fields: readonly string[], field?: FieldCheck): void {
  const list = self[name]
  if (!Array.isArray(list) || list.length < 2) return
  const only = fields.length === 1 ? fields[0] : undefined
  const seen = new Set<string>()
  for (let index = 0; index < list.length && !context.failures.full; index++) {
    const value = list[index] ?? null
    if (only !== undefined && !hasValue(value, only)) continue
    const key = keyText(value, fields)
    if (seen.has(key)) duplicate(context, field, { path: field?.path ?? name, step: index }, value, fields)
    else seen.add(key)
  }
}

const hasValue = (value: JsonValue, field: string): boolean => isObject(value) && nonZero(value[field])

function duplicate(
  context: CheckContext,
  field: FieldCheck | undefined,
  place: { readonly path: string; readonly step: number },
  value: JsonValue,
  fields: readonly string[],
): void {
  const [only] = fields
  const form = field?.limits.failures?.unique
  const plain = { type: "Duplicate", detail: "", ...place } as const
  if (fields.length === 1 && only !== undefined && isObject(value))
    return addFailure(context, form, { ...plain, value: value[only] ?? "", rest: `.${only}` })
  const shown = fields.length === 0 || !isObject(value) ? value : Object.fromEntries(fields.map((one) => [one, value[one]]))
  addFailure(context, form, { ...plain, value: shown })
}

/** The field must not change once the object exists. `once-set`: it may be filled in later and then stays. */
export function immutable(self: JsonObject, name: string, context: CheckContext, when: "always" | "once-set", field?: FieldCheck): void {
  if (context.oldRoot === undefined || !isObject(context.old)) return
  const [value, old] = [self[name], context.old[name]]
  if (when === "once-set" && !nonZero(old)) return
  // For a pointer, absent and empty differ.
  const isSet = field?.limits.absent === "null" ? (one?: JsonValue): boolean => (one ?? null) !== null : nonZero
  if (equals(value, old) || (!isSet(value) && !isSet(old))) return
  const shown = value ?? field?.limits.absent ?? null
  const plain = { type: "Invalid", path: field?.path ?? name, value: shown, detail: "field is immutable" } as const
  addFailure(context, field?.limits.failures?.immutable, plain)
}

/** The field must be present and not empty on this operation. */
export function requiredOn(
  self: JsonObject,
  name: string,
  context: CheckContext,
  operation: "create" | "update",
  field?: FieldCheck,
): void {
  if (context.operation === operation && !nonZero(self[name])) missing("requiredOn", self[name], context, name, field)
}

/** Calls a named check of a schema. */
export function named<T>(check: Check<T>, self: JsonObject, context: CheckContext): void {
  try {
    check(typed<T>(self), typed<CheckContext<T>>(context))
  } catch (error) {
    // The check relied on a required field that the object lacks. That was reported, if with another reason.
    if (!(error instanceof TypeError) || context.failures.empty) throw error
  }
}

/** Calls a named function of warnings with the object or list at `at`; none for an absent value. */
export function namedWarnings<T extends object>(
  warn: Warning<T>,
  value: JsonValue | undefined,
  at: string,
  object: ApiObject,
  context: ValidationContext,
): string[] {
  return typeof value === "object" && value !== null ? warn(typed<T>(value), at, object, context) : []
}

/** The error of a violated rule. */
export interface RuleFault {
  readonly type: FailureType
  /** Path below the type's value; empty for the value itself. */
  readonly at: string
  /** The value shown when the field is absent: the zero value of a field that is not a pointer. */
  readonly absent?: JsonValue
  /** Computes the value shown in place of the value at the path. */
  readonly value?: () => Value
  /** The message says nothing of the value. */
  readonly omitValue?: true
  /** NotSupported: the supported values. */
  readonly supported?: readonly string[]
  readonly message: string | (() => string)
  /** Only on this operation; `update` also requires a stored value at this path. */
  readonly on?: "create" | "update"
}

/** A rule of the schema: reports its error unless `holds`. */
export function rule(holds: boolean, self: JsonObject, context: CheckContext, fault: RuleFault): void {
  const { type, at, message, on } = fault
  const steps = takeSteps()
  if (steps > 0 && !context.mayGoOn(steps, () => (typeof message === "string" ? message : message()))) return
  if (holds || (on === "create" && context.operation !== "create") || (on === "update" && context.old === undefined)) return
  if (context.failures.full) return
  const value = fault.value === undefined ? (valueAt(self, at) ?? fault.absent) : json(fault.value())
  const detail = typeof message === "string" ? message : message()
  addFailure(context, undefined, { type, path: at, value, detail, supported: fault.supported, omitValue: fault.omitValue })
}

/** Returns the texts of the warnings whose condition holds, in the order of the schema. */
export function warningTexts(warnings: readonly { readonly when: boolean; readonly text: string | (() => string) }[]): string[] {
  return warnings.filter(({ when }) => when).map(({ text }) => (typeof text === "string" ? text : text()))
}
