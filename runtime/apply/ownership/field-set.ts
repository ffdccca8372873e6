/**
 * Sets of field paths as in `managedFields` (FieldsV1, specification section 9.3): a JSON object whose keys are path
 * elements.
 *
 *     {"f:metadata": {"f:labels": {".": {}, "f:a": {}}}}     the members are metadata.labels and metadata.labels.a
 *
 * A node without keys is a member without members below it; a node with keys is a member when one of them is `.`. The
 * root is never a member: `{}` there is the empty set. Every other node is a member or has one below it. All operations
 * work on this form, share unchanged parts, never change their arguments and are linear in the size of the sets.
 */
import { badRequest } from "../../base/errors.ts"
import { copyFields } from "../../encoding/field-path.ts"
import { isObject } from "../../base/json.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { documentDepthMax, messageCharactersMax } from "../../base/limits.ts"
import { canonicalElement, selfKey, shortElementText, sortElements } from "./field-set-element.ts"

/** Maps path elements to nodes, in canonical form: see `canonicalFieldSet`. */
export type FieldSet = JsonObject

/** The node of a member with no members below it. Shared by all sets, hence frozen. */
export const leaf: FieldSet = Object.freeze({})

/** True when the set has no member. Called for roots. */
export function isEmptySet(set: FieldSet): boolean {
  for (const element in set) {
    if (element !== selfKey) return false
  }
  return true
}

/** True when the path to the node is a member. Called for nodes below the root. */
export function isMember(node: FieldSet): boolean {
  return selfKey in node || isLeaf(node)
}

/** True when the node has no members below it, so that the path to it is a member. Called for nodes below the root. */
export function isLeaf(node: FieldSet): boolean {
  if (node === leaf) return true
  // Starting a loop over many fields takes as long as running it.
  if (selfKey in node) return false
  for (const _ in node) return false
  return true
}

/** The node at an element, undefined when there is none. */
export function nodeAt(set: FieldSet, element: string): FieldSet | undefined {
  const node = set[element]
  return isObject(node) ? node : undefined
}

/**
 * Builds the node of a path from whether it is a member and from the members below it, ignoring a `.` in `below`.
 * Undefined when there are none.
 */
export function nodeOf(member: boolean, below: FieldSet | undefined): FieldSet | undefined {
  if (below === undefined || isEmptySet(below)) return member ? leaf : undefined
  if (member === selfKey in below) return below
  const node: FieldSet = member ? { [selfKey]: leaf } : {}
  // With many fields, a spread takes three times as long.
  for (const element in below) if (element !== selfKey) node[element] = below[element]
  return node
}

/** The members of either set. Called when a manager takes over fields and when sets of several managers are joined. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left
  return isEmptySet(left) ? right : joined(left, right)
}

function joined(left: FieldSet, right: FieldSet): FieldSet {
  let result: FieldSet | undefined
  for (const element in right) {
    const mine = nodeAt(left, element)
    const other = nodeAt(right, element) ?? leaf
    const both = mine === undefined ? other : element === selfKey ? mine : unionOfNodes(mine, other)
    if (both === mine) continue
    result ??= copyFields(left)
    result[element] = both
  }
  return result ?? left
}

/** `union` for two nodes of the same path. */
export function unionOfNodes(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left
  if (isLeaf(right)) return isMember(left) ? left : { [selfKey]: leaf, ...left }
  if (isLeaf(left)) return isMember(right) ? right : { [selfKey]: leaf, ...right }
  return joined(left, right)
}

/**
 * The members of any of the sets. Called for the managers of an object, of which there may be many: linear in the size
 * of all sets, where repeated `union` would copy the joined part each time.
 */
export function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  const [first, second] = sets
  if (first === undefined) return {}
  if (sets.length <= 2) return second === undefined ? first : union(first, second)
  return joinedAll(sets)
}

function joinedAll(sets: readonly FieldSet[]): FieldSet {
  const nodes = new Map<string, FieldSet[]>()
  for (const set of sets) {
    for (const element in set) {
      const node = nodeAt(set, element) ?? leaf
      const same = nodes.get(element)
      if (same === undefined) nodes.set(element, [node])
      else same.push(node)
    }
  }
  const result: FieldSet = {}
  for (const [element, same] of nodes) {
    result[element] = element === selfKey ? leaf : unionOfAllNodes(same)
  }
  return result
}

/** `unionOfAll` for nodes of the same path; at least one. */
function unionOfAllNodes(nodes: readonly FieldSet[]): FieldSet {
  const [only] = nodes
  if (only !== undefined && nodes.length === 1) return only
  return nodeOf(nodes.some(isMember), joinedAll(nodes)) ?? leaf
}

/** The members of `left` that are not members of `right`. Keeps members below a member of `right`. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return without(left, right, false)
}

/** The members of `left` that are neither members of `right` nor below one. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  return without(left, right, true)
}

function without(left: FieldSet, right: FieldSet, recursive: boolean): FieldSet {
  let changes: Map<string, FieldSet | undefined> | undefined
  for (const element in right) {
    const mine = element === selfKey ? undefined : nodeAt(left, element)
    if (mine === undefined) continue
    const rest = nodeWithout(mine, nodeAt(right, element) ?? leaf, recursive)
    if (rest === mine) continue
    changes ??= new Map()
    changes.set(element, rest)
  }
  return changes === undefined ? left : changed(left, changes)
}

function changed(set: FieldSet, changes: ReadonlyMap<string, FieldSet | undefined>): FieldSet {
  const result: FieldSet = {}
  for (const element in set) {
    const node = changes.has(element) ? changes.get(element) : set[element]
    if (node !== undefined) result[element] = node
  }
  return result
}

/**
 * `difference`, or `recursiveDifference`, of the nodes of one path: the node that is left of `left`; undefined when
 * nothing is.
 */
export function nodeWithout(left: FieldSet, right: FieldSet, recursive: boolean): FieldSet | undefined {
  const removed = isMember(right)
  if (removed && recursive) return undefined
  if (isLeaf(left)) return removed ? undefined : left
  return nodeOf(!removed && selfKey in left, without(left, right, recursive))
}

/** The members of both. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left
  const result: FieldSet = {}
  for (const element in left) {
    const other = element === selfKey ? undefined : nodeAt(right, element)
    const both = other === undefined ? undefined : sharedNode(nodeAt(left, element) ?? leaf, other)
    if (both !== undefined) result[element] = both
  }
  return result
}

/** `intersection` of the nodes of one path; undefined when they share no member. */
export function sharedNode(left: FieldSet, right: FieldSet): FieldSet | undefined {
  if (left === right) return left
  return nodeOf(isMember(left) && isMember(right), intersection(left, right))
}

/** Whether both have the same members, in any order. */
export function equalSets(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true
  let matched = 0
  for (const element in left) {
    if (element === selfKey) continue
    const mine = nodeAt(left, element) ?? leaf
    const other = nodeAt(right, element)
    if (other === undefined || isMember(mine) !== isMember(other) || !equalSets(mine, other)) return false
    matched++
  }
  for (const element in right) if (element !== selfKey) matched--
  return matched === 0
}

/** Builds a set from paths of elements. Ignores empty paths. */
export function setOfPaths(paths: readonly (readonly string[])[]): FieldSet {
  const set: FieldSet = {}
  for (const path of paths) {
    let node = set
    for (const [index, element] of path.entries()) {
      const known = nodeAt(node, element)
      const next = known ?? {}
      const last = index === path.length - 1
      if (known === undefined) node[element] = next
      else if (last !== isLeaf(known)) known[selfKey] = leaf
      node = next
    }
  }
  return set
}

/** The number of members. */
export function memberCount(set: FieldSet): number {
  let count = 0
  for (const element in set) {
    const node = element === selfKey ? undefined : nodeAt(set, element)
    if (node !== undefined) count += (isMember(node) ? 1 : 0) + memberCount(node)
  }
  return count
}

/**
 * Returns the first `max` members: at each level the members of the level in written order, then the members below
 * each. Conflicts are reported in this order.
 */
export function pathsOf(set: FieldSet, max = Number.POSITIVE_INFINITY): string[][] {
  const paths: string[][] = []
  collect(set, [], { paths, max })
  return paths
}

function collect(node: FieldSet, prefix: readonly string[], to: { readonly paths: string[][]; readonly max: number }): void {
  if (to.paths.length >= to.max || isLeaf(node)) return
  const nodes = sortElements(Object.keys(node).filter((element) => element !== selfKey)).map((element) => ({
    path: [...prefix, element],
    below: nodeAt(node, element) ?? leaf,
  }))
  for (const { path, below } of nodes) {
    if (to.paths.length >= to.max) return
    if (isMember(below)) to.paths.push(path)
  }
  for (const { path, below } of nodes) collect(below, path, to)
}

/** A path as conflict messages show it: `.spec.ports[port=80,protocol="TCP"].name`, `.metadata.finalizers[="x"]`. */
export function pathText(path: readonly string[]): string {
  let text = ""
  for (const element of path) {
    text += shortElementText(element)
    if (text.length > messageCharactersMax) return `${text.slice(0, messageCharactersMax)}...`
  }
  return text
}

/**
 * Returns the canonical, sorted form of a `fieldsV1` that a client sent. Called before such a set is used; stored sets
 * are canonical. `null` is the empty set; elements of unknown kinds are dropped. Throws ApiError 400 when the value is
 * not a set.
 */
export function canonicalFieldSet(value: JsonValue): FieldSet {
  if (value === null) return {}
  return sortedFieldSet(canonicalNode(value, 0) ?? {})
}

function canonicalNode(value: JsonValue, depth: number): FieldSet | undefined {
  if (value === null) return undefined
  if (!isObject(value)) throw badRequest("fieldsV1: a set of fields must be a JSON object whose keys are path elements")
  if (depth > documentDepthMax) throw badRequest(`fieldsV1: paths are limited to ${documentDepthMax} elements`)
  const below: FieldSet = {}
  let twins: Map<string, FieldSet[]> | undefined
  for (const key of Object.keys(value)) {
    const child = value[key]
    const element = key === selfKey || child === undefined ? undefined : canonicalElement(key)
    if (element === undefined || child === undefined) continue
    const node = canonicalNode(child, depth + 1) ?? leaf
    const twin = nodeAt(below, element)
    if (twin === undefined) below[element] = node
    else {
      // One element in two spellings: joins all its nodes at once.
      twins ??= new Map()
      const same = twins.get(element)
      if (same === undefined) twins.set(element, [twin, node])
      else same.push(node)
    }
  }
  for (const [element, nodes] of twins ?? []) below[element] = unionOfAllNodes(nodes)
  return nodeOf(depth > 0 && Object.hasOwn(value, selfKey), below)
}

/**
 * Sorts the elements as the reference writes them. Called once, before a set is stored. `before`: the stored set that
 * it was made from. The nodes that both share are sorted, and most changes share most of them.
 */
export function sortedFieldSet(set: FieldSet, before?: FieldSet): FieldSet {
  if (set === before || isLeaf(set)) return set
  const elements = Object.keys(set)
  const sorted = sortElements([...elements])
  let same = sorted.every((element, index) => element === elements[index])
  const nodes: FieldSet[] = []
  for (const element of sorted) {
    const node = nodeAt(set, element) ?? leaf
    const inOrder = sortedFieldSet(node, before === undefined ? undefined : nodeAt(before, element))
    same &&= inOrder === node
    nodes.push(inOrder)
  }
  if (same) return set
  const result: FieldSet = {}
  for (const [index, element] of sorted.entries()) result[element] = nodes[index] ?? leaf
  return result
}
