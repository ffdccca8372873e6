/**
 * Evaluates JSONPath like client-go's util/jsonpath, with missing keys allowed. The work of one evaluation is limited,
 * since a path with several descents visits an object many times.
 */
import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts"
import { ownField } from "../../../encoding/field-path.ts"
import { rowVisitsMax } from "../../limits.ts"
import { isInt64 } from "../numbers.ts"
import type { Slice, Step, Steps } from "./path.ts"

/** The path does not fit the value, or visits too many of its parts. The messages are the reference's. */
export class PathFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = "PathFault"
  }
}

/** Counts the values that paths visit, shared by the paths of several columns. */
export class Visits {
  private count = 0

  get areOver(): boolean {
    return this.count > rowVisitsMax
  }

  /** Throws PathFault. */
  add(count: number): void {
    this.count += count
    if (this.areOver) throw new PathFault(`the paths visit more than ${rowVisitsMax} values`)
  }
}

/** The values at a path, in document order; none if it leads nowhere. Throws PathFault. */
export function valuesAt(steps: Steps, object: JsonObject, visits = new Visits()): readonly JsonValue[] {
  // Most columns name fields only.
  let value: JsonValue | undefined = object
  for (const step of steps) {
    if (step.step !== "field") return new Evaluation(visits).run(steps, [object])
    value = isObject(value) ? ownField(value, step.name) : undefined
  }
  return value === undefined ? [] : [value]
}

function fieldOf(value: JsonValue, name: string): JsonValue[] {
  const field = isObject(value) ? ownField(value, name) : undefined
  return field === undefined ? [] : [field]
}

class Evaluation {
  constructor(private readonly visits: Visits) {}

  run(steps: Steps, input: readonly JsonValue[]): readonly JsonValue[] {
    let values = input
    for (const step of steps) values = this.step(step, values)
    return values
  }

  private step(step: Step, input: readonly JsonValue[]): readonly JsonValue[] {
    this.visit(input.length)
    switch (step.step) {
      case "field":
        return input.flatMap((value) => fieldOf(value, step.name))
      case "slice":
        return input.flatMap((value) => this.slice(value, step.slice))
      case "filter":
        return input.flatMap((value) => this.filter(value, step))
      case "union":
        return step.of.flatMap((steps) => this.run(steps, input))
      case "wildcard":
        return input.flatMap((value) => this.children(value))
      case "descent":
        return this.descent(input)
      case "literal":
        return typeof step.value === "string" ? [step.value] : input.map(() => step.value)
      default:
        throw new PathFault(`unrecognized identifier ${step.word}`)
    }
  }

  private visit(count: number): void {
    this.visits.add(count + 1)
  }

  private slice(value: JsonValue, { from: first, to: last, isOne, by = 1 }: Slice): readonly JsonValue[] {
    if (value === null) return []
    if (!Array.isArray(value)) throw new PathFault("the value is not array or slice")
    const { length } = value
    let from = first ?? 0
    if (from < 0) from += length
    let to = last ?? length
    if (to < 0 || (to === 0 && isOne)) to += length
    if (from === to) return []
    if (from >= length || from < 0) throw new PathFault(`array index out of bounds: index ${from}, length ${length}`)
    if (to > length || to < 0) throw new PathFault(`array index out of bounds: index ${to - 1}, length ${length}`)
    if (from > to) throw new PathFault(`starting index ${from} is greater than ending index ${to}`)
    if (by <= 0) throw new PathFault("step must be > 0")
    this.visit(to - from)
    const items = value.slice(from, to)
    return by === 1 ? items : items.filter((_item, index) => index % by === 0)
  }

  /** Fields, items, or the bytes of a text. */
  private children(value: JsonValue): readonly JsonValue[] {
    if (typeof value === "string") {
      this.visit(value.length)
      return [...Buffer.from(value)]
    }
    if (typeof value !== "object" || value === null) return []
    const children = Array.isArray(value) ? value : Object.values(value).filter((field) => field !== undefined)
    this.visit(children.length)
    return children
  }

  private descent(input: readonly JsonValue[]): readonly JsonValue[] {
    return input.flatMap((value) => {
      const children = this.children(value)
      return children.length === 0 ? [] : [value, ...this.descent(children)]
    })
  }

  private filter(value: JsonValue, step: Extract<Step, { step: "filter" }>): readonly JsonValue[] {
    if (!Array.isArray(value)) throw new PathFault("the value is not array or slice and cannot be filtered")
    return value.filter((item) => this.passes(item, step))
  }

  private passes(item: JsonValue, { left, right, operator }: Extract<Step, { step: "filter" }>): boolean {
    if (operator === "exists") return this.exists(item, left)
    const one = onlyOf(this.run(left, [item]))
    const other = one === undefined ? undefined : onlyOf(this.run(right, [item]))
    return one !== undefined && other !== undefined && compare(one, other, operator, isFloat(right))
  }

  private exists(item: JsonValue, path: Steps): boolean {
    try {
      return this.run(path, [item]).length > 0
    } catch (error) {
      // A path that does not fit still yields the values so far.
      if (error instanceof PathFault && !this.visits.areOver) return true
      throw error
    }
  }
}

function isFloat(steps: Steps): boolean {
  const last = steps.at(-1)
  return last?.step === "literal" && last.isFloat
}

function onlyOf(values: readonly JsonValue[]): JsonValue | undefined {
  if (values.length > 1) throw new PathFault("can only compare one element at a time")
  return values[0]
}

type BasicKind = "bool" | "int" | "float" | "string"

function kindOf(value: JsonValue, isFloatLiteral = false): BasicKind {
  switch (typeof value) {
    case "boolean":
      return "bool"
    case "string":
      return "string"
    case "number":
    case "bigint":
      return isFloatLiteral || !isInt64(value) ? "float" : "int"
    default:
      throw new PathFault("invalid type for comparison")
  }
}

function compare(left: JsonValue, right: JsonValue, operator: string, isFloatLiteral: boolean): boolean {
  const kind = kindOf(left)
  if (kind !== kindOf(right, isFloatLiteral)) throw new PathFault("incompatible types for comparison")
  const isOrder = operator !== "==" && operator !== "!="
  if (isOrder && kind === "bool") throw new PathFault("invalid type for comparison")
  switch (operator) {
    case "==":
      return left === right
    case "!=":
      return left !== right
    case "<":
      return isLess(left, right)
    case ">=":
      return !isLess(left, right)
    case ">":
      return isLess(right, left)
    case "<=":
      return !isLess(right, left)
    default:
      throw new PathFault(`unrecognized filter operator ${operator}`)
  }
}

function isLess(left: JsonValue, right: JsonValue): boolean {
  return left !== null && right !== null && left < right
}
