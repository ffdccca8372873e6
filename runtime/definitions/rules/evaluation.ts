/** Evaluates the rules of one value after the other, within the budget of an object. */
import { isError, OptionalValue, type Result, type Value } from "../../../cel/index.ts"
import { failureText } from "../../base/errors.ts"
import type { Failure, Failures } from "../../base/failure.ts"
import type { CompiledRule } from "./compile.ts"
import type { RulePart } from "./validate.ts"

/** What one evaluation may cost. */
const costPerCallMax = 1_000_000
/** Bytes of an evaluated message. */
const messageBytesMax = 5 * 1024
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

export interface EvaluationOptions {
  readonly budget: number
  readonly ratchet: boolean
  readonly warnings: string[] | undefined
}

type Variables = { readonly self: Value; readonly oldSelf?: Value }

/** One validation of an object. */
export class Evaluation {
  /** What is left; negative when it is used up. */
  budget: number

  constructor(
    private readonly failures: Failures,
    private readonly options: EvaluationOptions,
  ) {
    this.budget = options.budget
  }

  /** No rule is evaluated any more. */
  get isOver(): boolean {
    return this.budget < 0 || this.failures.full
  }

  evaluate(part: RulePart): void {
    const { tree } = part
    if (tree.fault !== undefined) return this.fail(part, `rule compiler initialization error: ${tree.fault}`)
    if (tree.rules.length === 0) return
    if (this.budget <= 0) return this.stop(part, outOfBudget)
    const usesOldSelf = tree.rules.some((rule) => rule.usesOldSelf)
    const self = tree.read(part.value)
    const old = !usesOldSelf || part.old === undefined || part.old === null ? undefined : tree.read(part.old)
    for (const rule of tree.rules) {
      if (this.isOver) return
      if (rule.fault !== undefined) this.fail(part, `rule compile error: ${rule.fault}`)
      else if (rule.program !== undefined) this.evaluateRule(part, rule, rule.program, { self, old, usesOldSelf })
    }
  }

  private evaluateRule(part: RulePart, rule: CompiledRule, program: NonNullable<CompiledRule["program"]>, values: ReadValues): void {
    const optional = rule.rule.optionalOldSelf === true
    if (rule.usesOldSelf && values.old === undefined && !(this.options.ratchet && optional)) return
    const said = textOf(rule)
    if (isError(values.self) || (values.old !== undefined && isError(values.old))) {
      const error = isError(values.self) ? values.self : values.old
      return this.fail(part, `${error !== undefined && isError(error) ? error.message : ""} evaluating rule: ${said}`)
    }
    const plain = variablesOf(values.self, values.old)
    const variables = optional && values.usesOldSelf ? withOptional(values.self, values.old) : plain
    const { value, cost } = program.evaluate(variables, { costLimit: costPerCallMax })
    if (cost > this.budget) return this.stop(part, outOfBudget)
    this.budget -= cost
    if (isError(value)) return this.failed(part, value.message, said)
    if (value !== true) this.refuse(part, rule, plain)
  }

  /** Reports an error of an evaluation. */
  private failed(part: RulePart, error: string, said: string): void {
    if (error.startsWith("no such overload")) {
      const why = "call arguments did not match a supported operator, function or macro signature for rule"
      this.fail(part, `'${error}': ${why}: ${said}`)
    } else if (error.startsWith("operation cancelled: actual cost limit exceeded")) {
      this.stop(part, `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${said}`)
    } else this.fail(part, `${error} evaluating rule: ${said}`)
  }

  /** Reports a value that a rule does not accept. */
  private refuse(part: RulePart, rule: CompiledRule, variables: Variables): void {
    const message = rule.message === undefined ? undefined : this.messageOf(rule, rule.message.program, variables)
    const { fieldPath } = rule
    const { path } = part
    const field = fieldPath === "" ? path : path === "" ? fieldPath : `${path}.${fieldPath}`
    const detail = message ?? (rule.rule.message === undefined || rule.rule.message === "" ? `failed rule: ${textOf(rule)}` : textOf(rule))
    const isFault = this.budget < 0
    const failure = isFault ? { type: "Invalid" as const, field, value: typeOf(part), detail } : failureOf(rule, part, field, detail)
    if (!rule.usesOldSelf && (part.correlation ?? part.nearest)?.isUnchanged() === true) this.warn(failure)
    else this.add(failure)
  }

  /** Undefined: the message of the rule serves. With the budget used up it says so. */
  private messageOf(
    { rule }: CompiledRule,
    program: NonNullable<CompiledRule["message"]>["program"],
    variables: Variables,
  ): string | undefined {
    const { value, cost } = program.evaluate(variables, { costLimit: costPerCallMax })
    if (cost > this.budget) {
      this.budget = -1
      return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
    }
    if (isError(value) && value.message.startsWith("operation cancelled: actual cost limit exceeded")) {
      this.budget = -1
      const quoted = JSON.stringify(rule.messageExpression ?? "")
      return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoted}`
    }
    this.budget -= cost
    if (typeof value !== "string") return undefined
    const text = value.trim()
    return text === "" || text.includes("\n") || Buffer.byteLength(text) > messageBytesMax ? undefined : text
  }

  private fail(part: RulePart, detail: string): void {
    this.add({ type: "Invalid", field: part.path, value: typeOf(part), detail })
  }

  private stop(part: RulePart, detail: string): void {
    this.fail(part, detail)
    this.budget = -1
  }

  private add(failure: Failure): void {
    this.failures.add(withField(failure))
  }

  private warn(failure: Failure): void {
    const { field } = withField(failure)
    this.options.warnings?.push(`${field}: ${failureText(failure)}`)
  }
}

interface ReadValues {
  readonly self: Result
  readonly old: Result | undefined
  readonly usesOldSelf: boolean
}

/** The reference writes the path of the whole object so. */
const rootField = "<nil>"

function withField(failure: Failure): Failure {
  return failure.field === "" ? { ...failure, field: rootField } : failure
}

function variablesOf(self: Value, old: Value | undefined): Variables {
  return old === undefined ? { self } : { self, oldSelf: old }
}

function withOptional(self: Value, old: Value | undefined): Variables {
  return { self, oldSelf: old === undefined ? OptionalValue.none : new OptionalValue(old) }
}

/** Failures show the type instead of the value. */
function typeOf({ tree }: RulePart): string {
  return tree.schema.type ?? ""
}

/** The message of a rule, else the rule itself. */
function textOf({ rule: { message = "", rule } }: CompiledRule): string {
  return message === "" ? rule.trim() : message.trim()
}

function failureOf({ rule: { reason } }: CompiledRule, part: RulePart, field: string, detail: string): Failure {
  switch (reason) {
    case "FieldValueForbidden":
      return { type: "Forbidden", field, detail }
    case "FieldValueRequired":
      return { type: "Required", field, detail }
    case "FieldValueDuplicate":
      return { type: "Duplicate", field, value: typeOf(part), detail: "" }
    default:
      return { type: "Invalid", field, value: typeOf(part), detail }
  }
}
