import type { JsonValue } from "../../base/json.ts"
import type { Correlation } from "./correlation.ts"
import type { RuleTree } from "./rule-tree.ts"

/** A value that is to be validated with all its parts. */
export interface RulePart {
  readonly tree: RuleTree
  readonly value: JsonValue
  readonly old: JsonValue | undefined
  /** As in failures; "" is the root. */
  readonly path: string
  /** Its former state, where it can be found. */
  readonly correlation: Correlation | undefined
  /** The former state of the nearest container where it can be found. */
  readonly nearest: Correlation | undefined
}
