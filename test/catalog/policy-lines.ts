/** The bootstrap policy as text, one line per object, rule and subject: the form of `bootstrap-policy.txt`. */
import type { WantedBinding, WantedRole } from "../../runtime/controllers/rbac/bootstrap-policy.ts"

export type PolicyObject = { readonly kind: string } & (WantedRole | WantedBinding)

/** Sorted by object. The lines of an object have every field. Throws an Error for a field without a place there. */
export function policyLines(objects: readonly PolicyObject[]): string[] {
  return objects
    .map((object) => [headLine(object), ...("roleRef" in object ? subjectLines(object) : ruleLines(object))])
    .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1))
    .flat()
}

function headLine({ kind, metadata, ...rest }: PolicyObject): string {
  const { name, namespace, labels, annotations, ...more } = metadata
  refuseRest(more)
  const marks = [...pairs(labels), ...pairs(annotations)].join(" ")
  const selectors =
    "aggregationRule" in rest && rest.aggregationRule !== undefined ? ` aggregates ${JSON.stringify(rest.aggregationRule)}` : ""
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} (${marks})${selectors}`
}

function pairs(map: Readonly<Record<string, string>>): string[] {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
}

function ruleLines({ kind: _kind, metadata: _metadata, rules, aggregationRule, ...more }: PolicyObject & WantedRole): string[] {
  refuseRest(more)
  // Rules of aggregated roles are computed.
  if (aggregationRule !== undefined) return []
  return rules.map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs, ...other }) => {
    refuseRest(other)
    const names = resourceNames === undefined ? "" : ` named ${resourceNames.join(",")}`
    const urls = nonResourceURLs === undefined ? "" : ` paths ${nonResourceURLs.join(",")}`
    const what = resources === undefined ? "" : ` ${resources.join(",")} of ${apiGroups?.map((group) => group || "core").join(",")}`
    return `  ${verbs.join(",")}${what}${names}${urls}`
  })
}

function subjectLines({ kind: _kind, metadata: _metadata, roleRef, subjects, ...more }: PolicyObject & WantedBinding): string[] {
  refuseRest(more)
  return [
    `  binds ${roleRef.kind} ${roleRef.name} of ${roleRef.apiGroup}`,
    ...subjects.map(({ kind, name, namespace, apiGroup, ...other }) => {
      refuseRest(other)
      return `  to ${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}${apiGroup === undefined ? "" : ` of ${apiGroup}`}`
    }),
  ]
}

function refuseRest(rest: object): void {
  if (Object.keys(rest).length > 0) throw new Error(`fields without a place in the lines: ${JSON.stringify(rest)}`)
}
