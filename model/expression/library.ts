/**
 * The dialect as a library of CEL: `??`, the functions that CEL lacks, overloads for quantities and mixed numbers, and
 * what each function gives for a value that is absent. Absent is CEL's error "no such key"; conditions take it as
 * false. Functions that CEL has keep their own implementation.
 */
import {
  type CelType,
  Double,
  doubleType,
  Duration,
  durationType,
  dynType,
  boolType,
  bytesType,
  errorOf,
  ErrorValue,
  type FunctionDeclaration,
  type Impl,
  intType,
  type Library,
  listOf,
  listType,
  ListValue,
  mapOf,
  mapType,
  MapValue,
  nullType,
  opaqueType,
  OpaqueValue,
  OptionalValue,
  optionalType,
  type Overload as CelOverload,
  paramType,
  type Result,
  stringType,
  Timestamp,
  timestampType,
  uintType,
  type Value,
} from "../../cel/index.ts"
import * as runtime from "../../runtime/schema/expression.ts"
import { Amount, Moment, orderMeasures, Span } from "../../runtime/schema/measures.ts"
import { expressionFunctions, type ExpressionFunction, type Overload } from "./functions.ts"
import { type ExpressionType, isSimple, type SimpleType } from "./types.ts"

/** Of a quantity: it compares and adds exactly. */
export const quantityType: CelType = opaqueType("quantity")

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

const simple: Readonly<Record<SimpleType, CelType>> = {
  dyn: dynType,
  null: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  duration: durationType,
  timestamp: timestampType,
  quantity: quantityType,
  intOrString: dynType,
}

/** CEL's type; `struct` gives those of objects. A number-or-text is any value: CEL has no type for it. */
export function celTypeOf(type: ExpressionType, struct: (name: string) => CelType = () => dynType): CelType {
  if ("list" in type) return listType(celTypeOf(type.list, struct))
  if ("map" in type) return mapType(stringType, celTypeOf(type.map, struct))
  return "struct" in type ? struct(type.struct) : simple[type.simple]
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

/** What functions that CEL has give where an argument is absent. Those that are not here are absent themselves. */
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

/** Functions that CEL lacks, or that take more than CEL's. */
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
  isIP: runtime.isIP,
  isIPv4: runtime.isIPv4,
  isIPv6: runtime.isIPv6,
  isCIDR: runtime.isCIDR,
  isFormat: (format, value) => runtime.isFormat(String(format), value),
  imageTag: runtime.imageTag,
}

const quantityPairs: readonly (readonly [string, CelType, CelType])[] = [
  ["quantity_quantity", quantityType, quantityType],
  ["quantity_int", quantityType, intType],
  ["int_quantity", intType, quantityType],
  ["quantity_double", quantityType, doubleType],
  ["double_quantity", doubleType, quantityType],
]
const numberPairs: readonly (readonly [string, CelType, CelType])[] = [
  ["int_double", intType, doubleType],
  ["double_int", doubleType, intType],
]

function pairs(name: string, of: readonly (readonly [string, CelType, CelType])[], impl: Plain, result: CelType): FunctionDeclaration {
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

const operators: readonly FunctionDeclaration[] = [
  {
    name: "_??_",
    impl: (...args) => orElse(args),
    recover: orElse,
    overloads: [
      { id: "or_else", args: [a, a], result: a },
      { id: "optional_or_else", args: [optionalType(a), a], result: a },
      { id: "int_or_else_double", args: [optionalType(intType), doubleType], result: doubleType },
      { id: "double_or_else_int", args: [optionalType(doubleType), intType], result: doubleType },
      { id: "struct_or_else", args: [optionalType(a), mapType(stringType, dynType)], result: a },
    ],
  },
  ...Object.entries({ "_==_": true, "_!=_": false }).map(
    ([name, same]): FunctionDeclaration => ({
      name,
      overloads: [...quantityPairs, ...numberPairs, ["value_null", a, nullType] as const, ["null_value", nullType, a] as const].map(
        ([id, left, right]) => ({
          id: `dialect_${name}_${id}`,
          args: [left, right],
          result: boolType,
          impl: plainly((one, other) => runtime.equals(one, other) === same),
        }),
      ),
    }),
  ),
  pairs("_<_", quantityPairs, runtime.less, boolType),
  pairs("_<=_", quantityPairs, runtime.atMost, boolType),
  pairs("_>_", quantityPairs, (left, right) => runtime.less(right, left), boolType),
  pairs("_>=_", quantityPairs, (left, right) => runtime.atMost(right, left), boolType),
  pairs("_+_", quantityPairs, runtime.add, quantityType),
  pairs("_-_", quantityPairs, runtime.subtract, quantityType),
  pairs("_+_", numberPairs, runtime.add, doubleType),
  pairs("_-_", numberPairs, runtime.subtract, doubleType),
  pairs("_*_", numberPairs, runtime.multiply, doubleType),
  pairs("_/_", numberPairs, runtime.quotient, doubleType),
  pairs("_%_", [...numberPairs, ["double_double", doubleType, doubleType]], runtime.remainder, doubleType),
  {
    name: "_?_:_",
    overloads: numberPairs.map(([id, yes, no]) => ({ id: `conditional_${id}`, args: [boolType, yes, no], result: doubleType })),
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
  { name: "-_", overloads: [{ id: "negate_quantity", args: [quantityType], result: quantityType, impl: plainly(runtime.negate) }] },
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
      if (!made.has(id)) made.set(id, { id, args, result: celTypeOf(overload.result), ...(isMember && { member: true }) })
    }
  }
  return [...made.values()]
}

const repeatedMax = 16

function argumentLists({ parameters, optional, variadic }: Overload): readonly (readonly CelType[])[] {
  const types = parameters.map((type) => celTypeOf(type))
  const least = types.length - optional
  const [first = dynType] = types
  const lists = variadic
    ? Array.from({ length: repeatedMax }, (_, index) => Array.from({ length: index + 1 }, () => first))
    : Array.from({ length: optional + 1 }, (_, index) => types.slice(0, least + index))
  return lists.flatMap((list) => (list.includes(doubleType) ? [list, list.map((type) => (type === doubleType ? intType : type))] : [list]))
}

/** Functions of CEL that the dialect uses as they are. */
const celOwn: ReadonlySet<string> = new Set(["size", "startsWith", "endsWith", "contains", "matches"])

/** `outside`: functions that read more than the object, such as the time: `age`, `vendor`, `behaviour`. */
export function dialectLibrary(outside: Readonly<Record<string, Plain>> = {}): Library {
  const functions = [...expressionFunctions.values()].filter(({ name }) => !celOwn.has(name) && name !== "has")
  return {
    name: "dialect",
    errorsAreFalse: true,
    operators: [{ symbol: "??", function: "_??_" }],
    functions: [
      ...operators,
      ...functions.map((row): FunctionDeclaration => {
        const call = own[row.name] ?? outside[row.name] ?? (() => undefined)
        const isDouble = row.overloads.every(({ result }) => isSimple(result, "double"))
        const impl: Impl = plainly(call, isDouble)
        return { name: row.name, overloads: overloadsOf(row), impl, recover: (args) => plainly(call, isDouble)(...args) }
      }),
      ...Object.entries(ofAbsent).map(([name, recover]): FunctionDeclaration => ({ name, overloads: [], recover })),
    ],
  }
}
