/**
 * What generated validators lean on. `validate.ts` of a schema file holds one function per type: it runs the type's compiled
 * constraints, calls the functions of the types below, and states the rest (rules, uniqueness, immutability) one call per fact.
 * Named checks (`runtime/behaviours/checks/<name>.ts`, export `check`) get the same context.
 */
import type { Vendor } from "../vendor.ts"
import { ruleStepsMax } from "../limits.ts"
import { characterCount, equals, nonZero } from "./expression.ts"
import { RuleStepsError, ruleStepsText, takeSteps } from "./expression-steps.ts"
import type { Failure, Failures, FailureType } from "./failure.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "./json.ts"
import type { ValidationContext } from "./kind.ts"

/** A named check of a schema's `checks`. Called for each value of the type, after its own constraints and those below it. */
export type Check = (value: JsonValue, context: CheckContext) => void
/** A generated validator of one type. */
export type TypeValidator = (value: JsonObject, context: CheckContext) => void

/** What is the same for the whole object during one validation. */
interface Validation {
  readonly failures: Failures
  readonly vendor: Vendor
  readonly root: ApiObject
  readonly oldRoot?: ApiObject
  readonly subresource?: string
  /** Of all rules until now. */
  ruleSteps: number
}

/** Where a validator stands: the place, the stored value of the same place, and the whole object. */
export class CheckContext {
  private constructor(
    private readonly validation: Validation,
    private readonly parent: CheckContext | undefined,
    /** The last step of the path as it is shown: `spec`, `[0]`, `[a.b]`. */
    private readonly step: string,
    /** The value of the same place in the stored object; absent on create and where the place is new. Items of map lists are found by their keys. */
    readonly old: JsonValue | undefined,
  ) {}

  /** The context of a whole object. Called once per validation by the generated kind. */
  static of(root: ApiObject, context: ValidationContext): CheckContext {
    const { failures, vendor, old, subresource } = context
    takeSteps()
    const validation = {
      ruleSteps: 0,
      failures,
      vendor,
      root,
      ...(old !== undefined && { oldRoot: old }),
      ...(subresource !== undefined && { subresource }),
    }
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

  /** The sub-resource being written; absent for the main resource. */
  get subresource(): string | undefined {
    return this.validation.subresource
  }

  get operation(): "create" | "update" {
    return this.validation.oldRoot === undefined ? "create" : "update"
  }

  get isRoot(): boolean {
    return this.parent === undefined
  }

  /** `spec.ports[0]`; empty for the whole object. */
  get path(): string {
    return this.parent === undefined ? this.step : join(this.parent.path, this.step)
  }

  /** The path of something below: `at("template.spec")`, `at("[0].port")`, `at("")` is the place itself. */
  at(below: string): string {
    return join(this.path, below)
  }

  /** The context of a field's value. */
  field(name: string): CheckContext {
    return this.child(name, isObject(this.old) ? this.old[name] : undefined)
  }

  /** The context of a list item; `old` is the item it is compared with. */
  item(index: number, old: JsonValue | undefined): CheckContext {
    return this.child(`[${index}]`, old)
  }

  /** The context of a map entry. */
  entry(key: string): CheckContext {
    return this.child(`[${key}]`, isObject(this.old) && Object.hasOwn(this.old, key) ? this.old[key] : undefined)
  }

  /** Reports a fault at this place or, with `below`, at a path under it. */
  fail(type: FailureType, value: JsonValue | undefined, detail: string, below = ""): void {
    if (this.failures.full) return
    this.failures.add({ type, field: this.at(below), value, detail })
  }

  /** Counts what a rule has cost; validation ends when that is too much for one object. Answers false then. */
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

function join(path: string, below: string): string {
  return path === "" || below === "" || below.startsWith("[") ? path + below : `${path}.${below}`
}

/** Walks a path of field names, absent when any step is. */
function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (path === "" || value === undefined) return value
  let here: JsonValue | undefined = value
  for (const name of path.split(".")) here = isObject(here) ? here[name] : undefined
  return here
}

/** Validates the value of a struct field with its type's validator. */
export function field(self: JsonObject, name: string, context: CheckContext, validate: TypeValidator): void {
  const value = self[name]
  if (isObject(value)) validated(value, context.field(name), validate)
}

/** Rules that cost too much are told with the place of the value whose rules they are. */
function validated(value: JsonObject, context: CheckContext, validate: TypeValidator): void {
  try {
    validate(value, context)
  } catch (error) {
    if (!(error instanceof RuleStepsError)) throw error
    context.fail("Forbidden", undefined, ruleStepsText)
    context.failures.end()
  }
}

/** Validates each item of a list field. `keys`: of a map list, by which the stored item is found; otherwise it is that of the same index. */
export function items(self: JsonObject, name: string, context: CheckContext, validate: TypeValidator, keys?: readonly string[]): void {
  const list = self[name]
  if (!Array.isArray(list)) return
  const below = context.field(name)
  const old = Array.isArray(below.old) ? below.old : []
  let byKeys: ReadonlyMap<string, JsonObject> | undefined
  for (let index = 0; index < list.length && !context.failures.full; index++) {
    const value = list[index]
    if (!isObject(value)) continue
    let stored = old[index]
    // Most items are where they were: only when one is not, all are looked up by their keys.
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
export function entries(self: JsonObject, name: string, context: CheckContext, validate: TypeValidator): void {
  const map = self[name]
  if (!isObject(map)) return
  const below = context.field(name)
  for (const key in map) {
    if (context.failures.full) return
    const value = map[key]
    if (isObject(value)) validated(value, below.entry(key), validate)
  }
}

/** Validates values below lists and maps in each other; `levels` says which, outermost first. */
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

/** The values of these fields as one text; absent and the empty value are the same. */
function keyText(item: JsonValue, fields: readonly string[]): string {
  const [field, more] = fields
  const only = field !== undefined && more === undefined && isObject(item) ? (item[field] ?? "") : undefined
  // No JSON begins with a colon.
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

/** The items of a list may not repeat: whole (no fields) or by these fields. Reported at the later item, or at its only field. */
export function unique(self: JsonObject, name: string, context: CheckContext, fields: readonly string[]): void {
  const list = self[name]
  if (!Array.isArray(list) || list.length < 2) return
  const seen = new Set<string>()
  for (let index = 0; index < list.length && !context.failures.full; index++) {
    const value = list[index] ?? null
    if (fields.length > 0 && !hasAnyOf(value, fields)) continue
    const key = keyText(value, fields)
    if (seen.has(key)) duplicate(context, `${name}[${index}]`, value, fields)
    else seen.add(key)
  }
}

function hasAnyOf(value: JsonValue, fields: readonly string[]): boolean {
  if (!isObject(value)) return false
  for (const field of fields) if (nonZero(value[field])) return true
  return false
}

function duplicate(context: CheckContext, below: string, value: JsonValue, fields: readonly string[]): void {
  const [only] = fields
  if (fields.length === 1 && only !== undefined && isObject(value)) return context.fail("Duplicate", value[only], "", `${below}.${only}`)
  const shown = fields.length === 0 || !isObject(value) ? value : Object.fromEntries(fields.map((field) => [field, value[field]]))
  context.fail("Duplicate", shown, "", below)
}

/** The field may not change once the object is there. `once-set`: it may be filled in later, then stays. */
export function immutable(self: JsonObject, name: string, context: CheckContext, when: "always" | "once-set"): void {
  if (context.oldRoot === undefined || !isObject(context.old)) return
  const [value, old] = [self[name], context.old[name]]
  if (when === "once-set" && !nonZero(old)) return
  if (equals(value, old) || (!nonZero(value) && !nonZero(old))) return
  context.fail("Invalid", value ?? null, "field is immutable", name)
}

/** The field must be there and not empty on this operation. */
export function requiredOn(self: JsonObject, name: string, context: CheckContext, operation: "create" | "update"): void {
  if (context.operation === operation && !nonZero(self[name])) context.fail("Required", undefined, "", name)
}

/** At most one of the fields is set: each further one is Forbidden. With `required`, none is Required at the place itself. */
export function oneOf(self: JsonObject, context: CheckContext, fields: readonly string[], required: boolean): void {
  const set = fields.filter((name) => self[name] !== undefined && self[name] !== null && self[name] !== "")
  for (const name of set.slice(1)) context.fail("Forbidden", undefined, `may not be set together with ${set[0]}`, name)
  if (required && set.length === 0) context.fail("Required", undefined, `must specify one of: ${fields.join(", ")}`)
}

/** What a broken rule reports. */
export interface RuleFault {
  readonly type: FailureType
  /** Path below the type's value; empty for the value itself. */
  readonly at: string
  /** What is shown when nothing is there: the zero value of a field that is not a pointer. */
  readonly absent?: JsonValue
  readonly message: string | (() => string)
  /** Only on this operation; `update`: only where the value was there before. */
  readonly on?: "create" | "update"
}

/** A rule of the schema: reports its fault unless it holds. */
export function rule(holds: boolean, self: JsonObject, context: CheckContext, { type, at, absent, message, on }: RuleFault): void {
  const steps = takeSteps()
  if (steps > 0 && !context.mayGoOn(steps, () => (typeof message === "string" ? message : message()))) return
  if (holds || (on === "create" && context.operation !== "create") || (on === "update" && context.old === undefined)) return
  context.fail(type, valueAt(self, at) ?? absent, typeof message === "string" ? message : message(), at)
}

/** One finding of a compiled constraint check. */
export interface ConstraintError {
  /** JSON pointer below the value. */
  readonly instancePath: string
  readonly keyword: string
  readonly params: ConstraintParams
  /** Set when it is a map's key that is wrong. */
  readonly propertyName?: string
}

interface ConstraintParams {
  readonly missingProperty?: string
  readonly limit?: number
  readonly low?: number
  readonly high?: number
  readonly allowed?: readonly JsonValue[]
  readonly text?: string
  /** Faults of labels and annotations are reported at the map, not at the entry, as the reference does. */
  readonly whole?: boolean
}

/** A constraint check compiled ahead of time: true, or false with `errors`. */
export interface ConstraintCheck {
  (value: JsonObject): boolean
  errors?: readonly ConstraintError[] | null
}

/** Runs the compiled constraints of a type and reports what they find. Called first in each generated validator. */
export function constraints(self: JsonObject, context: CheckContext, check: ConstraintCheck): void {
  if (check(self)) return
  for (const error of check.errors ?? []) {
    if (error.keyword === "propertyNames") continue
    if (context.failures.full) return
    context.failures.add(failureOf(self, context, error))
  }
}

/** The words are those of the reference, also where it counts bytes and schemas count characters. */
function failureOf(self: JsonObject, context: CheckContext, error: ConstraintError): Failure {
  const found = locate(self, error)
  const field = context.at(found.path)
  const { keyword, params } = error
  const { limit } = params
  switch (keyword) {
    case "required":
    case "nonEmpty":
      return { type: "Required", field, detail: "" }
    case "enum":
      return { type: "NotSupported", field, value: found.value, detail: "", supported: (params.allowed ?? []).map(String) }
    case "maxLength":
      return { type: "TooLong", field, value: found.value, detail: `must have at most ${limit} bytes` }
    case "maxItems":
    case "maxProperties":
      return { type: "TooMany", field, value: countOf(found.value), detail: `must have at most ${limit} items` }
    default:
      return { type: "Invalid", field, value: found.value, detail: invalidDetail(error, found.value) }
  }
}

function invalidDetail({ keyword, params }: ConstraintError, value: JsonValue | undefined): string {
  const { limit } = params
  switch (keyword) {
    case "range":
      return rangeDetail(params.low, params.high)
    case "minLength":
      return `must have at least ${limit} ${limit === 1 ? "character" : "characters"}, has ${characterCount(String(value))}`
    case "minItems":
    case "minProperties":
      return `must have at least ${limit} ${limit === 1 ? "item" : "items"}`
    case "pattern":
      return `must match the regular expression ${params.text ?? ""}`
    default:
      return params.text ?? "is not valid"
  }
}

/** `must be between 1 and 65535, inclusive`; with one bound as the reference words it. */
export function rangeDetail(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `must be between ${low} and ${high}, inclusive`
  return low === undefined ? `must be less than or equal to ${high}` : `must be greater than or equal to ${low}`
}

function countOf(value: JsonValue | undefined): number {
  return Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0
}

/** The place and value of a finding: the first step is a field, later ones are indexes and map keys. */
function locate(self: JsonObject, { instancePath, params, propertyName }: ConstraintError): { path: string; value: JsonValue | undefined } {
  const steps = instancePath.split("/").slice(1).map(unescapePointer)
  if (params.missingProperty !== undefined) steps.push(params.missingProperty)
  if (propertyName !== undefined) steps.push(propertyName)
  let value: JsonValue | undefined = self
  let path = ""
  for (const [depth, step] of steps.entries()) {
    value = Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined
    if (depth === 0) path = step
    else if (params.whole !== true || depth < steps.length - 1) path += `[${step}]`
  }
  return { path, value: propertyName ?? value }
}

function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~")
}

/** The texts of the warnings whose condition holds, in the order of the schema. */
export function warningTexts(warnings: readonly { readonly when: boolean; readonly text: string | (() => string) }[]): string[] {
  return warnings.filter(({ when }) => when).map(({ text }) => (typeof text === "string" ? text : text()))
}
