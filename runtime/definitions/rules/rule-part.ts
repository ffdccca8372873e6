/** Parts of an object that have rules. */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { ownField } from "../../encoding/field-path.ts"
import { Correlation, itemsByKey } from "./correlation.ts"
import { listKey } from "./list-key.ts"
import type { RuleTree } from "./rule-tree.ts"

/**
 * A value with rules to evaluate. There is one for each such value, and for each item of a large list. Its path and
 * former value are computed only for failures.
 */
export class RulePart {
  private correlated: Correlated | undefined

  constructor(
    readonly tree: RuleTree,
    readonly value: JsonValue,
    /** The former value for `oldSelf`; undefined or null without one. */
    readonly old: JsonValue | undefined,
    private readonly parent: RulePart | undefined,
    /** A field name, the key of a map, or an index. */
    private readonly step: string | number = "",
    private readonly isKey = false,
  ) {}

  /** The path in failures; "" is the root. */
  get path(): string {
    if (this.parent === undefined) return ""
    const { path } = this.parent
    if (this.isKey || typeof this.step === "number") return `${path}[${this.step}]`
    return path === "" ? this.step : `${path}.${this.step}`
  }

  /** Whether the value is unchanged; without a correlated former value, whether its nearest correlated container is. */
  isUnchanged(root: Correlation | undefined): boolean {
    const { own, nearest } = this.correlate(root)
    return (own ?? nearest)?.isUnchanged() === true
  }

  /** Computed once: many items of one list may fail. */
  private correlate(root: Correlation | undefined): Correlated {
    this.correlated ??= this.correlateAnew(root)
    return this.correlated
  }

  private correlateAnew(root: Correlation | undefined): Correlated {
    if (this.parent === undefined) return { own: root, nearest: undefined }
    const { own, nearest } = this.parent.correlate(root)
    if (own === undefined) return { own, nearest }
    const { step } = this
    if (typeof step === "number") return { own: own.item(step), nearest: own }
    // Version and kind were converted before, so they have no former state.
    if (nearest === undefined && (step === "apiVersion" || step === "kind")) return { own: undefined, nearest: undefined }
    return { own: own.field(step), nearest: own }
  }
}

interface Correlated {
  readonly own: Correlation | undefined
  readonly nearest: Correlation | undefined
}

/** Appends the parts of a value that have rules, in reverse order. Returns how many. */
export function pushParts(part: RulePart, stack: RulePart[]): number {
  const { value, tree } = part
  if (Array.isArray(value)) return tree.items === undefined ? 0 : pushItems(part, value, tree.items, stack)
  if (!isObject(value)) return 0
  const before = stack.length
  const old = isObject(part.old) ? part.old : undefined
  for (const [name, property] of tree.fieldsFromLast) pushField(part, value, old, name, property, false, stack)
  if (tree.values !== undefined) {
    const names = Object.keys(value)
    for (let index = names.length - 1; index >= 0; index--) {
      pushField(part, value, old, names[index] ?? "", tree.values, true, stack)
    }
  }
  return stack.length - before
}

function pushField(
  parent: RulePart,
  object: JsonObject,
  old: JsonObject | undefined,
  name: string,
  tree: RuleTree,
  isKey: boolean,
  stack: RulePart[],
): void {
  const value = ownField(object, name)
  if (value === undefined || value === null) return
  stack.push(new RulePart(tree, value, old && ownField(old, name), parent, name, isKey))
}

function pushItems(parent: RulePart, items: readonly JsonValue[], tree: RuleTree, stack: RulePart[]): number {
  const { schema } = parent.tree
  const oldItems = Array.isArray(parent.old) ? itemsByKey(parent.old, schema) : undefined
  for (let index = items.length - 1; index >= 0; index--) {
    const value = items[index] ?? null
    if (value === null) continue
    const key = oldItems !== undefined && isObject(value) ? listKey(value, schema.listMapKeys) : undefined
    stack.push(new RulePart(tree, value, key === undefined ? undefined : oldItems?.get(key), parent, index))
  }
  return items.length
}
