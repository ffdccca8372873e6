/** Label selectors as objects hold them. */
import type { LabelSelector } from "../../../generated/meta/v1/label-selector/types.ts"

/** Says whether labels meet every requirement of a selector. A requirement with an unknown operator is not met. */
export function matchesSelector(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchExpressions = [], matchLabels = {} } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      if (operator === "In") return value !== undefined && values.includes(value)
      if (operator === "NotIn") return value === undefined || !values.includes(value)
      if (operator === "Exists") return value !== undefined
      return operator === "DoesNotExist" && value === undefined
    })
  )
}
