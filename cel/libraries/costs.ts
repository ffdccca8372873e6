/**
 * Costs of library calls, at run time and estimated. Limits of rules are compared with these numbers, so they are part
 * of the API: both servers accept the same rules.
 */
import {
  addBounds,
  type Bounds,
  bounds,
  multiplyBounds,
  patternLengthFactor,
  scaleBounds,
  stringTraversalFactor,
  unbounded,
} from "../cost/bounds.ts"
import type { CallEstimate, EstimatedCall, FunctionDeclaration, SizedNode } from "../declaration.ts"
import { sizeOf } from "../values/size.ts"
import { ErrorValue, ListValue, MapValue, type Result } from "../values/value.ts"

type Cost = NonNullable<FunctionDeclaration["cost"]>
type Estimate = NonNullable<FunctionDeclaration["estimate"]>
type Costs = Pick<FunctionDeclaration, "cost" | "estimate">

const one = bounds(1)
/** Bytes of an address. */
const addressSize = bounds(4, 16)
/** The cost of an authorization check: one evaluation can afford about two. */
const checkCost = 350_000

/** Rounded up. */
function scaled(value: Result | undefined, factor: number): number {
  return value === undefined ? 0 : Math.ceil(sizeOf(value) * factor)
}

const constantly = (cost: number): Costs => ({ cost: () => cost, estimate: () => ({ cost: bounds(cost) }) })

/** Cost of traversing the first argument, whether it is the target or not. */
const traversing = (factor: number): Cost => {
  return ([first]) => scaled(first, factor)
}

const parsingEstimate = (factor: number): Estimate => {
  return (call) => (call.args[0] === undefined ? undefined : { cost: scaleBounds(call.sizeOf(call.args[0]), factor) })
}

/** Cost of parsing a function's only argument. */
const parsing = (factor = stringTraversalFactor): Costs => ({
  cost: traversing(factor),
  estimate: parsingEstimate(factor),
})

const changing: Costs = {
  cost: traversing(stringTraversalFactor),
  estimate: (call) => {
    if (call.target === undefined) return undefined
    const size = call.sizeOf(call.target)
    return { cost: scaleBounds(size, stringTraversalFactor), resultSize: size }
  },
}

/** Cost of traversing a value: texts by their bytes, lists and maps by their contents. */
function traversalCost(value: Result): number {
  if (typeof value === "string") return Math.trunc(Buffer.byteLength(value) * stringTraversalFactor)
  if (value instanceof Uint8Array) return Math.trunc(value.length * stringTraversalFactor)
  if (value instanceof MapValue) return mapTraversalCost(value)
  if (!(value instanceof ListValue)) return 1
  let sum = 0
  for (const element of value.toArray()) sum += traversalCost(element)
  return sum
}

function mapTraversalCost(map: MapValue): number {
  let sum = 0
  for (const key of map.keys()) sum += traversalCost(key) + traversalCost(map.find(key) ?? null)
  return sum
}

/** Functions that visit each element of a list once, and two functions of the same names for strings. */
const walking: Costs = {
  cost: ([list]) => (list === undefined ? 0 : traversalCost(list)),
  estimate: (call) => {
    if (call.target === undefined) return undefined
    const element = call.elementOf(call.target)
    const size = call.sizeOf(call.target)
    if (element === undefined) return { cost: scaleBounds(size, stringTraversalFactor) }
    const texts = element.type.kind === "string" || element.type.kind === "bytes"
    const each = texts ? addBounds(one, scaleBounds(call.sizeOf(element), stringTraversalFactor)) : one
    return { cost: multiplyBounds(size, each) }
  },
}

const replacing: Costs = {
  cost: traversing(2 * stringTraversalFactor),
  estimate: (call) => {
    const [old, replacement] = call.args
    if (call.target === undefined || old === undefined || replacement === undefined) return undefined
    const size = call.sizeOf(call.target)
    return {
      cost: scaleBounds(size, 2 * stringTraversalFactor),
      resultSize: replacedSize(size, call.sizeOf(old), call.sizeOf(replacement)),
    }
  },
}

function replacedSize(size: Bounds, old: Bounds, replacement: Bounds): Bounds {
  const longest =
    old.min === 0n
      ? { count: around(size.max), kept: size.max }
      : replacement.max <= old.min
        ? { count: 0n, kept: size.max }
        : { count: quotient(size.max, old.min), kept: 0n }
  const shortest =
    old.max === 0n
      ? { count: around(size.min), kept: size.min }
      : old.max <= replacement.min
        ? { count: 0n, kept: size.min }
        : { count: quotient(size.min, old.max), kept: 0n }
  const counts = { min: shortest.count, max: longest.count }
  return addBounds(multiplyBounds(counts, replacement), { min: shortest.kept, max: longest.kept })
}

/** An empty text is replaced before and after each character. */
function around(size: bigint): bigint {
  return size < unbounded ? size + 1n : size
}

/** Rounded up, in floating point as the reference computes it. */
function quotient(size: bigint, part: bigint): bigint {
  const count = Math.ceil(Number(size) / Number(part))
  return count >= 2 ** 64 ? unbounded : BigInt(count)
}

const splitting: Costs = {
  cost: traversing(2 * stringTraversalFactor),
  estimate: (call) => {
    if (call.target === undefined) return undefined
    const size = call.sizeOf(call.target)
    return {
      cost: scaleBounds(size, 2 * stringTraversalFactor),
      resultSize: { min: 0n, max: literalLimit(call.args[1]) ?? size.max },
    }
  },
}

/** The limit of parts, if it is a literal number. A negative one reads as an unsigned number in the reference. */
function literalLimit(limit: SizedNode | undefined): bigint | undefined {
  if (limit?.expr?.kind !== "constant") return undefined
  return limit.expr.constant.type === "int" ? BigInt.asUintN(64, limit.expr.constant.value) : 0n
}

const joining: Costs = {
  cost: ([list, separator]) => Math.ceil(joinedSize(list, separator) * 2 * stringTraversalFactor),
  estimate: (call) => {
    if (call.target === undefined) return undefined
    const count = call.sizeOf(call.target)
    const element = call.elementOf(call.target)
    const [separator] = call.args
    let size = element === undefined ? bounds(0) : multiplyBounds(count, call.sizeOf(element))
    if (separator !== undefined) size = addBounds(size, multiplyBounds(call.sizeOf(separator), oneLess(count)))
    return { cost: scaleBounds(size, stringTraversalFactor), resultSize: size }
  },
}

/** The characters of the joined text; 1 for an error. */
function joinedSize(list: Result | undefined, separator: Result | undefined): number {
  if (!(list instanceof ListValue)) return 1
  let size = Math.max(list.size - 1, 0) * (typeof separator === "string" ? sizeOf(separator) : 0)
  for (const part of list.toArray()) {
    if (typeof part !== "string") return 1
    size += sizeOf(part)
  }
  return separator instanceof ErrorValue ? 1 : size
}

function oneLess(count: Bounds): Bounds {
  return { min: count.min > 0n ? count.min - 1n : 0n, max: count.max > 0n ? count.max - 1n : 0n }
}

const finding: Costs = {
  cost: ([text, pattern]) => {
    if (text === undefined) return undefined
    return Math.ceil((1 + sizeOf(text)) * stringTraversalFactor) * scaled(pattern, patternLengthFactor)
  },
  estimate: (call) => {
    const [pattern] = call.args
    if (call.target === undefined || pattern === undefined) return undefined
    const size = call.sizeOf(call.target)
    const text = scaleBounds(addBounds(size, one), stringTraversalFactor)
    return {
      cost: multiplyBounds(text, scaleBounds(call.sizeOf(pattern), patternLengthFactor)),
      resultSize: { min: 0n, max: size.max },
    }
  },
}

/** `ip(text)` parses; `cidr.ip()` reads a field. */
const addressing: Costs = {
  cost: ([text], overload) => (overload === "cidr_ip" ? 1 : scaled(text, stringTraversalFactor)),
  estimate: (call) => parsingEstimate(stringTraversalFactor)(call) ?? { cost: one },
}

/** Cost of comparing two addresses, and of parsing the second when it is a text. */
function containing(textOverload: string, masking: boolean): Costs {
  return {
    cost: ([range, other], overload) => {
      if (range === undefined) return undefined
      const size = sizeOf(range)
      const compared = Math.ceil(2 * size * stringTraversalFactor)
      const masked = masking ? Math.ceil(size * stringTraversalFactor) + 1 : 0
      return compared + masked + (overload === textOverload ? scaled(other, stringTraversalFactor) : 0)
    },
    estimate: (call) => {
      const compared = scaleBounds(addBounds(addressSize, addressSize), stringTraversalFactor)
      const masked = masking ? addBounds(scaleBounds(addressSize, stringTraversalFactor), one) : bounds(0)
      const parsed = call.overload === textOverload ? parsedCost(call) : bounds(0)
      return { cost: addBounds(addBounds(compared, masked), parsed) }
    },
  }
}

function parsedCost(call: EstimatedCall): Bounds {
  return parsingEstimate(stringTraversalFactor)(call)?.cost ?? bounds(0)
}

/** Cost of comparing each element of one list with each element of the other, `factor` times. */
export function comparingLists(factor: number): Costs {
  return {
    cost: ([first, second]) => {
      return first === undefined || second === undefined ? undefined : 1 + sizeOf(first) * sizeOf(second) * factor
    },
    estimate: (call): CallEstimate | undefined => {
      const [first, second] = call.args
      if (first === undefined || second === undefined) return undefined
      const pairs = multiplyBounds(call.sizeOf(first), call.sizeOf(second))
      return { cost: addBounds(scaleBounds(pairs, factor), one) }
    },
  }
}

const table: Readonly<Record<string, Costs>> = {
  check: constantly(checkCost),
  isSorted: walking,
  sum: walking,
  max: walking,
  min: walking,
  indexOf: walking,
  lastIndexOf: walking,
  url: parsing(),
  lowerAscii: changing,
  upperAscii: changing,
  substring: changing,
  trim: changing,
  replace: replacing,
  split: splitting,
  join: joining,
  find: finding,
  findAll: finding,
  cidr: parsing(),
  isIP: parsing(),
  isCIDR: parsing(),
  ip: addressing,
  "ip.isCanonical": parsing(2 * stringTraversalFactor),
  containsIP: containing("cidr_contains_ip_string", false),
  containsCIDR: containing("cidr_contains_cidr_string", true),
  quantity: parsing(),
  isQuantity: parsing(),
}

const nothing: Costs = {}

/** The costs of a function of the libraries, for its declaration. Functions that are not in the table cost 1. */
export function costOf(name: string): Costs {
  return table[name] ?? nothing
}
