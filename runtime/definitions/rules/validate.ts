/**
 * Evaluation of a definition's rules over its objects: order, budgets, correlation of old values and texts are as in
 * the reference.
 */
import type { Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import { ruleBudget } from "../limits.ts"
import { preventRules } from "../objects/validate.ts"
import type { Structural } from "../structural.ts"
import { Correlation } from "./correlation.ts"
import { Evaluation } from "./evaluation.ts"
import { pushParts, RulePart } from "./rule-part.ts"
import { gatheringRules, knownRules, type RuleTree } from "./rule-tree.ts"

export interface RuleOptions {
  /** The stored object, on update. */
  readonly old?: JsonObject
  /** Cost budget of the evaluation. Default `ruleBudget`. */
  readonly budget?: number
  /**
   * The gate CRDValidationRatcheting: failures of values that an update leaves unchanged become warnings, and
   * `optionalOldSelf` has an effect. Default true.
   */
  readonly ratchet?: boolean
  /** Receives these warnings. */
  readonly warnings?: string[]
}

/**
 * Called after the values have been validated. Rules require values of the right type and size; with other values they
 * are not evaluated, which is also a failure.
 */
export function* validatingRulesAfterValues(
  object: JsonObject,
  schema: Structural,
  failures: Failures,
  options: RuleOptions = {},
): Stages<void> {
  if ((yield* rulesOf(schema, true)) === undefined) return
  if (preventRules(failures)) failures.add({ type: "Invalid", field: "<nil>", shown: '"null"', detail: uncheckedText })
  else yield* validatingRules(object, schema, failures, options)
}

const uncheckedText =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

/** Adds the failures of all rules. Called after the values have been validated, unless `preventRules`. */
export function validateRules(object: JsonObject, schema: Structural, failures: Failures, options: RuleOptions = {}): void {
  atOnce(validatingRules(object, schema, failures, options))
}

/** `validateRules` in stages of some 10 ms. Small objects take one. */
export function* validatingRules(object: JsonObject, schema: Structural, failures: Failures, options: RuleOptions = {}): Stages<void> {
  const tree = yield* rulesOf(schema, true)
  if (tree === undefined) return
  const { old, budget = ruleBudget, ratchet = true, warnings } = options
  const correlation = ratchet && old !== undefined ? new Correlation(object, old, schema) : undefined
  const evaluation = new Evaluation(failures, { budget, ratchet, warnings, correlation })
  yield* evaluateAll(new RulePart(tree, object, old, undefined), evaluation)
}

/**
 * Adds the failures of a default by the rules of its schema: as an unchanged value, and with `ratchet` also as a new
 * one. Returns the remaining budget; negative when it is used up. Called when a definition is checked.
 */
export function* validatingDefaultByRules(
  value: JsonValue,
  schema: Structural,
  failures: Failures,
  { isResource, budget, ratchet = true }: { readonly isResource: boolean; readonly budget: number; readonly ratchet?: boolean },
): Stages<number> {
  const tree = yield* rulesOf(schema, isResource)
  if (tree === undefined) return budget
  const before = failures.list.length
  let left = budget
  for (const old of ratchet ? [value, undefined] : [value]) {
    if (failures.list.length > before) break
    const evaluation = new Evaluation(failures, { budget, ratchet, warnings: undefined, correlation: undefined })
    yield* evaluateAll(new RulePart(tree, value, old, undefined), evaluation)
    left = Math.min(left, evaluation.budget)
  }
  return left
}

/** The rules of a schema. They are gathered once; without stages if they are known already. */
function* rulesOf(schema: Structural, isResource: boolean): Stages<RuleTree | undefined> {
  const known = knownRules(schema, isResource)
  return known === undefined ? yield* gatheringRules(schema, isResource) : known.tree
}

/** Cost of visiting a part, in units of the expression language. */
const visitCost = 10

/** Visits the parts of an object that have rules, a container before its content. */
function* evaluateAll(root: RulePart, evaluation: Evaluation): Stages<void> {
  const waiting = root.value === null ? [] : [root]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    let rest = evaluation.evaluate(part)
    while (rest !== undefined) {
      yield
      evaluation.beginTurn()
      rest = evaluation.evaluate(part, rest)
    }
    if (evaluation.isOver) return
    // Visiting a part has a cost even when its rules are cheap.
    evaluation.spend(visitCost * (1 + pushParts(part, waiting)))
    if (!evaluation.isTurnOver) continue
    yield
    evaluation.beginTurn()
  }
}
