/**
 * A field set indexed for comparison with many others. An operation of `field-set.ts` on two sets is linear in both,
 * and some walk one of them, some the other. An indexed set costs its own size once, and then each comparison costs
 * only the size of the other set. With two thousand managers and twenty thousand changed fields, that is the difference
 * between milliseconds and half a minute.
 */
import { selfKey } from "./field-set-element.ts"
import { type FieldSet, isLeaf, isMember, nodeAt, nodeOf } from "./field-set.ts"

interface IndexNode {
  readonly member: boolean
  readonly below: ReadonlyMap<string, IndexNode>
}

/** Created once for a set that is the right operand of many operations. */
export class IndexedSet {
  private readonly root: ReadonlyMap<string, IndexNode>

  constructor(set: FieldSet) {
    this.root = belowOf(set)
  }

  get isEmpty(): boolean {
    return this.root.size === 0
  }

  /** The members of `left` that are not in this set; `left` itself when that is all of them. */
  takenFrom(left: FieldSet): FieldSet {
    return this.isEmpty ? left : without(left, this.root)
  }

  /** The members of both. */
  sharedWith(left: FieldSet): FieldSet {
    return shared(left, this.root)
  }
}

function belowOf(set: FieldSet): ReadonlyMap<string, IndexNode> {
  const below = new Map<string, IndexNode>()
  for (const element in set) {
    const node = element === selfKey ? undefined : nodeAt(set, element)
    if (node !== undefined) below.set(element, { member: isMember(node), below: belowOf(node) })
  }
  return below
}

function without(left: FieldSet, right: ReadonlyMap<string, IndexNode>): FieldSet {
  let result: FieldSet | undefined
  for (const element in left) {
    const mine = nodeAt(left, element)
    const other = element === selfKey ? undefined : right.get(element)
    const rest = mine === undefined || other === undefined ? mine : nodeWithout(mine, other)
    if (rest === mine && result === undefined) continue
    result ??= before(left, element)
    if (rest !== undefined) result[element] = rest
  }
  return result ?? left
}

/** The elements before `end`; the caller adds the elements from `end` on that it keeps. */
function before(set: FieldSet, end: string): FieldSet {
  const result: FieldSet = {}
  for (const element in set) {
    if (element === end) break
    result[element] = set[element]
  }
  return result
}

function nodeWithout(left: FieldSet, right: IndexNode): FieldSet | undefined {
  if (isLeaf(left)) return right.member ? undefined : left
  if (!right.member && right.below.size === 0) return left
  return nodeOf(!right.member && selfKey in left, without(left, right.below))
}

function shared(left: FieldSet, right: ReadonlyMap<string, IndexNode>): FieldSet {
  const result: FieldSet = {}
  for (const element in left) {
    const other = element === selfKey ? undefined : right.get(element)
    const mine = other === undefined ? undefined : nodeAt(left, element)
    const both = mine === undefined || other === undefined ? undefined : nodeOf(isMember(mine) && other.member, shared(mine, other.below))
    if (both !== undefined) result[element] = both
  }
  return result
}
