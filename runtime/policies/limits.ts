/** Limits of expressions outside of definitions by name. */

/**
 * Expressions of one policy or configuration, and their characters; more is 422. Each is compiled when it is written,
 * which takes about a third of a millisecond: at the limit, the check takes a second in turns of the event loop.
 */
export const policyExpressionsMax = 1000
export const policyExpressionCharactersMax = 256 * 1024

/** What one evaluation of an expression of authentication or authorization may cost; the reference's number. */
export const accessCostMax = 1_000_000

/** What such expressions of one token, or of one request, may cost before others are served; some ten milliseconds. */
export const accessCostPerTurn = 200_000
