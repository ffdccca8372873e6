/**
 * Operations of `field-set.ts` in stages, for the sets of large objects. Each returns the same set as the operation
 * without stages, with its elements in the same order.
 */
import type { Stages } from "../../base/turns.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { copyFields } from "../../encoding/field-path.ts"
import { rootNode, type TypedNode } from "./typed-node.ts"
import { innerTypeOf, isOwnedWhole, isUndeclared, reconciledNode } from "./atomic-change.ts"
import { selfKey, sortElements } from "./field-set-element.ts"
import {
  type FieldSet,
  isEmptySet,
  isLeaf,
  isMember,
  leaf,
  nodeAt,
  nodeOf,
  nodeWithout,
  sharedNode,
  sortedFieldSet,
  unionOfNodes,
} from "./field-set.ts"
import { largeValues, sizeOf, StageWork } from "./stage-work.ts"

/** `union` in stages. */
export function* unionStages(left: FieldSet, right: FieldSet, work = new StageWork()): Stages<FieldSet> {
  if (left === right || isEmptySet(right)) return left
  return isEmptySet(left) ? right : yield* joinedStages(left, right, work)
}

function* joinedStages(left: FieldSet, right: FieldSet, work: StageWork): Stages<FieldSet> {
  let result: FieldSet | undefined
  for (const element in right) {
    const mine = nodeAt(left, element)
    const other = nodeAt(right, element) ?? leaf
    const size = sizeOf(mine) + sizeOf(other)
    if (work.isOver(size)) yield
    let both = other
    if (mine !== undefined && element === selfKey) both = mine
    else if (mine !== undefined) {
      const isLarge = size >= largeValues && !isLeaf(mine) && !isLeaf(other) && mine !== other
      both = isLarge ? yield* joinedStages(mine, other, work) : unionOfNodes(mine, other)
    }
    if (both === mine) continue
    result ??= copyFields(left)
    result[element] = both
  }
  return result ?? left
}

/** `difference` in stages. */
export function* differenceStages(left: FieldSet, right: FieldSet, work = new StageWork()): Stages<FieldSet> {
  let changes: Map<string, FieldSet | undefined> | undefined
  for (const element in right) {
    const mine = element === selfKey ? undefined : nodeAt(left, element)
    const other = nodeAt(right, element) ?? leaf
    const size = sizeOf(mine) + sizeOf(other)
    if (work.isOver(size)) yield
    if (mine === undefined) continue
    const isLarge = size >= largeValues && !isLeaf(mine)
    const rest = isLarge ? yield* largeNodeWithout(mine, other, work) : nodeWithout(mine, other, false)
    if (rest === mine) continue
    changes ??= new Map()
    changes.set(element, rest)
  }
  if (changes === undefined) return left
  const result: FieldSet = {}
  for (const element in left) {
    if (work.isOver(1)) yield
    const node = changes.has(element) ? changes.get(element) : left[element]
    if (node !== undefined) result[element] = node
  }
  return result
}

function* largeNodeWithout(left: FieldSet, right: FieldSet, work: StageWork): Stages<FieldSet | undefined> {
  const below = yield* differenceStages(left, right, work)
  return nodeOf(!isMember(right) && selfKey in left, below)
}

/** `intersection` in stages. */
export function* intersectionStages(left: FieldSet, right: FieldSet, work = new StageWork()): Stages<FieldSet> {
  if (left === right) return left
  const result: FieldSet = {}
  for (const element in left) {
    const mine = nodeAt(left, element) ?? leaf
    const other = element === selfKey ? undefined : nodeAt(right, element)
    const size = sizeOf(mine) + sizeOf(other)
    if (work.isOver(size)) yield
    if (other === undefined) continue
    const isLarge = size >= largeValues && mine !== other
    const both = isLarge ? yield* largeSharedNode(mine, other, work) : sharedNode(mine, other)
    if (both !== undefined) result[element] = both
  }
  return result
}

function* largeSharedNode(left: FieldSet, right: FieldSet, work: StageWork): Stages<FieldSet | undefined> {
  const below = yield* intersectionStages(left, right, work)
  return nodeOf(isMember(left) && isMember(right), below)
}

/** `sortedFieldSet` in stages. The elements of one node are sorted in one stage. */
export function* sortedStages(set: FieldSet, work = new StageWork()): Stages<FieldSet> {
  if (isLeaf(set)) return set
  const elements = Object.keys(set)
  if (work.isOver(elements.length)) yield
  const sorted = sortElements([...elements])
  if (work.isOver(elements.length)) yield
  let isSame = true
  const nodes: FieldSet[] = []
  for (const [index, element] of sorted.entries()) {
    const node = nodeAt(set, element) ?? leaf
    const size = sizeOf(node)
    if (work.isOver(size)) yield
    const inOrder = size < largeValues ? sortedFieldSet(node) : yield* sortedStages(node, work)
    isSame &&= inOrder === node && element === elements[index]
    nodes.push(inOrder)
  }
  if (isSame) return set
  const result: FieldSet = {}
  for (const [index, element] of sorted.entries()) {
    if (work.isOver(1)) yield
    result[element] = nodes[index] ?? leaf
  }
  return result
}

/** `reconciledSet` in stages. */
export function* reconcilingStages(shape: TypeShape, set: FieldSet): Stages<FieldSet> {
  return yield* reconciledBelow(rootNode(shape), set, new StageWork())
}

function* reconciledBelow(type: TypedNode, set: FieldSet, work: StageWork): Stages<FieldSet> {
  if (type.map !== undefined && isUndeclared(type.map)) return set
  let result: FieldSet | undefined
  for (const element in set) {
    const node = element === selfKey ? undefined : nodeAt(set, element)
    const size = sizeOf(node)
    if (work.isOver(size)) yield
    const inner = node === undefined || isLeaf(node) ? undefined : innerTypeOf(type, element)
    if (node === undefined || inner === undefined) continue
    const isLarge = size >= largeValues && !isOwnedWhole(inner)
    const next = isLarge ? yield* reconciledBelow(inner, node, work) : reconciledNode(inner, node)
    if (next === node) continue
    result ??= copyFields(set)
    result[element] = next
  }
  return result ?? set
}
