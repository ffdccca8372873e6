/**
 * Values of expressions. An int is a `number` where that is exact and a `bigint` beyond; a double is wrapped, because
 * it is the rarer of the two. Strings, booleans and null are JavaScript's, bytes a Uint8Array.
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

/** Result of an operation: an error is a value, so that `&&` and `||` can absorb it. */
export type Result = Value | ErrorValue

/** A failed operation. `message` is the text for users: `no such key: x`. */
export class ErrorValue {
  constructor(
    readonly message: string,
    /** The evaluation was stopped, so no operator absorbs the error. */
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
  /** Only ints are indices; other numbers of the same value are not. */
  readonly intIndex?: boolean
  /** All elements. The caller does not change the array. */
  abstract toArray(): readonly Result[]
  /** The result of `list + other`, where that is not a concatenation. */
  join?(other: ListValue): ListValue
  /** The result of `list == other`, where order does not matter. */
  matches?(other: ListValue): boolean | ErrorValue
}

/** A map, or an object of a schema: both are read by key. */
export abstract class MapValue {
  abstract readonly size: number
  /** The value of a key, undefined when the map has no such key, or an error when it cannot be read. */
  abstract find(key: Value): Result | undefined
  /** The result of `map.?key`, where it differs from `map.key`: for objects whose fields have a zero value. */
  findSent?(key: Value): Result | undefined
  /** The result of `has(map.key)`, where it differs from whether the key is found. */
  has?(key: Value): boolean
  /** The keys, in the order in which they are visited. The caller does not change the array. */
  abstract keys(): readonly Value[]
  /** The result of `map == other`, where comparing keys and values is not enough. */
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

/** A value of a library's type, such as a quantity or a URL. */
export abstract class OpaqueValue {
  abstract readonly type: CelType
  /** The result of `==` with any other value. */
  abstract equals(other: Value): boolean | ErrorValue
  /** The size from which costs are computed; 1 by default. */
  get size(): number {
    return 1
  }
  /** The value within messages. */
  print(): string {
    return this.type.name
  }
  /** Whether `optional.ofNonZeroValue` treats it as absent. */
  get zero(): boolean {
    return false
  }
}
