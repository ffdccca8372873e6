/** Calls of functions: strict arguments, type guards where types are unknown, and the cost of the call. */
import type { DeclaredFunction } from "../check/declarations.ts"
import { type StandardCost, standardCost } from "../cost/runtime.ts"
import type { Impl, Overload } from "../declaration.ts"
import type { CelType } from "../types/type.ts"
import { noSuchOverload } from "../values/error.ts"
import { typeOf } from "../values/type-of.ts"
import { ErrorValue, ListValue, MapValue, type Result, type Value } from "../values/value.ts"
import type { Step } from "./frame.ts"

/** The implementation of a call with the overloads that the checker left. */
export function implementation(declared: DeclaredFunction, overloads: readonly string[], argTypes: readonly CelType[]): Impl {
  const [only, ...others] = overloads
  const known = others.length === 0 ? declared.overloads.find(({ id }) => id === only) : undefined
  if (known?.impl === undefined) return declared.impl ?? dispatching(declared)
  if (known.unguarded === true || !argTypes.some(isOpen)) return known.impl
  return guarded(declared.name, known, known.impl)
}

/** The value may have another type than the overload expects. */
function isOpen(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "any" || type.kind === "null" || type.parameters.some(isOpen)
}

function guarded(name: string, overload: Overload, impl: Impl): Impl {
  return (...args) => (fits(overload, args) ? impl(...args) : noOverload(name, args))
}

/** Tries every overload, because types are known only at run time. */
function dispatching({ name, overloads }: DeclaredFunction): Impl {
  return (...args) => {
    for (const overload of overloads) if (overload.impl !== undefined && fits(overload, args)) return overload.impl(...args)
    return noOverload(name, args)
  }
}

function noOverload(name: string, args: readonly Value[]): ErrorValue {
  return noSuchOverload(`${name}(${args.map((arg) => typeOf(arg).name).join(", ")})`)
}

function fits({ args: types }: Overload, args: readonly Value[]): boolean {
  return args.length === types.length && types.every((type, index) => isOfType(args[index] ?? null, type))
}

/** As in the reference, the first element decides the type of a list or map. */
function isOfType(value: Result, type: CelType): boolean {
  if (value instanceof ErrorValue) return false
  if (type.kind === "dyn" || type.kind === "any" || type.kind === "param") return true
  if (typeOf(value).name !== type.name) return false
  const [first, second] = type.parameters
  if (value instanceof ListValue) return first === undefined || value.size === 0 || isOfType(value.at(0), first)
  if (!(value instanceof MapValue) || first === undefined || second === undefined) return true
  const [key] = value.keys()
  return key === undefined || (isOfType(key, first) && isOfType(value.find(key) ?? null, second))
}

/** Cost of a library call, from all of its arguments. */
export type CallCost = (args: readonly Result[]) => number

/** The cost of a call; undefined: always 1. */
export interface Costs {
  readonly standard: StandardCost | undefined
  readonly library: CallCost | undefined
}

export function costsOf(declared: DeclaredFunction, overloads: readonly string[]): Costs {
  const overload = overloads.length === 1 ? (overloads[0] ?? "") : ""
  const standard = standardCost(overload)
  const { costs } = declared
  if (costs.length === 0) return { standard, library: undefined }
  const library: CallCost = (args) => {
    for (const cost of costs) {
      const found = cost(args, overload)
      if (found !== undefined) return found
    }
    return standard === undefined ? 1 : standard(args[0] ?? null, args[1] ?? null)
  }
  return { standard, library }
}

/**
 * A call with its arguments. It is charged before it is made, so that a call beyond the limit is never made. `early`:
 * later arguments are not evaluated after an error, and then the call is free.
 */
export function callStep(args: readonly Step[], impl: Impl, costs: Costs, early: boolean): Step {
  const [first, second] = args
  if (!early && args.length === 1 && first !== undefined) return unary(first, impl, costs)
  if (!early && args.length === 2 && first !== undefined && second !== undefined) {
    return binary(first, second, impl, costs)
  }
  return (frame) => {
    const values: Value[] = []
    for (const arg of args) {
      const value = arg(frame)
      if (value instanceof ErrorValue) {
        if (values.length === args.length - 1) frame.charge(costFor(costs, [...values, value]))
        return value
      }
      values.push(value)
    }
    frame.charge(costFor(costs, values))
    return impl(...values)
  }
}

/** A call whose function computes a result even for errors among its arguments. */
export function recoveringStep(args: readonly Step[], impl: Impl, costs: Costs, recover: NonNullable<DeclaredFunction["recover"]>): Step {
  return (frame) => {
    const results = args.map((arg) => arg(frame))
    const values = results.filter(isValue)
    const error = results.find((value) => value instanceof ErrorValue)
    frame.charge(costFor(costs, results))
    return error === undefined ? impl(...values) : (recover(results) ?? error)
  }
}

function isValue(result: Result): result is Value {
  return !(result instanceof ErrorValue)
}

function costFor({ standard, library }: Costs, args: readonly Result[]): number {
  if (library !== undefined) return library(args)
  return standard === undefined ? 1 : standard(args[0] ?? null, args[1] ?? null)
}

function unary(arg: Step, impl: Impl, { standard, library }: Costs): Step {
  return (frame) => {
    const value = arg(frame)
    if (library !== undefined) frame.charge(library([value]))
    else frame.charge(standard === undefined ? 1 : standard(value, null))
    return value instanceof ErrorValue ? value : impl(value)
  }
}

function binary(left: Step, right: Step, impl: Impl, { standard, library }: Costs): Step {
  return (frame) => {
    const one = left(frame)
    const other = right(frame)
    if (library !== undefined) frame.charge(library([one, other]))
    else frame.charge(standard === undefined ? 1 : standard(one, other))
    return one instanceof ErrorValue ? one : other instanceof ErrorValue ? other : impl(one, other)
  }
}
