/** The lists library: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
import type { FunctionDeclaration, Library, Overload } from "../declaration.ts"
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  paramType,
  stringType,
  timestampType,
  uintType,
} from "../types/type.ts"
import { compare } from "../values/compare.ts"
import { equal } from "../values/equal.ts"
import { errorOf, isError } from "../values/error.ts"
import { Duration } from "../values/time.ts"
import { Double, type ListValue, type Result, Uint, type Value } from "../values/value.ts"
import { add } from "../standard/arithmetic.ts"
import { costOf } from "./costs.ts"
import { listOfArgument, overElements } from "./narrow.ts"

type NamedType = readonly [name: string, type: CelType]

const ordered: readonly NamedType[] = [
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
  ["bool", boolType],
  ["duration", durationType],
  ["timestamp", timestampType],
  ["string", stringType],
  ["bytes", bytesType],
]

const summed: readonly (readonly [name: string, type: CelType, zero: Value])[] = [
  ["int", intType, 0],
  ["uint", uintType, new Uint(0)],
  ["double", doubleType, new Double(0)],
  ["duration", durationType, new Duration(0n)],
]

/** The order of two values; 0 for values without an order, such as NaN. */
function order(one: Value, other: Value): number {
  const result = compare(one, other)
  return isError(result) ? 0 : result
}

function isSorted(values: readonly Value[]): boolean {
  return values.every((value, index) => index === 0 || order(values[index - 1] ?? null, value) <= 0)
}

/** The element that comes first when `sign` is 1, last when it is -1. */
function extreme(values: readonly Value[], name: string, sign: number): Result {
  let found: Value | undefined
  for (const value of values) {
    if (found === undefined || order(found, value) === sign) found = value
  }
  return found ?? (values.length > 0 ? null : errorOf(`${name} called on empty list`))
}

function sum(values: readonly Value[], zero: Value): Result {
  let total: Result = zero
  for (const value of values) {
    total = add(total, value)
    if (isError(total)) return total
  }
  return total
}

function indexOf(list: ListValue, value: Value): number {
  return list.toArray().findIndex((element) => !isError(element) && equal(element, value) === true)
}

function lastIndexOf(list: ListValue, value: Value): number {
  return list.toArray().findLastIndex((element) => !isError(element) && equal(element, value) === true)
}

const element = paramType("A")

function searching(name: string, id: string, search: (list: ListValue, value: Value) => number): FunctionDeclaration {
  return {
    name,
    ...costOf(name),
    overloads: [
      {
        id,
        member: true,
        args: [listType(element), element],
        result: intType,
        impl: (list, value = null) => search(listOfArgument(list), value),
      },
    ],
  }
}

/** `list.min()` or `list.max()`. */
function choosing(name: string, sign: number): FunctionDeclaration {
  return { name, ...costOf(name), overloads: ordered.map(overload) }

  function overload([typeName, type]: NamedType): Overload {
    return {
      id: `list_${typeName}_${name}_${typeName}`,
      member: true,
      args: [listType(type)],
      result: type,
      impl: (list) => overElements(list, (values) => extreme(values, name, sign)),
    }
  }
}

export const listsLibrary: Library = {
  name: "k8s.lists",
  functions: [
    {
      name: "isSorted",
      ...costOf("isSorted"),
      overloads: ordered.map(([name, type]) => ({
        id: `list_${name}_is_sorted_bool`,
        member: true,
        args: [listType(type)],
        result: boolType,
        impl: (list) => overElements(list, isSorted),
      })),
    },
    {
      name: "sum",
      ...costOf("sum"),
      overloads: summed.map(([name, type, zero]) => ({
        id: `list_${name}_sum_${name}`,
        member: true,
        args: [listType(type)],
        result: type,
        impl: (list) => overElements(list, (values) => sum(values, zero)),
      })),
    },
    choosing("min", 1),
    choosing("max", -1),
    searching("indexOf", "list_a_index_of_int", indexOf),
    searching("lastIndexOf", "list_a_last_index_of_int", lastIndexOf),
  ],
}
