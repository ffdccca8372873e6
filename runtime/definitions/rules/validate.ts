/**
 * Evaluation of the rules of a definition over its objects: order, budgets, matching of old values and texts are those
 * of the reference.
 */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { ruleCostsPerTurn } from "../../base/limits.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import { ownField } from "../../encoding/field-path.ts"
import type { Structural } from "../structural.ts"
import { Correlation, itemsByKey } from "./correlation.ts"
import { Evaluation } from "./evaluation.ts"
import { listKey } from "./list-key.ts"
import { type RuleTree, ruleTreeOf } from "./rule-tree.ts"

/** What evaluating the rules of one object may cost, in units of the expression language. */
export const ruleBudget = 10_000_000

export interface RuleOptions {
  /** The stored object, on update. */
  readonly old?: JsonObject
  /** What evaluation may cost. Default `ruleBudget`. */
  readonly budget?: number
  /**
   * The gate CRDValidationRatcheting: failures of values that an update leaves as they are become warnings, and
   * `optionalOldSelf` has an effect. Default true.
   */
  readonly ratchet?: boolean
  /** Receives these warnings. */
  readonly warnings?: string[]
}

/** Adds the failures of all rules. Called after the values have been validated, unless these `preventRules`. */
export function validateRules(object: JsonObject, schema: Structural, failures: Failures, options: RuleOptions = {}): void {
  atOnce(validatingRules(object, schema, failures, options))
}

/** `validateRules` in stages of some 10 ms. Small objects take one. */
export function* validatingRules(object: JsonObject, schema: Structural, failures: Failures, options: RuleOptions = {}): Stages<void> {
  const tree = ruleTreeOf(schema, true)
  if (tree === undefined) return
  const { old, budget = ruleBudget, ratchet = true, warnings } = options
  const evaluation = new Evaluation(failures, { budget, ratchet, warnings })
  const correlation = ratchet && old !== undefined ? new Correlation(object, old, schema) : undefined
  yield* new RuleWalk(evaluation).run({ tree, value: object, old, path: "", correlation, nearest: undefined })
}

/**
 * Adds the failures of a default by the rules of its schema: as a value that stays as it is, and with `ratchet` as one
 * that is new. Returns what is left of the budget; negative when it is used up. Called when a definition is checked.
 */
export function validateDefaultByRules(
  value: JsonValue,
  schema: Structural,
  failures: Failures,
  { isResource, budget, ratchet = true }: { readonly isResource: boolean; readonly budget: number; readonly ratchet?: boolean },
): number {
  const tree = ruleTreeOf(schema, isResource)
  if (tree === undefined) return budget
  const run = (old: JsonValue | undefined): number => {
    const evaluation = new Evaluation(failures, { budget, ratchet, warnings: undefined })
    atOnce(new RuleWalk(evaluation).run({ tree, value, old, path: "", correlation: undefined, nearest: undefined }))
    return evaluation.budget
  }
  const before = failures.list.length
  const left = run(value)
  return ratchet && failures.list.length === before ? Math.min(left, run(undefined)) : left
}

/** A value that is to be validated with all its parts. */
export interface RulePart {
  readonly tree: RuleTree
  readonly value: JsonValue
  readonly old: JsonValue | undefined
  /** As in failures; "" is the root. */
  readonly path: string
  /** Its former state, where it can be found. */
  readonly correlation: Correlation | undefined
  /** The former state of the nearest container where it can be found. */
  readonly nearest: Correlation | undefined
}

/** Visits the parts of an object that have rules, a container before its content. */
class RuleWalk {
  constructor(private readonly evaluation: Evaluation) {}

  *run(root: RulePart): Stages<void> {
    const waiting = [root]
    let turnBudget = this.evaluation.budget - ruleCostsPerTurn
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      if (part.value === null) continue
      this.evaluation.evaluate(part)
      if (this.evaluation.isOver) return
      const parts = partsOf(part)
      for (let index = parts.length - 1; index >= 0; index--) {
        const one = parts[index]
        if (one !== undefined) waiting.push(one)
      }
      // Visiting a part costs something even when its rules are cheap.
      turnBudget += visitCost * (1 + parts.length)
      if (this.evaluation.budget >= turnBudget) continue
      turnBudget = this.evaluation.budget - ruleCostsPerTurn
      yield
    }
  }
}

/** The work on a part in units of the expression language. */
const visitCost = 10

const noParts: readonly RulePart[] = []

function partsOf(part: RulePart): readonly RulePart[] {
  const { value, tree } = part
  if (Array.isArray(value)) return tree.items === undefined ? noParts : itemsOf(part, value, tree.items)
  if (!isObject(value)) return noParts
  return tree.values === undefined && tree.properties.size === 0 ? noParts : fieldsOf(part, value)
}

function itemsOf({ tree, old, path, correlation, nearest }: RulePart, items: readonly JsonValue[], itemTree: RuleTree): RulePart[] {
  const oldItems = itemsByKey(old, tree.schema)
  return items.map((value, index) => {
    const key = oldItems.size > 0 && isObject(value) ? listKey(value, tree.schema.listMapKeys) : undefined
    return {
      tree: itemTree,
      value,
      old: key === undefined ? undefined : oldItems.get(key),
      path: `${path}[${index}]`,
      correlation: correlation?.item(index),
      nearest: correlation ?? nearest,
    }
  })
}

function fieldsOf(part: RulePart, object: JsonObject): RulePart[] {
  const { tree, path } = part
  const { values, properties } = tree
  const parts: RulePart[] = []
  if (values !== undefined) {
    for (const name of Object.keys(object)) parts.push(fieldOf(part, object, name, { tree: values, path: `${path}[${name}]` }))
  }
  for (const name of Object.keys(object)) {
    const property = properties.get(name)
    if (property === undefined) continue
    parts.push(fieldOf(part, object, name, { tree: property, path: path === "" ? name : `${path}.${name}` }))
  }
  return parts
}

function fieldOf(
  { old, correlation, nearest }: RulePart,
  object: JsonObject,
  name: string,
  at: { readonly tree: RuleTree; readonly path: string },
): RulePart {
  // Version and kind were converted before: no former state of theirs counts.
  const isConverted = nearest === undefined && (name === "apiVersion" || name === "kind")
  return {
    ...at,
    value: ownField(object, name) ?? null,
    old: isObject(old) ? ownField(old, name) : undefined,
    correlation: isConverted ? undefined : correlation?.field(name),
    nearest: isConverted ? undefined : (correlation ?? nearest),
  }
}
