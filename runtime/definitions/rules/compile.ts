/**
 * Compiles the rules of one schema: each with its variables `self` and `oldSelf`, what it may cost at most, and its
 * message expression.
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
  /** The largest cost of one evaluation. */
  readonly maxCost: bigint
  readonly message?: { readonly program: Program; readonly maxCost: bigint }
  readonly messageFault?: string
  /** `rule.fieldPath` as failures show it; empty without one. */
  readonly fieldPath: string
}

/** Which rules and message expressions may use everything this release knows: those that are stored. */
export interface Ages {
  readonly ofRule: (rule: string) => ExpressionAge
  readonly ofMessage: (expression: string) => ExpressionAge
}

/** Of rules that are evaluated: all are stored. */
export const storedAges: Ages = { ofRule: () => "stored", ofMessage: () => "stored" }

/** Rules see values of the schema as objects of this name; no expression can write it. */
export const selfTypeName = "selfType"

/** Compiles all rules of a schema, but not those of the schemas below. `type`: of the values of the schema. */
export function compileRules(schema: Structural, type: DeclaredType, ages: Ages): readonly CompiledRule[] {
  return schema.rules.map((rule) => compileRule(rule, schema, type.type, ages))
}

/** How often a value of a type can be in one object at most, by the bytes that it takes. */
export function cardinalityOf({ minSerializedSize }: DeclaredType): bigint {
  return BigInt(maxCardinality(minSerializedSize))
}

const nothing = { usesOldSelf: false, maxCost: 0n, fieldPath: "" }

/** Compiles one rule of a schema. `self`: the type of the schema's values. */
export function compileRule(rule: ValidationRule, schema: Structural, self: CelType, ages: Ages): CompiledRule {
  if (rule.rule.trim() === "") return { rule, ...nothing }
  const variables = { self, oldSelf: rule.optionalOldSelf === true ? optionalType(self) : self }
  const compiled = compileExpression(rule.rule, variables, ages.ofRule(rule.rule))
  if ("fault" in compiled) return { rule, ...nothing, fault: compiled.fault }
  if (compiled.type.kind !== "bool") return { rule, ...nothing, fault: "cel expression must evaluate to a bool" }
  const { program, maxCost, usesOldSelf } = compiled
  const result = { rule, program, maxCost, usesOldSelf }
  const { messageExpression = "" } = rule
  if (messageExpression === "") return { ...result, fieldPath: fieldPathOf(rule, schema) }
  const message = compileExpression(messageExpression, variables, ages.ofMessage(messageExpression))
  const messageFault = faultOfMessage(message)
  if (messageFault !== undefined || "fault" in message) return { ...result, fieldPath: "", messageFault: messageFault ?? "" }
  return { ...result, fieldPath: fieldPathOf(rule, schema), message: { program: message.program, maxCost: message.maxCost } }
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
