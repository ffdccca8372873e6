/** Order, equality, membership and size. */
import type { FunctionDeclaration, Overload } from "../declaration.ts"
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  paramType,
  stringType,
  timestampType,
  uintType,
} from "../types/type.ts"
import { compare } from "../values/compare.ts"
import { equal } from "../values/equal.ts"
import { noSuchOverload } from "../values/error.ts"
import { sizeOf } from "../values/size.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { Double, ErrorValue, ListValue, MapValue, type Result, Uint, type Value } from "../values/value.ts"
import { unsupported } from "./arithmetic.ts"
import { chargeText } from "../work.ts"

/** Types that have an order, by their word in the names of overloads. */
const ordered: readonly (readonly [string, CelType])[] = [
  ["bool", boolType],
  ["int64", intType],
  ["uint64", uintType],
  ["double", doubleType],
  ["string", stringType],
  ["bytes", bytesType],
  ["timestamp", timestampType],
  ["duration", durationType],
]
const numbers = ordered.filter(([word]) => word === "int64" || word === "uint64" || word === "double")

/** Overloads in the order of the reference: mixed numbers follow the overload of their first type. */
function orderOverloads(word: string): readonly Overload[] {
  return ordered.flatMap(([name, type]) => {
    const own = { id: `${word}_${name}`, args: [type, type], result: boolType }
    if (!numbers.some(([number]) => number === name)) return [own]
    const mixed = numbers
      .filter(([other]) => other !== name)
      .map(([other, otherType]) => ({ id: `${word}_${name}_${other}`, args: [type, otherType], result: boolType }))
    return [own, ...mixed]
  })
}

function hasOrder(value: Value): boolean {
  return (
    typeof value === "boolean" ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    typeof value === "string" ||
    value instanceof Double ||
    value instanceof Uint ||
    value instanceof Uint8Array ||
    value instanceof Timestamp ||
    value instanceof Duration
  )
}

function orderOperator(name: string, word: string, holds: (sign: number) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: orderOverloads(word),
    impl: (one, other) => {
      if (typeof one === "number" && typeof other === "number") return holds(one - other)
      if (one === undefined || other === undefined) return noSuchOverload()
      if (!hasOrder(one)) return unsupported(name, one)
      const sign = compare(one, other)
      return typeof sign === "number" ? holds(sign) : sign
    },
  }
}

/** `value in list`, `key in map`. */
export function contains(value: Value, container: Value): Result {
  if (container instanceof MapValue) {
    const found = container.find(value)
    return found instanceof ErrorValue ? found : found !== undefined
  }
  if (!(container instanceof ListValue)) return noSuchOverload()
  let failed: ErrorValue | undefined
  for (let index = 0; index < container.size; index++) {
    const element = container.at(index)
    const same = element instanceof ErrorValue ? element : equal(element, value)
    if (same === true) return true
    if (same instanceof ErrorValue) failed ??= same
  }
  return failed ?? false
}

function size(value: Value): Result {
  if (typeof value === "string") chargeText(value)
  const sized = typeof value === "string" || value instanceof Uint8Array || value instanceof ListValue || value instanceof MapValue
  return sized ? sizeOf(value) : unsupported("size", value)
}

const paramA = paramType("A")
const listOfA = listType(paramA)
const mapOfAB = mapType(paramA, paramType("B"))

function sizes(): readonly Overload[] {
  const sized: readonly (readonly [string, CelType])[] = [
    ["bytes", bytesType],
    ["list", listOfA],
    ["map", mapOfAB],
    ["string", stringType],
  ]
  return sized.flatMap(([word, type]) => [
    { id: `size_${word}`, args: [type], result: intType },
    { id: `${word}_size`, member: true, args: [type], result: intType },
  ])
}

export const comparison: readonly FunctionDeclaration[] = [
  orderOperator("_<_", "less", (sign) => sign < 0),
  orderOperator("_<=_", "less_equals", (sign) => sign <= 0),
  orderOperator("_>_", "greater", (sign) => sign > 0),
  orderOperator("_>=_", "greater_equals", (sign) => sign >= 0),
  { name: "_==_", impl: equal, overloads: [{ id: "equals", args: [paramA, paramA], result: boolType }] },
  {
    name: "_!=_",
    impl: (one, other) => one === undefined || other === undefined || equal(one, other) !== true,
    overloads: [{ id: "not_equals", args: [paramA, paramA], result: boolType }],
  },
  {
    name: "@in",
    impl: contains,
    overloads: [
      { id: "in_list", args: [paramA, listOfA], result: boolType },
      { id: "in_map", args: [paramA, mapOfAB], result: boolType },
    ],
  },
  { name: "size", impl: size, overloads: sizes() },
]
