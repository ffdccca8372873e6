/**
 * The dialect as a library of CEL: `??`, the functions that CEL lacks, overloads for quantities and mixed numbers, and
 * the result of each function for an absent value. Absent is CEL's error "no such key"; conditions take it as false.
 * Functions that CEL has keep their own implementation.
 */
import {
  type CelType,
  Double,
  doubleType,
  Duration,
  durationType,
  dynType,
  boolType,
  errorOf,
  ErrorValue,
  type FunctionDeclaration,
  type Impl,
  intType,
  isAssignable,
  type Library,
  listOf,
  listType,
  ListValue,
  mapOf,
  mapType,
  MapValue,
  OpaqueValue,
  OptionalValue,
  optionalType,
  type Overload as CelOverload,
  paramType,
  type Result,
  stringType,
  Timestamp,
  type Value,
} from "../../cel/index.ts"
import * as runtime from "../../runtime/schema/expression.ts"
import * as formats from "../../runtime/schema/expression-formats.ts"
import { isSelector, matchesSelector } from "../../runtime/schema/selectors.ts"
import { Amount, Moment, orderMeasures, Span } from "../../runtime/schema/measures.ts"
import { expressionFunctions, type ExpressionFunction, type Overload } from "./functions.ts"
import { intOrStringType, isSimple, itemType, quantityType, valueType } from "./types.ts"

/** A quantity as a value of expressions. */
export class QuantityValue extends OpaqueValue {
  readonly type = quantityType

  constructor(readonly amount: Amount) {
    super()
  }

  equals(other: Value): boolean {
    return orderMeasures(this.amount, plainOf(other)) === 0
  }
}

const billion = 1_000_000_000n

/** A value of CEL as the functions of compiled expressions take it. Absent is undefined. */
export function plainOf(value: Result): runtime.Value {
  if (value instanceof ErrorValue) return undefined
  if (value instanceof Double) return value.value
  if (value instanceof QuantityValue) return value.amount
  if (value instanceof Duration) return new Span(value.nanos)
  if (value instanceof Timestamp) return new Moment(BigInt(value.seconds) * billion + BigInt(value.nanos))
  if (value instanceof OptionalValue) return value.value === undefined ? undefined : plainOf(value.value)
  if (value instanceof ListValue) return value.toArray().map(plainOf)
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => [String(plainOf(key)), runtime.json(plainOf(value.find(key) ?? null))] as const)
    return Object.fromEntries(entries.filter(([, one]) => one !== undefined))
  }
  return value === null || typeof value !== "object" ? value : undefined
}

/** The inverse of `plainOf`. `double`: a number is one with a fraction. */
export function celValueOf(value: runtime.Value, isDouble = false): Result {
  if (value === undefined) return errorOf("absent")
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value
  if (typeof value === "number") return isDouble || !Number.isInteger(value) ? new Double(value) : value
  if (value instanceof Amount) return new QuantityValue(value)
  if (value instanceof Span) return new Duration(value.nanoseconds)
  if (value instanceof Moment) return timestampOf(value.nanoseconds)
  if (Array.isArray(value)) return listOf(value.map((one: runtime.Value) => valueOrNull(celValueOf(one))))
  return mapOf(Object.entries(value).map(([key, one]) => [key, valueOrNull(celValueOf(one))] as const))
}

function valueOrNull(result: Result): Value {
  return result instanceof ErrorValue ? null : result
}

function timestampOf(nanoseconds: bigint): Timestamp {
  const nanos = ((nanoseconds % billion) + billion) % billion
  return new Timestamp(Number((nanoseconds - nanos) / billion), Number(nanos))
}

/** Calls a function of compiled expressions. */
function plainly(call: (...args: runtime.Value[]) => runtime.Value, isDouble = false): (...args: Result[]) => Result {
  return (...args) => celValueOf(call(...args.map(plainOf)), isDouble)
}

/** Results of CEL's own functions for an absent argument. Functions that are not listed give absent. */
const ofAbsent: Readonly<Record<string, (args: readonly Result[]) => Result>> = {
  "_==_": ([left, right]) => isAbsent(left) && isAbsent(right),
  "_!=_": ([left, right]) => !(isAbsent(left) && isAbsent(right)),
  "_<_": () => false,
  "_<=_": () => false,
  "_>_": () => false,
  "_>=_": () => false,
  "@in": () => false,
  "!_": () => true,
  size: () => 0,
  startsWith: () => false,
  endsWith: () => false,
  contains: () => false,
  matches: () => false,
}

function isAbsent(value: Result | undefined): boolean {
  return value === undefined || value === null || value instanceof ErrorValue
}

type Plain = (...args: runtime.Value[]) => runtime.Value

/** Functions that CEL lacks, or that accept more than CEL's. */
const own: Readonly<Record<string, Plain>> = {
  lowerAscii: runtime.lowerAscii,
  trim: runtime.trim,
  split: runtime.split,
  join: runtime.join,
  count: runtime.size,
  type: runtime.typeName,
  string: runtime.text,
  int: runtime.int,
  double: runtime.double,
  quantity: runtime.quantity,
  duration: runtime.duration,
  time: runtime.time,
  timestamp: runtime.time,
  min: runtime.min,
  max: runtime.max,
  sum: runtime.sum,
  isIP: formats.isIP,
  isIPv4: formats.isIPv4,
  isIPv6: formats.isIPv6,
  isCIDR: formats.isCIDR,
  matchesSelector,
  isSelector,
  isFormat: (format, value) => formats.isFormat(String(format), value),
  imageTag: formats.imageTag,
}

type Pair = readonly [id: string, left: CelType, right: CelType]

const quantityPairs: readonly Pair[] = [
  ["quantity_quantity", quantityType, quantityType],
  ["quantity_int", quantityType, intType],
  ["int_quantity", intType, quantityType],
  ["quantity_double", quantityType, doubleType],
  ["double_quantity", doubleType, quantityType],
]
/** A number-or-text is compared with a number and with a text. */
const eitherPairs: readonly Pair[] = [
  ["either_int", intOrStringType, intType],
  ["int_either", intType, intOrStringType],
  ["either_string", intOrStringType, stringType],
  ["string_either", stringType, intOrStringType],
]
const eitherOrder: readonly Pair[] = [...eitherPairs, ["either_either", intOrStringType, intOrStringType]]
const numberPairs: readonly Pair[] = [
  ["int_double", intType, doubleType],
  ["double_int", doubleType, intType],
]

function pairs(name: string, of: readonly Pair[], impl: Plain, result: CelType): FunctionDeclaration {
  return {
    name,
    overloads: of.map(([id, left, right]) => ({
      id: `dialect_${name}_${id}`,
      args: [left, right],
      result,
      impl: plainly(impl, result === doubleType),
    })),
  }
}

const a = paramType("A")
const orElse = ([left, right]: readonly Result[]): Result => {
  const value = left instanceof OptionalValue ? left.value : left
  return value === undefined || value === null || value === "" || value instanceof ErrorValue ? (right ?? null) : value
}

interface Either {
  readonly id: string
  readonly left: CelType
  readonly right: CelType
  readonly result: CelType
}

/** Overloads that choose between two values: of one type, or of two types with a common type. */
function either(name: string, same: CelType): readonly Either[] {
  const rows = (pairsOf: readonly Pair[], result: CelType): Either[] =>
    pairsOf.map(([id, left, right]) => ({ id: `${name}_${id}`, left, right, result }))
  return [{ id: name, left: same, right: same, result: same }, ...rows(numberPairs, doubleType), ...rows(eitherPairs, intOrStringType)]
}

const operators: readonly FunctionDeclaration[] = [
  {
    name: "_??_",
    impl: (...args) => orElse(args),
    recover: orElse,
    overloads: [
      ...either("or_else", a).map(({ id, left, right, result }) => ({ id, args: [left, right], result })),
      ...either("or_else", a).map(({ id, left, right, result }) => ({ id: `optional_${id}`, args: [optionalType(left), right], result })),
      { id: "struct_or_else", args: [optionalType(a), mapType(stringType, dynType)], result: a },
    ],
  },
  ...Object.entries({ "_==_": true, "_!=_": false }).map(
    ([name, same]): FunctionDeclaration => ({
      name,
      overloads: [...quantityPairs, ...numberPairs, ...eitherPairs].map(([id, left, right]) => ({
        id: `dialect_${name}_${id}`,
        args: [left, right],
        result: boolType,
        impl: plainly((one, other) => runtime.equals(one, other) === same),
      })),
    }),
  ),
  pairs("_<_", [...quantityPairs, ...eitherOrder], runtime.less, boolType),
  pairs("_<=_", [...quantityPairs, ...eitherOrder], runtime.atMost, boolType),
  pairs("_>_", [...quantityPairs, ...eitherOrder], (left, right) => runtime.less(right, left), boolType),
  pairs("_>=_", [...quantityPairs, ...eitherOrder], (left, right) => runtime.atMost(right, left), boolType),
  pairs("_+_", quantityPairs, runtime.add, quantityType),
  pairs("_-_", quantityPairs, runtime.subtract, quantityType),
  pairs("_+_", numberPairs, runtime.add, doubleType),
  pairs("_-_", numberPairs, runtime.subtract, doubleType),
  pairs("_*_", numberPairs, runtime.multiply, doubleType),
  pairs("_/_", numberPairs, runtime.quotient, doubleType),
  pairs("_%_", [...numberPairs, ["double_double", doubleType, doubleType]], runtime.remainder, doubleType),
  {
    name: "_?_:_",
    overloads: either("conditional", a).map(({ id, left, right, result }) => ({ id, args: [boolType, left, right], result })),
  },
  {
    name: "@in",
    overloads: eitherPairs.map(([id, left, right]) => ({ id: `in_${id}`, args: [left, listType(right)], result: boolType })),
  },
  {
    name: "_[_]",
    overloads: [
      { id: "index_list_either", args: [listType(a), intOrStringType], result: a },
      { id: "index_map_either", args: [mapType(stringType, a), intOrStringType], result: a },
    ],
  },
  {
    name: "_+_",
    overloads: [
      {
        id: "add_maps",
        args: [mapType(a, paramType("B")), mapType(a, paramType("B"))],
        result: mapType(a, paramType("B")),
        impl: plainly(runtime.add),
      },
    ],
  },
  {
    name: "-_",
    overloads: [
      { id: "negate_quantity", args: [quantityType], result: quantityType, impl: plainly(runtime.negate) },
      { id: "negate_duration", args: [durationType], result: durationType },
    ],
  },
  {
    name: "@has",
    impl: (value) => runtime.present(plainOf(value)),
    recover: () => false,
    overloads: [{ id: "has_value", args: [dynType], result: boolType }],
  },
]

/** The overloads of a row of the table; a whole number may be given where a double is expected. */
function overloadsOf({ name, form, overloads }: ExpressionFunction): readonly CelOverload[] {
  const made = new Map<string, CelOverload>()
  for (const overload of overloads) {
    for (const args of argumentLists(overload)) {
      const isMember = form === "method"
      const id = `dialect_${name}_${args.map((type) => [type.name, ...type.parameters.map((inner) => inner.name)].join("_")).join("_")}`
      if (!made.has(id)) made.set(id, { id, args, result: overload.result, ...(isMember && { member: true }) })
    }
  }
  return [...made.values()]
}

const repeatedMax = 16

function argumentLists({ parameters: types, optional, variadic }: Overload): readonly (readonly CelType[])[] {
  const least = types.length - optional
  const [first = dynType] = types
  // All arguments of a variadic function have one type.
  if (variadic)
    return Array.from({ length: repeatedMax }, (_, index) => index + 1).flatMap((count) =>
      accepted(first).map((type) => Array.from({ length: count }, () => type)),
    )
  return Array.from({ length: optional + 1 }, (_, index) => combinations(types.slice(0, least + index))).flat()
}

/** Types that a parameter or a field accepts: a double also an int, a number-or-text either of the two. */
function accepted(type: CelType): readonly CelType[] {
  if (type === doubleType) return [type, intType]
  if (type === intOrStringType) return [type, intType, stringType]
  return type === stringType || type === intType ? [type, intOrStringType] : [type]
}

/** Whether a field of one type takes a value of another, by CEL's rule and the same exceptions as for functions. */
export function isAssignableTo(field: CelType, type: CelType): boolean {
  if (field.kind === "list" && type.kind === "list") return isAssignableTo(itemType(field), itemType(type))
  if (field.kind === "map" && type.kind === "map") return isAssignableTo(valueType(field), valueType(type))
  return accepted(field).some((to) => isAssignable(type, to))
}

function combinations([first, ...rest]: readonly CelType[]): readonly (readonly CelType[])[] {
  if (first === undefined) return [[]]
  const others = combinations(rest)
  return accepted(first).flatMap((type) => others.map((list) => [type, ...list]))
}

/** Functions that CEL computes as the dialect does; their types come from the table. */
const celOwn: ReadonlySet<string> = new Set(["size", "startsWith", "endsWith", "contains", "matches"])

/** `outside`: functions that read more than the object, such as the time: `age`, `vendor`, `behaviour`. */
export function dialectLibrary(outside: Readonly<Record<string, Plain>> = {}): Library {
  const functions = [...expressionFunctions.values()].filter(({ name }) => name !== "has")
  return {
    name: "dialect",
    errorsAreFalse: true,
    operators: [{ symbol: "??", function: "_??_" }],
    functions: [
      ...operators,
      ...functions.map((row): FunctionDeclaration => {
        const overloads = overloadsOf(row)
        if (celOwn.has(row.name)) return { name: row.name, replaces: true, overloads }
        const call = own[row.name] ?? outside[row.name] ?? (() => undefined)
        const isDouble = row.overloads.every(({ result }) => isSimple(result, "double"))
        const impl: Impl = plainly(call, isDouble)
        // Every overload gets `impl`, so that none keeps CEL's implementation, which has other texts and units.
        const all = overloads.map((overload) => ({ ...overload, impl }))
        return { name: row.name, replaces: true, overloads: all, recover: (args) => plainly(call, isDouble)(...args) }
      }),
      ...Object.entries(ofAbsent).map(([name, recover]): FunctionDeclaration => ({ name, overloads: [], recover })),
    ],
  }
}
