/**
 * Field references that a client sorts or selects by, in the forms of `kubectl --sort-by`: `.spec.replicas`,
 * `{.metadata.name}`, `spec.containers[0].image`, `metadata.labels['a.b/c']`, `metadata.labels.a\.b/c`. The kind's
 * shape decides whether the field exists and how its values compare.
 */
import { badRequest } from "../base/errors.ts"
import type { ApiError } from "../base/errors.ts"
import { fieldReferenceStepsMax } from "../base/limits.ts"
import { ownField } from "../encoding/field-path.ts"
import { isObject } from "../base/json.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { nearest } from "../base/nearest.ts"
import { cut } from "../base/quote.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../schema/shape.ts"

/** A field name or map key, or the index of a list item; negative ones count from the end. */
export type FieldStep = string | number

/** A scalar field of one kind. */
export interface FieldReference {
  /** The canonical spelling: `spec.containers[0].image`. */
  readonly path: string
  readonly steps: readonly FieldStep[]
  readonly scalar: Scalar
}

/** Position of a reference in a query parameter: for messages, and for parsers that continue after it. */
export interface ReferenceText {
  /** Name of the parameter. */
  readonly parameter: string
  readonly text: string
  /** 0-based character at which the reference starts. */
  readonly at: number
  /** Characters that end it, outside of brackets and quotes. */
  readonly stops: string
}

/** Parses a reference without checking whether the field exists. Returns where it ended. Throws ApiError 400. */
export function readFieldSteps(source: ReferenceText): { readonly steps: readonly FieldStep[]; readonly end: number } {
  const reader = new StepReader(source)
  const braced = reader.take("{")
  if (reader.take("$") || reader.take("@")) reader.skipped = true
  const steps: FieldStep[] = []
  while (!reader.atEnd(braced)) {
    if (steps.length === fieldReferenceStepsMax) throw reader.fault(`more than ${fieldReferenceStepsMax} steps`)
    steps.push(reader.step(steps.length === 0))
  }
  if (braced && !reader.take("}")) throw reader.fault("expected }")
  if (steps.length === 0) throw reader.fault("expected a field such as .metadata.name")
  return { steps, end: reader.at }
}

class StepReader {
  at: number
  /** Whether a root sign preceded the first step. */
  skipped = false

  constructor(private readonly source: ReferenceText) {
    this.at = source.at
  }

  take(character: string): boolean {
    if (this.source.text[this.at] !== character) return false
    this.at++
    return true
  }

  atEnd(braced: boolean): boolean {
    const character = this.source.text[this.at]
    return character === undefined || (braced ? character === "}" : this.source.stops.includes(character))
  }

  step(first: boolean): FieldStep {
    if (this.take("[")) return this.bracketed()
    if (!this.take(".") && (!first || this.skipped)) throw this.fault("expected . or [")
    const name = this.name()
    if (name === "") throw this.fault("expected the name of a field")
    if (name === "*") throw this.fault("one value is needed: * stands for several")
    return name
  }

  private name(): string {
    let name = ""
    for (let character = this.source.text[this.at]; character !== undefined; character = this.source.text[this.at]) {
      if (".[]{}".includes(character) || this.source.stops.includes(character)) break
      this.at++
      name += character === "\\" ? (this.source.text[this.at++] ?? "") : character
    }
    return name
  }

  private bracketed(): FieldStep {
    const rest = this.source.text.slice(this.at)
    if (rest.startsWith("*")) throw this.fault("one value is needed: * stands for several")
    const index = /^(-?[0-9]{1,9})\]/.exec(rest)
    if (index !== null) {
      this.at += index[0].length
      return Number(index[1])
    }
    const quoted = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/s.exec(rest)
    if (quoted === null) throw this.fault("expected an index such as [0] or a key such as ['a.b/c']")
    this.at += quoted[0].length
    return (quoted[1] ?? quoted[2] ?? "").replace(/\\(.)/gs, "$1")
  }

  fault(what: string): ApiError {
    return badRequest(
      `query parameter ${this.source.parameter}: ${JSON.stringify(cut(this.source.text))}: ${what} (at character ${this.at + 1})`,
    )
  }
}

/**
 * Resolves the field in the shape of its kind. Throws ApiError 400 that names the step that does not exist, or says
 * that the field is not a scalar.
 */
export function resolveField(options: { parameter: string; shape: TypeShape; steps: readonly FieldStep[] }): FieldReference {
  const { parameter, shape, steps } = options
  const path = referencePath(steps)
  let type: TypeRef = { ref: () => shape }
  for (const [index, step] of steps.entries()) {
    const next = stepInto(type, step)
    const before = referencePath(steps.slice(0, index)) || "the object"
    if (next === undefined) throw badRequest(`query parameter ${parameter}: ${cut(path)}: ${noSuchStep(type, step, cut(before))}`)
    type = next
  }
  if (!("scalar" in type)) throw badRequest(`query parameter ${parameter}: ${cut(path)} ${notScalar(type, cut(path))}`)
  return { path, steps, scalar: type.scalar }
}

const openScalars: ReadonlySet<Scalar> = new Set(["any", "RawExtension", "FieldsV1"])

function stepInto(type: TypeRef, step: FieldStep): TypeRef | undefined {
  if ("union" in type) return { scalar: "any" }
  if ("scalar" in type) return openScalars.has(type.scalar) ? { scalar: "any" } : undefined
  if (typeof step === "number") return "list" in type ? type.list : "wrappedList" in type ? type.wrappedList : undefined
  if ("map" in type) return type.map
  return "ref" in type ? fieldType(type.ref(), step) : undefined
}

function fieldType(shape: TypeShape, name: string): TypeRef | undefined {
  for (const field of shape.fields) {
    const found = field.inline === true ? inlineType(field, name) : field.name === name ? field.type : undefined
    if (found !== undefined) return found
  }
  return shape.preserveUnknown === true ? { scalar: "any" } : undefined
}

function inlineType(field: FieldShape, name: string): TypeRef | undefined {
  return "ref" in field.type ? fieldType(field.type.ref(), name) : undefined
}

function noSuchStep(type: TypeRef, step: FieldStep, before: string): string {
  if ("ref" in type && typeof step === "string") {
    const meant = nearest(step, fieldNames(type.ref()))
    return `${before} has no field ${JSON.stringify(cut(step))}${meant === undefined ? "" : `; did you mean ${meant}?`}`
  }
  if ("list" in type || "wrappedList" in type) return `${before} is a list: give an index, such as [0]`
  if ("scalar" in type) return `${before} is a single value, which has no fields`
  return `${before} is no list, which alone have an index`
}

function fieldNames(shape: TypeShape): string[] {
  return shape.fields.flatMap((field) => (field.inline === true && "ref" in field.type ? fieldNames(field.type.ref()) : [field.name]))
}

function notScalar(type: TypeRef, path: string): string {
  if ("list" in type || "wrappedList" in type) return `is a list: name one item, such as ${path}[0]`
  if ("map" in type) return `is a map: name one key, such as ${path}['key']`
  return "is an object: name one of its fields"
}

/** The canonical spelling of a reference. */
function referencePath(steps: readonly FieldStep[]): string {
  return steps
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`
      if (!/^[\w/-]+$/.test(step)) return `['${step.replace(/['\\]/g, "\\$&")}']`
      return index === 0 ? step : `.${step}`
    })
    .join("")
}

/** Reads the value of a reference from an object; undefined when it or a parent is absent. */
export function referencedValue(object: JsonObject, steps: readonly FieldStep[]): JsonValue | undefined {
  let value: JsonValue | undefined = object
  for (const step of steps) {
    if (typeof step === "number") value = Array.isArray(value) ? value.at(step) : undefined
    else value = isObject(value) ? ownField(value, step) : undefined
    if (value === undefined) return undefined
  }
  return value
}
