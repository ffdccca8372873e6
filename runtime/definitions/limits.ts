/** Limits of definitions and their rules. Costs are the reference's, in units of the expression language. */
import { turnWorkMax } from "../base/limits.ts"

/**
 * Nested schemas in a definition; more is 422. Real ones have some 30. A document has twice as many levels, and walks
 * over a schema are recursive.
 */
export const definitionSchemaDepthMax = 256

/**
 * Values and characters that defaults may add to one object; more is 413. Lists multiply the defaults of their items,
 * which may be lists again. Within this limit, each step for a small request takes at most some 10 ms.
 */
export const defaultedValuesMax = 32_768
export const defaultedCharactersMax = 1024 * 1024

/**
 * Steps of the checks of one object by its schema, in turns of the event loop: each value counts once per schema of
 * `allOf`, `anyOf`, `oneOf` and `not` that applies to it, and pattern searches count too. More is 422: a request may
 * take at most some two seconds. Objects have at most 65,536 values.
 */
export const checkedValuesMax = 2_000_000

/** The same limit for the junctors of one value, which cannot be interrupted: some 50 ms. More is 422. */
export const junctorValuesMax = 50_000

/**
 * Rules of all versions of a definition, their characters, and the instructions of its patterns; more is 422. Published
 * definitions have a tenth of that. A definition at the limit takes a second or two to check.
 */
export const definitionRulesMax = 1000
export const definitionRuleCharactersMax = 256 * 1024
export const definitionPatternsSizeMax = 100_000

/**
 * Schemas at and below schemas with rules, counted once per level of rules, since each level makes its own types. More
 * is 422. At the limit they take a second; a rule at each of 200 levels above a large schema took several.
 */
export const definitionRuleNodesMax = 500_000

/**
 * Values that all columns of one row may visit, some milliseconds, and characters of its text cells. Later cells of the
 * row are empty.
 */
export const rowVisitsMax = 50_000
export const rowCharactersMax = 1024 * 1024

/** Estimated cost of one expression of a definition, for all values in an object to which it applies. */
export const ruleCostMax = 10_000_000n

/** Estimated cost of all expressions of one schema. */
export const schemaCostMax = 100_000_000n

/** Cost of one evaluation of an expression. */
export const costPerCallMax = 1_000_000

/** Cost of all rules of one object. */
export const ruleBudget = 10_000_000

/** Bytes of a computed message; beyond it, the rule's own message is used. */
export const ruleMessageBytesMax = 5 * 1024

/** Cost of rules evaluated in one turn. */
export const ruleCostsPerTurn = 200_000

/** The same for other work, such as compiling rules: cost per unit of `base/turns.ts`. */
export const ruleCostsPerWork = ruleCostsPerTurn / turnWorkMax
