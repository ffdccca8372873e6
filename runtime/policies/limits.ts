/** Limits of expressions outside of definitions by name. */

/**
 * Expressions of one policy or configuration, and their characters; more is 422. Each is compiled when it is written,
 * which takes about a third of a millisecond: at the limit, the check takes a second in turns of the event loop.
 */
export const policyExpressionsMax = 1000
export const policyExpressionCharactersMax = 256 * 1024

/** Cost limit of one evaluation of an expression of authentication or authorization; the reference's number. */
export const accessCostMax = 1_000_000

/** Cost of the expressions of one token, or of one request, before other requests get a turn; some ten milliseconds. */
export const accessCostPerTurn = 200_000
