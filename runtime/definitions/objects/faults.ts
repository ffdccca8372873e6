/**
 * Failures of values, with the texts of kube-openapi (pkg/validation/errors) as apiextensions-apiserver reports them.
 * `name` is the path of the value in these texts: fields, additional ones too, follow a dot.
 */
import type { Failure } from "../../base/failure.ts"
import type { JsonValue } from "../../base/json.ts"
import { shownValueCharactersMax } from "../../base/limits.ts"
import { cut, quoted } from "../../base/quote.ts"
import { numberText, shownText } from "../../base/go-text.ts"

/** The field of a failure without a path, in the reference. */
export const noField = "<nil>"

/** Paths of additional properties of the root begin with a dot, which the field of a failure omits. */
function fieldOf(name: string): string {
  const field = name.startsWith(".") ? name.slice(1) : name
  return field === "" ? noField : field
}

function invalid(name: string, value: JsonValue, detail: string): Failure {
  const shown = shownText(value)
  return { type: "Invalid", field: fieldOf(name), value, detail, ...(shown !== undefined && { shown }) }
}

/** `expected`: a type or a format. `found`: the value's type, "null", or the text that does not have the format. */
export function wrongType(name: string, expected: string, found: string): Failure {
  const detail = `${name} in body must be of type ${expected}: ${quoted(cut(found, shownValueCharactersMax))}`
  return { type: "TypeInvalid", field: fieldOf(name), value: found, detail }
}

export function missing(name: string): Failure {
  return { type: "Required", field: fieldOf(name), detail: "" }
}

export function tooLong(name: string, value: string, max: number): Failure {
  return { type: "TooLong", field: fieldOf(name), value, detail: `may not be longer than ${max}` }
}

export function tooShort(name: string, value: string, min: number): Failure {
  return invalid(name, value, `${name} in body should be at least ${min} chars long`)
}

export function noMatch(name: string, value: string, pattern: string): Failure {
  return invalid(name, value, `${name} in body should match '${pattern}'`)
}

export function aboveMaximum(name: string, value: number | bigint, max: string, exclusive: boolean): Failure {
  return invalid(name, value, `${name} in body should be less than ${exclusive ? "" : "or equal to "}${max}`)
}

export function belowMinimum(name: string, value: number | bigint, min: string, exclusive: boolean): Failure {
  return invalid(name, value, `${name} in body should be greater than ${exclusive ? "" : "or equal to "}${min}`)
}

export function noMultiple(name: string, value: number | bigint, factor: string): Failure {
  return invalid(name, value, `${name} in body should be a multiple of ${factor}`)
}

export function factorNotPositive(name: string, factor: number | bigint): Failure {
  return invalid(name, factor, `factor MultipleOf declared for ${name} must be positive: ${numberText(factor)}`)
}

/** `size`: size of a list or an object. */
export function tooMany(name: string, size: number, max: number): Failure {
  return { type: "TooMany", field: fieldOf(name), value: size, detail: `must have at most ${max} items` }
}

export function tooFewItems(name: string, size: number, min: number): Failure {
  return invalid(name, size, `${name} in body should have at least ${min} items`)
}

export function tooFewProperties(name: string, size: number, min: number): Failure {
  return invalid(name, size, `${name} in body should have at least ${min} properties`)
}

export function notListed(name: string, value: JsonValue, allowed: readonly string[]): Failure {
  const shown = value === null ? '"null"' : shownText(value)
  return { type: "NotSupported", field: fieldOf(name), value, detail: "", supported: allowed, ...(shown !== undefined && { shown }) }
}

export function noneOfAny(name: string): Failure {
  return junctor(`${quoted(name)} must validate at least one schema (anyOf)`)
}

/** `valid`: number of schemas that accept the value. */
export function notExactlyOne(name: string, valid: number): Failure {
  const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`
  return junctor(`${quoted(name)} must validate one and only one schema (oneOf). ${found}`)
}

export function notAll(name: string, none: boolean): Failure {
  return junctor(`${quoted(name)} must validate all the schemas (allOf)${none ? ". None validated" : ""}`)
}

export function forbiddenSchema(name: string): Failure {
  return junctor(`${quoted(name)} must not validate the schema (not)`)
}

/** Failures of junctors have no field; their text names the value. */
function junctor(detail: string): Failure {
  return { type: "Invalid", field: noField, value: "", detail }
}
