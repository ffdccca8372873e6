/**
 * Compiles the rules of one schema: each with its variables `self` and `oldSelf`, and its message expression. Maximum
 * costs are estimated only when a definition is checked.
 */
import { type CelType, optionalType, type Program } from "../../../cel/index.ts"
import { type DeclaredType, maxCardinality } from "../../../cel/schema/declared-type.ts"
import { findField } from "../field-path.ts"
import type { Structural, ValidationRule } from "../structural.ts"
import { type Compilation, compileExpression, type ExpressionAge } from "./environments.ts"

export interface CompiledRule {
  readonly rule: ValidationRule
  /** Absent: the rule is empty, or `fault` says why it does not compile. */
  readonly program?: Program
  readonly fault?: string
  readonly usesOldSelf: boolean
  readonly message?: Program
  readonly messageFault?: string
  /** `rule.fieldPath` in the form of failures; empty without one. */
  readonly fieldPath: string
}

/**
 * A compiled rule, and the maximum costs of one evaluation. The functions keep its syntax tree in memory: keep only
 * `compiled`.
 */
export interface RuleCompilation {
  readonly compiled: CompiledRule
  /** 0 for a rule that does not compile. */
  readonly maxCost: () => bigint
  /** Maximum cost of its message expression; absent without one that compiles. */
  readonly messageCost?: () => bigint
}

/** The age of rules and message expressions: stored ones may use everything that this release knows. */
export interface Ages {
  readonly ofRule: (rule: string) => ExpressionAge
  readonly ofMessage: (expression: string) => ExpressionAge
}

/** Ages for evaluation, where all rules are stored. */
export const storedAges: Ages = { ofRule: () => "stored", ofMessage: () => "stored" }

/** Name of the object type of the schema's values in rules; no expression can write it. */
export const selfTypeName = "selfType"

/** Work of compiling a rule, in the unit of turns. */
export function compileWork({ rule, messageExpression = "" }: ValidationRule): number {
  return someRuleWork + rule.length + messageExpression.length
}

/** Work for a rule of ordinary length. */
const someRuleWork = 1000

/** The largest number of a type's values in one object, from the value's minimum size in bytes. */
export function cardinalityOf({ minSerializedSize }: DeclaredType): bigint {
  return BigInt(maxCardinality(minSerializedSize))
}

/** Compiles one rule of a schema. `self`: the type of the schema's values. */
export function compileRule(rule: ValidationRule, schema: Structural, self: CelType, ages: Ages): RuleCompilation {
  if (rule.rule.trim() === "") return withoutProgram({ rule, usesOldSelf: false, fieldPath: "" })
  const variables = { self, oldSelf: rule.optionalOldSelf === true ? optionalType(self) : self }
  const expression = compileExpression(rule.rule, variables, ages.ofRule(rule.rule))
  const fault = faultOfRule(expression)
  if (fault !== undefined || "fault" in expression) return withoutProgram({ rule, usesOldSelf: false, fieldPath: "", fault: fault ?? "" })
  const { program, maxCost, usesOldSelf } = expression
  const { messageExpression = "" } = rule
  if (messageExpression === "") return { compiled: { rule, program, usesOldSelf, fieldPath: fieldPathOf(rule, schema) }, maxCost }
  const message = compileExpression(messageExpression, variables, ages.ofMessage(messageExpression))
  const messageFault = faultOfMessage(message)
  if (messageFault !== undefined || "fault" in message) {
    return { compiled: { rule, program, usesOldSelf, fieldPath: "", messageFault: messageFault ?? "" }, maxCost }
  }
  const fieldPath = fieldPathOf(rule, schema)
  return { compiled: { rule, program, usesOldSelf, fieldPath, message: message.program }, maxCost, messageCost: message.maxCost }
}

function withoutProgram(compiled: CompiledRule): RuleCompilation {
  return { compiled, maxCost: () => 0n }
}

function faultOfRule(compiled: Compilation): string | undefined {
  if ("fault" in compiled) return compiled.fault
  return compiled.type.kind === "bool" ? undefined : "cel expression must evaluate to a bool"
}

function faultOfMessage(compiled: Compilation): string | undefined {
  if ("fault" in compiled) return `messageExpression ${compiled.fault.replace(/^program /, "")}`
  return compiled.type.kind === "string" ? undefined : "messageExpression must evaluate to a string"
}

function fieldPathOf({ fieldPath = "" }: ValidationRule, schema: Structural): string {
  if (fieldPath === "") return ""
  const found = findField<Structural>(fieldPath, schema, true, stepInto)
  return "fault" in found ? "" : found.path
}

function stepInto(
  { properties, additionalProperties }: Structural,
  name: string,
): { property: boolean; schema: Structural | undefined } | undefined {
  if (properties.size > 0) {
    const property = properties.get(name)
    return property && { property: true, schema: property }
  }
  if (additionalProperties === undefined) return undefined
  return { property: false, schema: additionalProperties === true ? undefined : additionalProperties }
}
