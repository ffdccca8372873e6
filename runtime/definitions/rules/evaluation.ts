/** Evaluates the rules of one value after the other, within the budget of an object. */
import { isError, OptionalValue, type Outcome, type Program, type Value } from "../../../cel/index.ts"
import { readPlain } from "../../../cel/schema/json-value.ts"
import { failureText } from "../../base/errors.ts"
import type { Failure, Failures } from "../../base/failure.ts"
import type { JsonValue } from "../../base/json.ts"
import { costPerCallMax, ruleBudget, ruleCostsPerTurn, ruleCostsPerWork, ruleMessageBytesMax } from "../limits.ts"
import type { CompiledRule } from "./compile.ts"
import type { NodeRules } from "./node-rules.ts"
import type { Correlation } from "./correlation.ts"
import type { RulePart } from "./rule-part.ts"

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

export interface EvaluationOptions {
  readonly budget: number
  readonly ratchet: boolean
  readonly warnings: string[] | undefined
  /** The object and its former state, if failures of unchanged values do not count. */
  readonly correlation: Correlation | undefined
}

type Variables = { readonly self: Value; readonly oldSelf?: Value }

const limitedCost = { costLimit: costPerCallMax }

/** One validation of an object. */
export class Evaluation {
  /** The remaining budget; negative once it is used up. */
  budget: number
  /** The remaining limit for work besides costs (`Outcome.work`), in the same unit. */
  private workLeft = ruleBudget
  /** Costs and work in the current turn of the event loop. */
  private spent = 0

  constructor(
    private readonly failures: Failures,
    private readonly options: EvaluationOptions,
  ) {
    this.budget = options.budget
  }

  /** Whether evaluation has ended, by the budget or by the number of failures. */
  get isOver(): boolean {
    return this.budget < 0 || this.failures.full
  }

  /** Whether other requests should get a turn; `beginTurn` continues. */
  get isTurnOver(): boolean {
    return this.spent >= ruleCostsPerTurn
  }

  beginTurn(): void {
    this.spent = 0
  }

  /** Counts other work of this turn. */
  spend(cost: number): void {
    this.spent += cost
  }

  /**
   * Evaluates the rules of a part, beginning with the rule at `from`, after compiling them if necessary. Returns where
   * to continue when the turn ends before the last rule; undefined when all are evaluated.
   */
  evaluate(part: RulePart, from = 0): number | undefined {
    const { tree, value, old } = part
    const { rules } = tree
    if (rules.fault !== undefined) {
      this.fail(part, `rule compiler initialization error: ${rules.fault}`)
      return undefined
    }
    if (rules.count === 0) return undefined
    if (!this.compile(rules)) return from
    if (this.budget <= 0 && from === 0) {
      this.stop(part, outOfBudget)
      return undefined
    }
    const self = tree.read(value)
    const oldSelf = !rules.useOldSelf || old === undefined || old === null ? undefined : tree.read(old)
    const unread = isError(self) ? self : oldSelf !== undefined && isError(oldSelf) ? oldSelf : undefined
    const variables = isError(self) || (oldSelf !== undefined && isError(oldSelf)) ? undefined : variablesOf(self, oldSelf)
    for (let index = from; index < rules.count; index++) {
      if (this.isOver) return undefined
      if (this.isTurnOver && index > from) return index
      const rule = rules.at(index)
      if (rule === undefined) continue
      if (rule.fault !== undefined) this.fail(part, `rule compile error: ${rule.fault}`)
      else if (rule.usesOldSelf && oldSelf === undefined && !(this.options.ratchet && rule.rule.optionalOldSelf === true)) continue
      else if (variables === undefined) this.fail(part, `${unread?.message} evaluating rule: ${textOf(rule)}`)
      else if (rule.program !== undefined) this.evaluateRule(part, rule, rule.program, variables)
    }
    return undefined
  }

  /** Compiles rules until the turn is over. Returns whether all are compiled. */
  private compile(rules: NodeRules): boolean {
    while (!rules.areCompiled) {
      if (this.isTurnOver) return false
      this.spend(rules.compileNext() * ruleCostsPerWork)
    }
    return true
  }

  /** Charges an evaluation. Returns false when it exceeds the budget. */
  private charge({ cost, work }: Outcome): boolean {
    this.spent += cost + work
    this.workLeft -= work
    if (cost > this.budget || this.workLeft < 0) return false
    this.budget -= cost
    return true
  }

  private evaluateRule(part: RulePart, rule: CompiledRule, program: Program, variables: Variables): void {
    const isOptional = rule.rule.optionalOldSelf === true && part.tree.rules.useOldSelf
    const outcome = program.evaluate(isOptional ? withOptional(variables, part.old) : variables, limitedCost)
    if (!this.charge(outcome)) return this.stop(part, outOfBudget)
    const { value } = outcome
    if (value === true) return
    if (isError(value)) this.failed(part, value.message, textOf(rule))
    else this.refuse(part, rule, variables)
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
    const message = rule.message === undefined ? undefined : this.messageOf(rule, rule.message, variables)
    const { fieldPath } = rule
    const { path } = part
    const field = fieldPath === "" ? path : path === "" ? fieldPath : `${path}.${fieldPath}`
    const detail = message ?? (rule.rule.message === undefined || rule.rule.message === "" ? `failed rule: ${textOf(rule)}` : textOf(rule))
    const isFault = this.budget < 0
    const failure = isFault ? { type: "Invalid" as const, field, value: typeOf(part), detail } : failureOf(rule, part, field, detail)
    if (!rule.usesOldSelf && part.isUnchanged(this.options.correlation)) this.warn(failure)
    else this.add(failure)
  }

  /** Undefined: use the rule's own message. Returns a text about the budget if it is used up. */
  private messageOf({ rule }: CompiledRule, program: Program, variables: Variables): string | undefined {
    const { value, cost, work } = program.evaluate(variables, limitedCost)
    this.spend(cost + work)
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
    return text === "" || text.includes("\n") || Buffer.byteLength(text) > ruleMessageBytesMax ? undefined : text
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

/** The reference's path of the whole object. */
const rootField = "<nil>"

function withField(failure: Failure): Failure {
  return failure.field === "" ? { ...failure, field: rootField } : failure
}

function variablesOf(self: Value, old: Value | undefined): Variables {
  return old === undefined ? { self } : { self, oldSelf: old }
}

/** Like the reference, which unwraps an optional variable, this loses the schema of objects and lists inside it. */
function withOptional({ self, oldSelf }: Variables, old: JsonValue | undefined): Variables {
  if (oldSelf === undefined) return { self, oldSelf: OptionalValue.none }
  const read = typeof old === "object" ? readPlain(old) : oldSelf
  return { self, oldSelf: new OptionalValue(isError(read) ? oldSelf : read) }
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
