/** Reconciles stored field sets with a schema that has changed since. */
import type { TypeShape } from "../../schema/shape.ts"
import { selfKey } from "./field-set-element.ts"
import { isLeaf, leaf, nodeAt } from "./field-set.ts"
import type { FieldSet } from "./field-set.ts"
import { rootNode, typeAt, untyped } from "./typed-node.ts"
import type { MapForm, TypedNode } from "./typed-node.ts"

/**
 * Adapts a stored set to the current schema: a manager that owned parts of a value that is now atomic owns the whole.
 * Values that were atomic and are now granular stay unchanged, and so do values without a declared type. Called before
 * stored sets are used; returns the same set when nothing has to change, which is almost always.
 */
export function reconciledSet(shape: TypeShape, set: FieldSet): FieldSet {
  return belowOf(rootNode(shape), set)
}

/** `reconciledSet` for a node that has members below it. `type`: of the value at its path. */
export function reconciledNode(type: TypedNode, node: FieldSet): FieldSet {
  return isOwnedWhole(type) ? leaf : belowOf(type, node)
}

/** Whether a value of this type has one owner, so that a set has no members below it. */
export function isOwnedWhole(type: TypedNode): boolean {
  if (type.map !== undefined) return !isUndeclared(type.map) && type.map.atomic
  return type.scalar === undefined && type.list?.type === "atomic"
}

/** Whether the schema says nothing about the fields of a map. */
export function isUndeclared(map: MapForm): boolean {
  return map.values === untyped && map.fields().size === 0
}

function belowOf(type: TypedNode, set: FieldSet): FieldSet {
  if (type.map !== undefined && isUndeclared(type.map)) return set
  let result: FieldSet | undefined
  for (const element in set) {
    const node = element === selfKey ? undefined : nodeAt(set, element)
    const inner = node === undefined || isLeaf(node) ? undefined : innerTypeOf(type, element)
    if (node === undefined || inner === undefined) continue
    const next = reconciledNode(inner, node)
    if (next === node) continue
    result ??= { ...set }
    result[element] = next
  }
  return result ?? set
}

/** The type of the value at an element of a value; undefined for one that the type does not allow. */
export function innerTypeOf(type: TypedNode, element: string): TypedNode | undefined {
  if (type.map !== undefined) return element.startsWith("f:") ? typeAt(type.map, element.slice(2)) : type.map.values
  return type.scalar === undefined ? type.list?.item() : undefined
}
