/** Errors for values that do not fit their field. */
import { ApiError } from "../../base/errors.ts"
import { messageCharactersMax } from "../../base/limits.ts"
import { pathText } from "./text.ts"
import type { JsonValue } from "../../base/json.ts"

/**
 * A value has the wrong type for its field, or a text that the type does not accept. Always a 400; `field` is the path
 * from the root.
 */
export class DecodeFault extends ApiError {
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(400, "BadRequest", message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}...` : message)
    this.name = "DecodeFault"
  }
}

/**
 * `json: cannot unmarshal string into field spec.containers of type []v1.Container`. `found` comes from `foundText`.
 */
export function typeFault({
  found,
  field,
  type,
  expected,
}: {
  found: string
  field: string
  type: string
  expected: string | undefined
}): DecodeFault {
  const into = field === "" ? `a value of type ${type}` : `field ${field} of type ${type}`
  const hint = expected === undefined ? "" : `: expected ${expected}`
  return new DecodeFault(`json: cannot unmarshal ${found} into ${into}${hint}`, field)
}

/**
 * The error for an integer written with a fraction or an exponent (`written`: `1.0`), at a path that requires `type`.
 */
export function fractionFault(written: string, steps: readonly (string | number)[], type: string): DecodeFault {
  const expected = "a whole number without fraction or exponent"
  return typeFault({ found: `number ${written}`, field: pathText(steps), type, expected })
}

/**
 * Names the JSON type of a value without its content, which may be a secret. Numbers are shown, as in the reference.
 */
export function foundText(value: JsonValue): string {
  if (Array.isArray(value)) return "array"
  switch (typeof value) {
    case "number":
    case "bigint":
      return `number ${value}`
    case "boolean":
      return "bool"
    case "string":
      return "string"
    default:
      return value === null ? "null" : "object"
  }
}
