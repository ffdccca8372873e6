/** The quantity library: amounts with suffixes, computed exactly. */
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantitySign,
} from "../../runtime/base/quantity.ts"
import type { FunctionDeclaration, Library, Overload } from "../declaration.ts"
import { boolType, type CelType, doubleType, intType, objectType, stringType } from "../types/type.ts"
import { errorOf, noSuchOverload } from "../values/error.ts"
import { intMax, intMin, intOf } from "../values/number.ts"
import { Double, ErrorValue, OpaqueValue, type Result, type Value } from "../values/value.ts"
import { costOf } from "./costs.ts"
import { integerOf, textOf } from "./narrow.ts"
import { powerOfTen } from "./power-of-ten.ts"

export const quantityType: CelType = objectType("kubernetes.Quantity", new Map())

/** A quantity within an expression. */
class QuantityValue extends OpaqueValue {
  readonly type = quantityType

  constructor(
    readonly quantity: Quantity,
    /** It is a sum or a difference. */
    private readonly computed = false,
  ) {
    super()
  }

  /** As in the reference, there is no equality with a computed quantity on the right. */
  equals(other: Value): boolean | ErrorValue {
    if (!(other instanceof QuantityValue) || other.computed) return noSuchOverload()
    return compareQuantities(this.quantity, other.quantity) === 0
  }

  override print(): string {
    return formatQuantity(this.quantity)
  }
}

function read(text: string): Quantity | ErrorValue {
  try {
    // Spaces around a quantity are removed elsewhere, but not here.
    const quantity = parseQuantity(text.trim() === text ? text : `${text.trim()}\u0000`)
    return quantity.unlimited && !isCapped(quantity) ? inNanos(quantity) : quantity
  } catch (fault) {
    if (fault instanceof QuantityError) return errorOf(fault.message)
    throw fault
  }
}

/** Binary amounts are capped at the largest int. */
function isCapped({ mantissa, format }: Quantity): boolean {
  return format === "BinarySI" && (mantissa === intMax || mantissa === -intMax)
}

const nano = -9

/** The reference holds decimals in nanos, which shows in the conversion to a double. */
function inNanos(quantity: Quantity): Quantity {
  return { ...quantity, mantissa: quantity.mantissa * 10n ** BigInt(quantity.exponent - nano), exponent: nano }
}

function quantityOf(value: Value | undefined): Quantity {
  if (!(value instanceof QuantityValue)) throw new TypeError("not a quantity")
  return value.quantity
}

/** The amount as an int; undefined when it has a scale below 1, or more than 64 bits. */
function wholeOf(quantity: Quantity): bigint | undefined {
  if (quantity.unlimited || quantity.exponent < 0) return undefined
  const whole = quantity.mantissa * 10n ** BigInt(quantity.exponent)
  return fits(whole) ? whole : undefined
}

function fits(value: bigint): boolean {
  return value >= intMin && value <= intMax
}

/**
 * The sum, with the scale that the reference gives it: scales decide whether an amount is an integer. It has the format
 * of the left amount, unless that amount is zero.
 */
function add(left: Quantity, right: Quantity): Quantity {
  const format = left.mantissa === 0n ? right.format : left.format
  const limited = !left.unlimited && !right.unlimited
  if (limited && right.mantissa === 0n) return { mantissa: left.mantissa, exponent: left.exponent, format }
  if (limited && left.mantissa === 0n) return { mantissa: right.mantissa, exponent: right.exponent, format }
  const exponent = Math.min(left.exponent, right.exponent)
  const one = left.mantissa * 10n ** BigInt(left.exponent - exponent)
  const other = right.mantissa * 10n ** BigInt(right.exponent - exponent)
  const sum = { mantissa: one + other, exponent, format }
  return limited && fits(one) && fits(other) && fits(one + other) ? sum : { ...sum, unlimited: true }
}

function negated(quantity: Quantity): Quantity {
  const { mantissa, exponent, format } = quantity
  return { mantissa: -mantissa, exponent, format, ...(quantity.unlimited && { unlimited: true }) }
}

function ofInteger(value: Value | undefined): Quantity {
  return { mantissa: BigInt(integerOf(value)), exponent: 0, format: "DecimalExponent" }
}

function toDouble(quantity: Quantity): Double {
  const base = Number(quantity.mantissa)
  return new Double(quantity.exponent === 0 ? base : base * powerOfTen(quantity.exponent))
}

/** `quantity.name()`. */
function reading(
  name: string,
  overload: Pick<Overload, "id" | "member" | "result">,
  answer: (quantity: Quantity) => Result,
): FunctionDeclaration {
  return { name, overloads: [{ ...overload, args: [quantityType], impl: (value) => answer(quantityOf(value)) }] }
}

/** `quantity.name(other)`. */
function comparing(name: string, id: string, result: CelType, answer: (order: number) => Value): FunctionDeclaration {
  const impl = (one?: Value, other?: Value): Value => answer(compareQuantities(quantityOf(one), quantityOf(other)))
  return { name, overloads: [{ id, member: true, args: [quantityType, quantityType], result, impl }] }
}

/** `quantity.name(quantity)` and `quantity.name(int)`. */
function computing(name: string, compute: (one: Quantity, other: Quantity) => Quantity): FunctionDeclaration {
  const overload = (id: string, type: CelType, read: (value: Value | undefined) => Quantity): Overload => ({
    id,
    member: true,
    args: [quantityType, type],
    result: quantityType,
    impl: (one, other) => new QuantityValue(compute(quantityOf(one), read(other)), true),
  })
  return {
    name,
    overloads: [overload(`quantity_${name}`, quantityType, quantityOf), overload(`quantity_${name}_int`, intType, ofInteger)],
  }
}

function stringToQuantity(text: string): Result {
  const quantity = read(text)
  return quantity instanceof ErrorValue ? quantity : new QuantityValue(quantity)
}

function toInteger(quantity: Quantity): Result {
  const whole = wholeOf(quantity)
  return whole === undefined ? errorOf("cannot convert value to integer") : intOf(whole)
}

export const quantityLibrary: Library = {
  name: "k8s.quantity",
  functions: [
    {
      name: "quantity",
      ...costOf("quantity"),
      overloads: [
        {
          id: "string_to_quantity",
          args: [stringType],
          result: quantityType,
          impl: (text) => stringToQuantity(textOf(text)),
        },
      ],
    },
    {
      name: "isQuantity",
      ...costOf("isQuantity"),
      overloads: [
        {
          id: "is_quantity_string",
          args: [stringType],
          result: boolType,
          impl: (text) => !(read(textOf(text)) instanceof ErrorValue),
        },
      ],
    },
    // As in the reference, this is a function, not a method like the others.
    reading("sign", { id: "quantity_sign", result: intType }, quantitySign),
    reading("asApproximateFloat", { id: "quantity_get_float", member: true, result: doubleType }, toDouble),
    reading("asInteger", { id: "quantity_get_int", member: true, result: intType }, toInteger),
    reading("isInteger", { id: "quantity_is_integer", member: true, result: boolType }, (quantity) => wholeOf(quantity) !== undefined),
    comparing("isGreaterThan", "quantity_is_greater_than", boolType, (order) => order > 0),
    comparing("isLessThan", "quantity_is_less_than", boolType, (order) => order < 0),
    comparing("compareTo", "quantity_compare_to", intType, (order) => order),
    computing("add", add),
    computing("sub", (one, other) => add(one, negated(other))),
  ],
}
