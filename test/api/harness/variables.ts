/** `${name}` in scenarios: values from the run, and values that steps captured. */
import { isRecord, Matcher, matcherOf } from "./matchers.ts"

export type Variables = Map<string, unknown>

const reference = /\$\{(url:)?([A-Za-z0-9_]+)\}/g

/** Replaces references in a text; `${url:name}` is encoded for a query. Throws for a name without a value. */
export function filledText(text: string, variables: Variables): string {
  return text.replace(reference, (_all, encoded: string | undefined, name: string) => {
    if (!variables.has(name)) throw new Error(`nothing has captured ${name}`)
    const value = String(variables.get(name))
    return encoded === undefined ? value : encodeURIComponent(value)
  })
}

/** Does the same everywhere inside a value: in names of fields and in the content of matchers too. */
export function filled(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return filledText(value, variables)
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, variables))
  if (value instanceof Matcher) return filledMatcher(value, variables)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [filledText(name, variables), filled(field, variables)]))
}

function filledMatcher(matcher: Matcher, variables: Variables): Matcher {
  return matcherOf(matcher.tag, filled(matcher.content, variables))
}

/** The value at a dotted path: `items.0.metadata.name`. Undefined when there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const name of path.split(".")) {
    if (Array.isArray(at)) at = at[Number(name)]
    else if (isRecord(at)) at = at[name]
    else return undefined
  }
  return at
}
