/** CEL texts: their precedence, the tests that they need, and how they are joined. */
import type { ExpressionTree, TypeRefModel } from "../../../model/model.ts"

/** Thrown for an expression that CEL, or a definition, cannot express. The message is the reason. */
export class NotInCel extends Error {}

/** A CEL text and its precedence. */
export interface Written {
  readonly text: string
  readonly level: number
}

export interface WrittenValue extends Written {
  /** Tests without which reading the value is an error. */
  readonly needs: readonly string[]
  readonly type?: TypeRefModel | undefined
}

/** Tests that hold where an expression is evaluated. */
export type Facts = ReadonlySet<string>

export const levels = { conditional: 0, or: 1, and: 2, comparison: 3, sum: 4, product: 5, unary: 6, postfix: 7 } as const
export const operatorLevels: Readonly<Record<string, number>> = {
  "||": levels.or,
  "&&": levels.and,
  "+": levels.sum,
  "-": levels.sum,
  "*": levels.product,
  "/": levels.product,
  "%": levels.product,
}

export const truth: Written = { text: "true", level: levels.postfix }

export function wrapped({ text, level }: Written, least: number): string {
  return level < least ? `(${text})` : text
}

export function joined(operator: "&&" | "||", level: number, parts: readonly Written[]): Written {
  const kept = operator === "&&" ? parts.filter((part) => part.text !== "true") : parts
  const [only, ...others] = kept
  if (only === undefined) return truth
  return others.length === 0 ? only : { text: kept.map((part) => wrapped(part, level)).join(` ${operator} `), level }
}

export function negated(part: Written): Written {
  const inner = /^!(?!=)(.*)$/.exec(part.text)
  if (part.level === levels.unary && inner?.[1] !== undefined) return { text: inner[1], level: levels.postfix }
  return { text: `!${wrapped(part, levels.unary)}`, level: levels.unary }
}

export function withFacts(facts: Facts, more: Iterable<string>): Facts {
  return new Set([...facts, ...more])
}

export function tests(needs: readonly string[]): Written[] {
  return [...new Set(needs)].map((need) => ({ text: need, level: need.startsWith("has(") ? levels.postfix : levels.comparison }))
}

export function entry(of: WrittenValue, key: string, type: TypeRefModel, facts: Facts): WrittenValue {
  const test = `${key} in ${wrapped(of, levels.sum)}`
  const needs = facts.has(test) ? of.needs : [...of.needs, test]
  return { text: `${wrapped(of, levels.postfix)}[${key}]`, level: levels.postfix, type, needs }
}

export function isAbsent(tree: ExpressionTree): boolean {
  return tree.node === "literal" && tree.value === null
}

export function isConverted(tree: ExpressionTree, to: string): boolean {
  return (tree.node === "convert" && tree.to === to) || (tree.node === "call" && tree.function === to)
}

export function asDouble(value: WrittenValue, tree: ExpressionTree, beside: TypeRefModel | undefined): WrittenValue {
  const isDouble = beside !== undefined && "scalar" in beside && beside.scalar === "double"
  if (!isDouble || tree.node !== "literal" || !Number.isInteger(tree.value) || value.text.includes(".")) return value
  return { ...value, text: `${value.text}.0` }
}

export function typeOfLiteral({ value, double: fraction }: ExpressionTree & { node: "literal" }): TypeRefModel | undefined {
  if (typeof value === "string") return { scalar: "string" }
  if (typeof value === "boolean") return { scalar: "boolean" }
  return typeof value === "number" ? { scalar: fraction === true ? "double" : "int64" } : undefined
}

export function literal({ value, double: fraction }: ExpressionTree & { node: "literal" }): string {
  if (typeof value === "string") return literalText(value)
  if (typeof value === "number" && fraction === true && Number.isInteger(value)) return `${value}.0`
  if (typeof value === "object" && value !== null) throw new NotInCel("an object")
  return String(value)
}

/** A text as CEL reads it. */
export function literalText(value: string): string {
  return JSON.stringify(value)
}

const zeroes: Readonly<Record<string, string>> = { string: '""', boolean: "false", int32: "0", int64: "0", double: "0.0" }

export function zeroText(type: TypeRefModel): string | undefined {
  return "scalar" in type ? zeroes[type.scalar] : undefined
}
