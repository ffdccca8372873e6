/** Rules over objects (`cases/evaluation.yaml`), and the reference's answers. */
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { Cause } from "../check/definition-cases.ts"

export interface RuleCase {
  readonly name: string
  /** The schema of the property `spec`. */
  readonly property?: JsonObject
  /** The schema of the whole object. */
  readonly schema?: JsonObject
  /** Fields of `spec` that are lists of this many integers, or lists of this many lists. */
  readonly generate?: Readonly<Record<string, number | readonly [number, number]>>
  /** Old objects are created while the schema has no rules yet. */
  readonly later?: boolean
  readonly writes: readonly RuleWrite[]
}

export interface RuleWrite {
  readonly spec: JsonObject
  readonly old?: JsonObject
}

/** The answer to each write; without causes, the write succeeds. */
export interface RuleAnswer {
  readonly causes: readonly Cause[]
  readonly warnings?: readonly string[]
}

export const answersFile = new URL("cases/evaluation-answers.yaml", import.meta.url)

export function ruleCases(): RuleCase[] {
  return parse(readFileSync(new URL("cases/evaluation.yaml", import.meta.url), "utf8"))
}

export function ruleAnswers(): Record<string, RuleAnswer[]> {
  return parse(readFileSync(answersFile, "utf8"))
}

export function schemaOf({ schema, property = {} }: RuleCase): JsonObject {
  return schema ?? { type: "object", properties: { spec: property } }
}

/** The object of a write, without its version and kind. */
export function objectOf({ generate = {} }: RuleCase, spec: JsonObject, name: string): JsonObject {
  const made = Object.entries(generate).map(([field, size]): [string, JsonValue] => [
    field,
    typeof size === "number" ? upTo(size) : Array.from({ length: size[0] }, () => upTo(size[1])),
  ])
  return { metadata: { name }, spec: { ...spec, ...Object.fromEntries(made) } }
}

function upTo(size: number): number[] {
  return Array.from({ length: size }, (_, index) => index)
}

/** A schema without its rules. */
export function withoutRules(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(withoutRules)
  const entries = Object.entries(value).filter(([name]) => name !== "x-kubernetes-validations")
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutRules(one ?? null)]))
}
