/** Collects the names of fields that a shape does not know. */
import { strictErrorsMax } from "../base/limits.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { pathText } from "./json/text.ts"
import { isTypeMeta, type ShapeNode, type ShapePlan, planOfNode } from "./shape-plan.ts"

interface UnknownSearch {
  readonly plan: ShapePlan
  readonly source: JsonObject
  readonly typeMeta: boolean
  readonly steps: (string | number)[]
  readonly found: string[]
}

/**
 * Called once `normalize` has met an unknown field: a second pass that names them in document order, as the reference
 * reports them, at most `strictErrorsMax`.
 */
export function unknownFields(plan: ShapePlan, source: JsonObject, typeMeta: boolean): string[] {
  const found: string[] = []
  collectUnknown({ plan, source, typeMeta, steps: [], found })
  return found
}

function collectUnknown(search: UnknownSearch): void {
  const { plan, source, typeMeta, steps, found } = search
  for (const name of Object.keys(source)) {
    if (found.length >= strictErrorsMax) return
    const value = source[name]
    if (value === undefined || (typeMeta && isTypeMeta(name))) continue
    steps.push(name)
    const field = plan.byName.get(name)
    if (field !== undefined) collectInValue(field.node, value, search)
    else if (!plan.preserveUnknown) found.push(pathText(steps))
    steps.pop()
  }
}

function collectInValue(node: ShapeNode, value: JsonValue, search: UnknownSearch): void {
  const { steps, found } = search
  if (node.operation === "object" && isObject(value)) {
    collectUnknown({ plan: planOfNode(node), source: value, typeMeta: false, steps, found })
    return
  }
  const { item } = node
  // Items that are strings or numbers have no fields.
  if (item === undefined || (item.operation !== "object" && item.item === undefined)) return
  if (Array.isArray(value)) collectInEntries(item, value.entries(), search)
  else if (isObject(value)) collectInEntries(item, Object.entries(value), search)
}

function collectInEntries(item: ShapeNode, entries: Iterable<[string | number, JsonValue | undefined]>, search: UnknownSearch): void {
  const { steps, found } = search
  for (const [step, entry] of entries) {
    if (found.length >= strictErrorsMax) return
    steps.push(step)
    if (entry !== undefined) collectInValue(item, entry, search)
    steps.pop()
  }
}

/**
 * Sorts paths as a document with sorted keys holds them: for YAML bodies and results of patches, whose keys the
 * reference sorts before it reads them. `asWritten`: paths below which the keys are as the client wrote them.
 */
export function sortedPaths(paths: readonly string[], asWritten: readonly string[] = []): string[] {
  const sorter = (path: string): string => path.replace(/\[(\d+)\]/g, (_index, digits: string) => `[${digits.padStart(10, "0")}]`)
  const written = (path: string): string | undefined =>
    asWritten.find((above) => path.startsWith(above) && /^[.[]/.test(path.slice(above.length)))
  return paths
    .map((path) => ({ path, by: sorter(written(path) ?? path) }))
    .sort((left, right) => (left.by < right.by ? -1 : left.by > right.by ? 1 : 0))
    .map(({ path }) => path)
}
