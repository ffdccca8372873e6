import { chargeWork } from "../work.ts"
import { ListValue, type Result } from "./value.ts"

/** A list of values that exist already. */
export class ArrayList extends ListValue {
  constructor(private readonly values: readonly Result[]) {
    super()
  }

  get size(): number {
    return this.values.length
  }

  at(index: number): Result {
    return this.values[index] ?? null
  }

  toArray(): readonly Result[] {
    return this.values
  }
}

/** Copying an element takes less than a unit of work, but also takes memory. */
const joinWork = 0.25

/** Joining sets and maps looks up each element. */
const keyedJoinWork = 8

/** Two lists, read as one. They are joined when all elements are requested. */
class JoinedList extends ListValue {
  private joined: readonly Result[] | undefined
  readonly size: number

  constructor(
    private readonly first: ListValue,
    private readonly second: ListValue,
  ) {
    super()
    this.size = first.size + second.size
  }

  at(index: number): Result {
    return this.toArray()[index] ?? null
  }

  toArray(): readonly Result[] {
    if (this.joined === undefined) {
      chargeWork(this.size * joinWork)
      this.joined = [...this.first.toArray(), ...this.second.toArray()]
    }
    return this.joined
  }
}

/**
 * The accumulator of a comprehension that builds a list. `+` appends to it in place; no other expression can hold it,
 * so the change is never seen.
 */
export class GrowingList extends ListValue {
  private readonly values: Result[] = []

  get size(): number {
    return this.values.length
  }

  at(index: number): Result {
    return this.values[index] ?? null
  }

  toArray(): readonly Result[] {
    return this.values
  }

  append(other: ListValue): this {
    // A list may be appended to itself.
    const added = other === this ? other.toArray().slice() : other.toArray()
    if (added.length > 1) chargeWork(added.length * joinWork)
    for (const value of added) this.values.push(value)
    return this
  }

  finish(): ListValue {
    return new ArrayList(this.values)
  }
}

export function listOf(values: readonly Result[]): ListValue {
  return new ArrayList(values)
}

/** `a + b` of lists. A list may define its own joining: sets and map lists of a schema do. */
export function joinLists(one: ListValue, other: ListValue): ListValue {
  if (one instanceof GrowingList) return one.append(other)
  if (one.join !== undefined) {
    chargeWork(keyedJoinWork * (one.size + other.size))
    return one.join(other)
  }
  if (one.size === 0) return other
  if (other.size === 0) return one
  return new JoinedList(one, other)
}
