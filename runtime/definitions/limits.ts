/** Limits of definitions and their rules by name. Costs are the reference's, in units of the expression language. */
import { turnWorkMax } from "../base/limits.ts"

/**
 * Nested schemas in a definition; more is 422. Real ones have some 30; twice as many levels of a document, and walks
 * over a schema are recursive.
 */
export const definitionSchemaDepthMax = 256

/**
 * What the defaults of a schema may add to one object; more is 413. Lists multiply the defaults of their items, and
 * those may be lists again. With it an object of a small request takes no more than some 10 ms in any step.
 */
export const defaultedValuesMax = 32_768
export const defaultedCharactersMax = 1024 * 1024

/**
 * Steps of the checks of one object by its schema, in turns of the event loop: each value counts for each schema of
 * `allOf`, `anyOf`, `oneOf` and `not` that speaks of it, searches for patterns count too. More is 422: a request may
 * not take more than some two seconds. Objects have 65,536 values at most.
 */
export const checkedValuesMax = 2_000_000

/** The same, of one value by its junctors, which cannot be interrupted: some 50 ms. More is 422. */
export const junctorValuesMax = 50_000

/**
 * Rules of all versions of a definition, their characters, and the instructions of its patterns; more is 422. Published
 * definitions have a tenth of that. A definition of this size takes a second or two to check.
 */
export const definitionRulesMax = 1000
export const definitionRuleCharactersMax = 256 * 1024
export const definitionPatternsSizeMax = 100_000

/**
 * Schemas below those that have rules, counted for each level of rules: each level makes its own types. More is 422.
 * It takes a second; a rule at each of 200 levels above a large schema took seconds.
 */
export const definitionRuleNodesMax = 500_000

/**
 * Values that the paths of all columns may visit for one row, some milliseconds, and characters of text cells. Later
 * cells of the row are empty.
 */
export const rowVisitsMax = 50_000
export const rowCharactersMax = 1024 * 1024

/** Estimated cost of one expression of a definition, for all values in an object that it is evaluated for. */
export const ruleCostMax = 10_000_000n

/** Estimated cost of all expressions of one schema. */
export const schemaCostMax = 100_000_000n

/** Cost of one evaluation of an expression. */
export const costPerCallMax = 1_000_000

/** Cost of all rules of one object. */
export const ruleBudget = 10_000_000

/** Bytes of a message that an expression computes; beyond it the rule's own message serves. */
export const ruleMessageBytesMax = 5 * 1024

/** Costs of rules that are evaluated in one turn. */
export const ruleCostsPerTurn = 200_000

/** The same for work that is no evaluation, such as compiling rules: costs for each unit of `base/turns.ts`. */
export const ruleCostsPerWork = ruleCostsPerTurn / turnWorkMax
