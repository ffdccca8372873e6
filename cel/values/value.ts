/**
 * Values of expressions. An int is a `number` where that is exact and a `bigint` beyond; a double is wrapped, because
 * it is the rarer of the two. Strings, booleans, null and bytes are those of JavaScript.
 */
import type { CelType } from "../types/type.ts"
import type { Duration, Timestamp } from "./time.ts"

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Double
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | OptionalValue
  | TypeValue
  | OpaqueValue

/** What an operation answers: an error is a value, so that `&&` and `||` can absorb it. */
export type Result = Value | ErrorValue

/** A failed operation. `message` is the text a user reads: `no such key: x`. */
export class ErrorValue {
  constructor(
    readonly message: string,
    /** The evaluation was stopped, and no operator absorbs it. */
    readonly cancelled: boolean = false,
  ) {}
}

/** A 64-bit floating point number. */
export class Double {
  constructor(readonly value: number) {}
}

/** An unsigned 64-bit integer: a `number` where that is exact, otherwise a `bigint`. `uintOf` makes it. */
export class Uint {
  constructor(readonly value: number | bigint) {}
}

/** A list. Subclasses decide where the elements come from. */
export abstract class ListValue {
  abstract readonly size: number
  /** The element at an index from 0 to `size` - 1; an error when it cannot be read. */
  abstract at(index: number): Result
  /** Only ints are indices, no other numbers of the same value. */
  readonly intIndex?: boolean
  /** All elements. The caller does not change the array. */
  abstract toArray(): readonly Result[]
  /** What `list + other` answers, where that is not the one list after the other. */
  join?(other: ListValue): ListValue
  /** What `list == other` answers, where order does not matter. */
  matches?(other: ListValue): boolean | ErrorValue
}

/** A map, or an object of a schema: both are read by key. */
export abstract class MapValue {
  abstract readonly size: number
  /** The value of a key, undefined when the map has no such key, or an error when it cannot be read. */
  abstract find(key: Value): Result | undefined
  /** What `map.?key` finds, where that is not what `map.key` gives: an object whose fields have a zero value. */
  findSent?(key: Value): Result | undefined
  /** What `has(map.key)` answers, where it is not whether the key is found. */
  has?(key: Value): boolean
  /** The keys, in the order in which they are visited. The caller does not change the array. */
  abstract keys(): readonly Value[]
  /** What `map == other` answers, where the keys and values do not say all. */
  matches?(other: MapValue): boolean | ErrorValue
}

/** A value that may be absent. */
export class OptionalValue {
  static readonly none: OptionalValue = new OptionalValue(undefined)
  constructor(readonly value: Value | undefined) {}
}

/** A type as a value: the result of `type(x)`, or a name such as `int` or `string`. */
export class TypeValue {
  constructor(readonly type: CelType) {}
}

/** A value of a type that a library brings, such as a quantity or a URL. */
export abstract class OpaqueValue {
  abstract readonly type: CelType
  /** What `==` answers, for any other value. */
  abstract equals(other: Value): boolean | ErrorValue
  /** The size that costs are computed with; 1 when absent. */
  get size(): number {
    return 1
  }
  /** The value within messages. */
  print(): string {
    return this.type.name
  }
  /** What `optional.ofNonZeroValue` takes for none. */
  get zero(): boolean {
    return false
  }
}
