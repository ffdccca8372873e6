import { Double, MapValue, Uint, type Value } from "./value.ts"

/** A map of existing values. Keys of different types never collide, but `1` and `1u` find each other. */
class LiteralMap extends MapValue {
  private readonly order: Value[] = []
  /** Strings, booleans and ints. */
  private readonly plain = new Map<Value, Value>()
  private readonly uints = new Map<number | bigint, Value>()
  private readonly doubles = new Map<number, Value>()

  constructor(entries: Iterable<readonly [Value, Value]>) {
    super()
    for (const [key, value] of entries) {
      if (this.findExact(key) === undefined) this.order.push(key)
      if (key instanceof Uint) this.uints.set(key.value, value)
      else if (key instanceof Double) this.doubles.set(key.value, value)
      else this.plain.set(key, value)
    }
  }

  get size(): number {
    return this.order.length
  }

  keys(): readonly Value[] {
    return this.order
  }

  find(key: Value): Value | undefined {
    const exact = this.findExact(key)
    return exact === undefined ? this.findNumber(key) : exact
  }

  private findExact(key: Value): Value | undefined {
    if (key instanceof Uint) return this.uints.get(key.value)
    if (key instanceof Double) return this.doubles.get(key.value)
    return this.plain.get(key)
  }

  /** The value under the same number of another type. */
  private findNumber(key: Value): Value | undefined {
    if (typeof key === "number" || typeof key === "bigint") return this.uints.get(key)
    if (key instanceof Uint) return this.plain.get(key.value)
    if (!(key instanceof Double) || !Number.isInteger(key.value)) return undefined
    const integer = Number.isSafeInteger(key.value) ? key.value : BigInt(key.value)
    const value = this.plain.get(integer)
    return value === undefined ? this.uints.get(integer) : value
  }
}

/** Keys are strings, booleans, ints or uints. A repeated key has its last value. */
export function mapOf(entries: Iterable<readonly [Value, Value]>): MapValue {
  return new LiteralMap(entries)
}
