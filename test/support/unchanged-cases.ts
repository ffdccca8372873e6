/**
 * Updates that leave a value as it is. Two places of `runtime/definitions` ask this, for values (`objects/ratchet.ts`)
 * and for rules (`rules/correlation.ts`), and their tests share this table.
 */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"

export interface UnchangedCase {
  readonly name: string
  /** Of the value. */
  readonly schema: JsonObject
  readonly old: JsonValue
  /** Updates of `old` that change nothing, and updates that do. */
  readonly same: readonly JsonValue[]
  readonly changed: readonly JsonValue[]
}

const item: JsonObject = { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } }
const keyed: JsonObject = { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }
const [a, b, c] = ["a", "b", "c"].map((k, index) => ({ k, v: index }))
if (a === undefined || b === undefined || c === undefined) throw new Error("there are three items")

export const unchangedCases: readonly UnchangedCase[] = [
  {
    name: "a list with keys",
    schema: keyed,
    old: [a, b, c],
    same: [
      [a, b, c],
      [c, a, b],
    ],
    changed: [[a, b], [], [a, b, c, { k: "d" }], [a, b, { ...c, v: 9 }], [a, b, { ...c, k: "d" }], [a, b, { k: "c" }]],
  },
  {
    name: "a list with keys that repeats one",
    schema: keyed,
    old: [a, a, b],
    same: [
      [a, a, b],
      [b, a, a],
    ],
    changed: [
      [a, b],
      [a, { ...a, v: 9 }, b],
    ],
  },
  {
    name: "an empty list with keys",
    schema: keyed,
    old: [],
    same: [[]],
    changed: [[a]],
  },
  {
    name: "a set",
    schema: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
    old: [1, 2, 3],
    same: [[1, 2, 3]],
    changed: [
      [1, 2],
      [3, 2, 1],
      [1, 2, 3, 4],
    ],
  },
  {
    name: "an atomic list",
    schema: { type: "array", items: item },
    old: [a, b],
    same: [[a, b]],
    changed: [[a], [b, a], [a, b, c], [a, { ...b, v: 9 }]],
  },
  {
    name: "an object",
    schema: { type: "object", properties: { n: { type: "integer" }, list: keyed } },
    old: { n: 1, list: [a, b] },
    same: [
      { n: 1, list: [a, b] },
      { list: [b, a], n: 1 },
    ],
    changed: [{ n: 2, list: [a, b] }, { n: 1 }, { list: [a, b] }, { n: 1, list: [a] }],
  },
  {
    name: "a map",
    schema: { type: "object", additionalProperties: { type: "integer" } },
    old: { x: 1, y: 2 },
    same: [{ y: 2, x: 1 }],
    changed: [{ x: 1 }, { x: 1, y: 2, z: 3 }, { x: 1, z: 2 }, { x: 1, y: 3 }],
  },
  { name: "a single value", schema: { type: "integer" }, old: 1, same: [1], changed: [2] },
]
