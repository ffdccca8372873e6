/** Match conditions of web hooks and of policies. */
import type { MatchCondition } from "../../../generated/admissionregistration.orch.io/v1/shared/rules/types.ts"
import type { PlacedExpression } from "./check-expressions.ts"

/** The expressions of conditions at the path `field`. They see no variables of a policy. */
export function conditionExpressions(
  conditions: readonly MatchCondition[],
  field: string,
  { params }: { params: boolean },
): readonly PlacedExpression[] {
  return conditions.flatMap(({ expression }, index) => {
    const source = expression.trim()
    if (source === "") return []
    return [{ field: `${field}[${index}].expression`, source, results: ["bool"] as const, params, authorizer: true }]
  })
}

/** The texts of stored conditions. */
export function expressionsOf(conditions: readonly MatchCondition[]): ReadonlySet<string> {
  return new Set(conditions.map(({ expression }) => expression))
}
