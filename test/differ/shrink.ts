/**
 * Shrinks the body of a request: removes fields and items, the largest first, as long as it still differs in the same
 * way.
 */
import { isObject, type JsonValue } from "../../runtime/base/json.ts"

type Steps = readonly (string | number)[]

/** `differs` sends a body and says whether the class is the same. Tries at most `attempts` bodies. */
export async function shrinkBody(body: JsonValue, differs: (body: JsonValue) => Promise<boolean>, attempts: number): Promise<JsonValue> {
  let smallest = body
  let left = attempts
  const kept = new Set<string>()
  while (left > 0) {
    const next = pathsOf(smallest).find((steps) => !kept.has(steps.join("/")))
    if (next === undefined) return smallest
    const candidate = without(smallest, next)
    left--
    if (await differs(candidate)) {
      smallest = candidate
      // Indices have moved.
      for (const path of [...kept]) if (/\/\d/.test(path)) kept.delete(path)
    } else kept.add(next.join("/"))
  }
  return smallest
}

/** The paths of all fields and items, the longest texts first. */
function pathsOf(value: JsonValue): Steps[] {
  const found: { steps: Steps; size: number }[] = []
  const walk = (at: JsonValue | undefined, steps: Steps): void => {
    if (steps.length > 0) found.push({ steps, size: JSON.stringify(at ?? null).length })
    if (Array.isArray(at)) at.forEach((item, index) => walk(item, [...steps, index]))
    else if (isObject(at)) for (const [name, inner] of Object.entries(at)) walk(inner, [...steps, name])
  }
  walk(value, [])
  return found.sort((a, b) => b.size - a.size).map(({ steps }) => steps)
}

function without(value: JsonValue, [step = "", ...rest]: Steps): JsonValue {
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.filter((_, index) => index !== step)
    return value.map((item, index) => (index === step ? without(item, rest) : item))
  }
  if (!isObject(value)) return value
  const { [step]: inner = null, ...others } = value
  return rest.length === 0 ? others : { ...others, [step]: without(inner, rest) }
}
