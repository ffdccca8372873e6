/**
 * The walk over a value and its plan. Failures and their order are as in kube-openapi's pkg/validation/validate, except
 * for the order of fields, which is the object's here and random there.
 */
import type { Failure } from "../../base/failure.ts"
import { failuresMax, messageCharactersMax, turnValues } from "../../base/limits.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { PatternFault, patternOf, patternSteps, SearchExceeded } from "../../base/pattern.ts"
import { cut } from "../../base/quote.ts"
import type { Stages } from "../../base/turns.ts"
import { checkedValuesMax, junctorValuesMax } from "../limits.ts"
import { isListed, listedTexts } from "./enumeration.ts"
import {
  forbiddenSchema,
  missing,
  noField,
  noMatch,
  noneOfAny,
  notAll,
  notExactlyOne,
  notListed,
  tooFewItems,
  tooFewProperties,
  tooLong,
  tooMany,
  tooShort,
  wrongType,
} from "./faults.ts"
import { checkNumber, isInt64 } from "./numbers.ts"
import type { Junctors, ListLimits, ObjectLimits, Plan, TextLimits } from "./plan.ts"

/**
 * The result of one schema for one value. `matches` counts checks, failed or not, as in the reference: if all schemas
 * of a junctor refuse a value, it reports the failures of the schema with the highest count.
 */
interface Verdict {
  readonly failures: Failure[]
  matches: number
}

/** Values that need not be checked; with ratcheting, the values that an update leaves unchanged. */
export interface Skipping {
  readonly ofField: (name: string) => Skipping | undefined
  readonly ofItem: (index: number) => Skipping | undefined
  /** The value is unchanged, so its failures do not count. */
  readonly isUnchanged: () => boolean
}

/** The part of a list or an object that exceeds the turn. */
interface PendingPart {
  readonly plan: Plan
  readonly container: JsonValue[] | JsonObject
  readonly from: number
  readonly path: string
  readonly skipping: Skipping | undefined
}

/** Characters of text, and steps of a pattern search, that take as long as one value. */
const charactersPerValue = 100
const stepsPerValue = 40

/** Enumerated values or required names, and names of an object, that take as long as one value. */
const listedPerValue = 50
const namesPerValue = 8

/** Validates one value. Created per validation. */
export class ValueWalk {
  private verdict: Verdict = { failures: [], matches: 0 }
  /** Names and indexes from `base` to the current value. */
  private readonly steps: (string | number)[] = []
  private base = ""
  private left: PendingPart[] = []
  private work = 0
  /** Schemas of junctors around the current one. Validation within them is not interrupted. */
  private junctorDepth = 0
  /** The work at the start of the outermost of them. */
  private junctorStart = 0
  /** The limit was exceeded; nothing more is checked. */
  private isOver = false
  private excess: Failure | undefined

  /** `done`: work of earlier turns, and of other values that share the limit. */
  constructor(private done = 0) {}

  /** The work so far, including `done`. */
  get totalWork(): number {
    return this.done + this.work
  }

  private get isFull(): boolean {
    return this.isOver || this.verdict.failures.length >= failuresMax
  }

  /**
   * Ends the validation when it takes too long. A schema of a few KB may apply many checks to each value of an object.
   */
  private checkEnd(): void {
    const isLong = this.totalWork > checkedValuesMax
    if (this.isOver || !(isLong || (this.junctorDepth > 0 && this.work - this.junctorStart > junctorValuesMax))) return
    this.isOver = true
    const field = this.name()
    const [most, what] = isLong ? [checkedValuesMax, "the object"] : [junctorValuesMax, "a value with allOf, anyOf, oneOf or not"]
    this.excess = {
      type: "Invalid",
      field: field === "" ? noField : field,
      value: null,
      shown: "null",
      detail: `checking ${what} takes more than ${most} steps; send fewer or shorter values, or simplify the schema`,
    }
  }

  /**
   * Validates the value in stages. In a large list or object, failures of later parts follow the failures of values
   * after it. Returns at most some `failuresMax` failures.
   */
  *run(plan: Plan, value: JsonValue, skipping?: Skipping): Stages<readonly Failure[]> {
    this.check(plan, value, skipping)
    for (let part = this.left.shift(); part !== undefined && !this.isFull; part = this.left.shift()) {
      yield
      this.done += this.work
      this.work = 0
      this.checkEnd()
      this.base = part.path
      if (Array.isArray(part.container)) this.items(part.plan, part.container, part.from, part.skipping)
      else this.fields(part.plan, part.container, part.from, part.skipping)
    }
    return this.excess === undefined ? this.verdict.failures : [...this.verdict.failures, this.excess]
  }

  private fail(failure: Failure): void {
    const { failures } = this.verdict
    // Only junctors can find the same failure twice.
    if (this.isFull || failures.some((known) => isSameFailure(known, failure))) return
    failures.push(failure)
  }

  private readonly addFailure = (failure: Failure): void => this.fail(failure)

  /** The path in texts of failures. Names of the root's additional properties begin with a dot. */
  private readonly name = (): string => {
    let text = this.base
    for (const step of this.steps) {
      if (text.length > messageCharactersMax) return cut(text)
      text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`
    }
    return cut(text)
  }

  private check(plan: Plan, value: JsonValue, skipping: Skipping | undefined): void {
    this.work++
    if (this.work >= turnValues) this.checkEnd()
    if (this.isOver) return
    if (value === null) {
      this.checkNull(plan)
      return
    }
    const { verdict } = this
    this.checkType(plan, value)
    if (plan.junctors !== undefined) this.checkJunctors(plan.junctors, value)
    // The reference also counts the check of junctors and the end of the value.
    verdict.matches += 3
    if (typeof value === "string") this.checkText(plan, value)
    else if (typeof value === "number" || typeof value === "bigint") {
      if (plan.number !== undefined) checkNumber(value, plan.number, this.name, this.addFailure)
      verdict.matches += 2
    } else if (Array.isArray(value)) {
      if (plan.list !== undefined) this.checkList(plan, plan.list, value, skipping)
      verdict.matches += 2
    }
    if (plan.enumeration !== undefined) this.checkListed(plan.enumeration, value)
    verdict.matches++
    if (typeof value === "object" && !Array.isArray(value)) {
      if (plan.object !== undefined) this.checkObject(plan, plan.object, value, skipping)
      verdict.matches++
    }
  }

  private checkNull(plan: Plan): void {
    if (plan.types.length === 0 || plan.nullable) this.verdict.matches++
    else this.fail(wrongType(this.name(), plan.types.join(","), "null"))
    if (plan.enumeration !== undefined) this.checkListed(plan.enumeration, null)
  }

  private checkListed(enumeration: readonly JsonValue[], value: JsonValue): void {
    if (typeof value !== "string") this.work += enumeration.length / listedPerValue
    if (!isListed(value, enumeration)) this.fail(notListed(this.name(), value, listedTexts(enumeration)))
  }

  private checkType(plan: Plan, value: JsonObject | JsonValue[] | string | number | bigint | boolean): void {
    const { types, format } = plan
    if (types.length === 0 && format === "") return
    const found = typeOf(value)
    const fits = types.includes(found) || (found === "integer" && types.includes("number"))
    const isTextual = found === "string" || found === "array"
    this.verdict.matches++
    if (format !== "" && !isTextual && !fits) {
      this.fail(wrongType(this.name(), format, found === "integer" ? "int64" : found === "number" ? "float64" : ""))
      return
    }
    // Like the reference, leaves texts and lists with a format to the check of the format.
    if (fits || (format !== "" && isTextual && !types.includes("number") && !types.includes("integer"))) this.verdict.matches++
    else this.fail(wrongType(this.name(), types.join(","), found))
  }

  private checkText(plan: Plan, text: string): void {
    const { verdict } = this
    this.work += text.length / charactersPerValue
    if (plan.text !== undefined) this.checkTextLimits(plan.text, text)
    verdict.matches++
    if (plan.isFormat === undefined) return
    if (!plan.isFormat(text)) this.fail(wrongType(this.name(), plan.format, text))
    verdict.matches++
  }

  /** Reports the first limit that the text exceeds. */
  private checkTextLimits({ maxLength, minLength, pattern }: TextLimits, text: string): void {
    if (maxLength !== undefined && text.length > maxLength && characters(text) > maxLength) this.fail(tooLong(this.name(), text, maxLength))
    else if (minLength !== undefined && text.length < 2 * minLength && characters(text) < minLength)
      this.fail(tooShort(this.name(), text, minLength))
    else if (pattern !== "") this.checkPattern(pattern, text)
  }

  private checkPattern(pattern: string, text: string): void {
    const before = patternSteps()
    const fault = patternFault(pattern, text)
    this.work += (patternSteps() - before) / stepsPerValue
    if (fault === undefined) return
    this.fail(noMatch(this.name(), text, fault === "" ? pattern : `${pattern}, but ${fault}`))
  }

  private checkList(plan: Plan, limits: ListLimits, list: JsonValue[], skipping: Skipping | undefined): void {
    const { minItems, maxItems } = limits
    this.items(plan, list, 0, skipping)
    if (minItems !== undefined && list.length < minItems) this.fail(tooFewItems(this.name(), list.length, minItems))
    if (maxItems !== undefined && list.length > maxItems) this.fail(tooMany(this.name(), list.length, maxItems))
  }

  private items(plan: Plan, list: JsonValue[], from: number, skipping: Skipping | undefined): void {
    const item = plan.list?.item?.()
    if (item === undefined) return
    const depth = this.steps.length
    this.steps.push(0)
    let index = from
    while (index < list.length && !this.isFull) {
      this.steps[depth] = index
      const value = list[index] ?? null
      this.inside(item, value, skipping?.ofItem(index))
      index++
      if (this.isTurnOver) break
    }
    this.steps.pop()
    if (index < list.length) this.leave({ plan, container: list, from: index, path: this.name(), skipping })
  }

  private inside(plan: Plan, value: JsonValue, skipping: Skipping | undefined): void {
    if (skipping?.isUnchanged() !== true) this.check(plan, value, skipping)
  }

  private get isTurnOver(): boolean {
    return this.work >= turnValues && this.junctorDepth === 0
  }

  private leave(part: PendingPart): void {
    if (!this.isFull) this.left.push(part)
  }

  private checkObject(plan: Plan, limits: ObjectLimits, object: JsonObject, skipping: Skipping | undefined): void {
    const { minProperties, maxProperties, required } = limits
    if (minProperties !== undefined || maxProperties !== undefined) {
      const size = Object.keys(object).length
      this.work += size / namesPerValue
      if (minProperties !== undefined && size < minProperties) this.fail(tooFewProperties(this.name(), size, minProperties))
      if (maxProperties !== undefined && size > maxProperties) this.fail(tooMany(this.name(), size, maxProperties))
    }
    this.fields(plan, object, 0, skipping)
    this.work += required.length / listedPerValue
    for (const name of required) {
      if (this.isFull) return
      if (!Object.hasOwn(object, name) || object[name] === undefined) this.fail(missing(`${this.name()}.${name}`))
    }
  }

  private fields(plan: Plan, object: JsonObject, from: number, skipping: Skipping | undefined): void {
    const { object: limits } = plan
    if (limits === undefined || (limits.fields.size === 0 && limits.values === undefined)) return
    const depth = this.steps.length
    this.steps.push("")
    let index = 0
    for (const name in object) {
      if (index++ < from) continue
      if (this.isTurnOver || this.isFull) {
        this.steps.pop()
        this.leave({ plan, container: object, from: index - 1, path: this.name(), skipping })
        return
      }
      const known = limits.fields.get(name)
      const field = known ?? limits.values
      const value = object[name]
      if (field === undefined || value === undefined) continue
      this.steps[depth] = known === undefined && depth === 0 && this.base === "" ? `.${name}` : name
      this.inside(field(), value, skipping?.ofField(name))
    }
    this.steps.pop()
  }

  /** Validates a value by a schema of a junctor. */
  private apart(plan: Plan, value: JsonValue): Verdict {
    const around = this.verdict
    const verdict: Verdict = { failures: [], matches: 0 }
    this.verdict = verdict
    this.junctorDepth++
    this.check(plan, value, undefined)
    this.junctorDepth--
    this.verdict = around
    return verdict
  }

  private merge(verdict: Verdict | undefined): void {
    if (verdict === undefined) return
    for (const failure of verdict.failures) this.fail(failure)
    this.verdict.matches += verdict.matches
  }

  private checkJunctors({ anyOf, oneOf, allOf, not }: Junctors, value: JsonValue): void {
    if (this.junctorDepth === 0) this.junctorStart = this.work
    if (anyOf.length > 0) this.checkAnyOf(anyOf, value)
    if (oneOf.length > 0) this.checkOneOf(oneOf, value)
    if (allOf.length > 0) this.checkAllOf(allOf, value)
    if (not !== undefined && this.apart(not, value).failures.length === 0) this.fail(forbiddenSchema(this.name()))
  }

  private checkAnyOf(anyOf: readonly Plan[], value: JsonValue): void {
    let best: Verdict | undefined
    for (const plan of anyOf) {
      const verdict = this.apart(plan, value)
      if (verdict.failures.length === 0) {
        this.merge(verdict)
        return
      }
      if (best === undefined || verdict.matches > best.matches) best = verdict
    }
    this.fail(noneOfAny(this.name()))
    this.merge(best)
  }

  private checkOneOf(oneOf: readonly Plan[], value: JsonValue): void {
    let best: Verdict | undefined
    let first: Verdict | undefined
    let valid = 0
    for (const plan of oneOf) {
      const verdict = this.apart(plan, value)
      if (verdict.failures.length === 0) {
        valid++
        first ??= verdict
      } else if (valid === 0 && (best === undefined || verdict.matches > best.matches)) best = verdict
    }
    if (valid === 1) this.merge(first)
    else {
      this.fail(notExactlyOne(this.name(), valid))
      if (valid === 0) this.merge(best)
    }
  }

  private checkAllOf(allOf: readonly Plan[], value: JsonValue): void {
    let valid = 0
    for (const plan of allOf) {
      const verdict = this.apart(plan, value)
      if (verdict.failures.length === 0) valid++
      this.merge(verdict)
    }
    if (valid !== allOf.length) this.fail(notAll(this.name(), valid === 0))
  }
}

/** Undefined when the text matches, "" when it does not, else why the pattern could not be applied. */
function patternFault(source: string, text: string): string | undefined {
  const pattern = patternOf(source)
  if (pattern instanceof PatternFault) return `pattern is invalid: ${pattern.message}`
  try {
    return pattern.test(text) ? undefined : ""
  } catch (error) {
    if (error instanceof SearchExceeded) return error.message
    throw error
  }
}

/** The reference reports equal failures once. */
function isSameFailure(left: Failure, right: Failure): boolean {
  return left.field === right.field && left.type === right.type && left.detail === right.detail && sameTexts(left, right)
}

function sameTexts({ supported: left = [] }: Failure, { supported: right = [] }: Failure): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index])
}

/** The name of a value's type; for numbers, the type that the reference decodes. */
function typeOf(value: JsonObject | JsonValue[] | string | number | bigint | boolean): string {
  switch (typeof value) {
    case "string":
      return "string"
    case "boolean":
      return "boolean"
    case "number":
    case "bigint":
      return isInt64(value) ? "integer" : "number"
    default:
      return Array.isArray(value) ? "array" : "object"
  }
}

/** Number of code points, as in the reference. */
function characters(text: string): number {
  let count = 0
  for (const _character of text) count++
  return count
}
