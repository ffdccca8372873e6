/**
 * The match conditions of an authorization web hook: expressions over the SubjectAccessReview. Only requests for which
 * all of them are true are sent to the hook.
 */
import type { JsonObject } from "../../base/json.ts"
import { nextTurn } from "../../base/turns.ts"
import type { Vendor } from "../../base/vendor.ts"
import { type AccessExpression, evaluateAccess, EvaluationError } from "../../policies/access-expressions.ts"
import { accessCostPerTurn } from "../../policies/limits.ts"
import { type AuthorizedRequest, allErrors, namespaceOf } from "../authorize.ts"

/** `true`: ask the hook. `false`: one condition was false. Otherwise the errors of the failed conditions. */
export type Match = boolean | { readonly error: string }

/** Returns a promise only for conditions that cost much. */
export function matches(conditions: readonly AccessExpression[], request: AuthorizedRequest, vendor: Vendor): Match | Promise<Match> {
  return matchesFrom({ conditions, json: reviewSpec(request, vendor) }, 0, [])
}

interface Matching {
  readonly conditions: readonly AccessExpression[]
  readonly json: JsonObject
}

function matchesFrom(matching: Matching, first: number, errors: readonly string[]): Match | Promise<Match> {
  const { conditions, json } = matching
  const failed = [...errors]
  let cost = 0
  for (let index = first; index < conditions.length; index++) {
    if (cost >= accessCostPerTurn) return nextTurn().then(() => matchesFrom(matching, index, failed))
    const condition = conditions[index]
    if (condition === undefined) continue
    try {
      const evaluated = evaluateAccess(condition, json)
      if (evaluated.value !== true) return false
      cost += evaluated.cost
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      failed.push(`cel evaluation error: ${error.message}`)
    }
  }
  const error = allErrors(failed)
  return error === undefined ? true : { error }
}

/** The variable of the conditions: unlike a review, it includes empty texts and lists. */
function reviewSpec({ user, info }: AuthorizedRequest, vendor: Vendor): JsonObject {
  const { verb, path, version, resource, subresource, name } = info
  const attributes: JsonObject = info.isResource
    ? {
        resourceAttributes: { namespace: namespaceOf(info), verb, group: vendor.group(info.group), version, resource, subresource, name },
      }
    : { nonResourceAttributes: { path, verb } }
  const extra = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]))
  return { ...attributes, user: user.name, groups: [...user.groups], uid: user.uid ?? "", extra }
}
