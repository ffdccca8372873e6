/** What is said when a value does not fit its field. */
import { ApiError } from "../errors.ts"
import { messageCharactersMax } from "../limits.ts"
import { pathText } from "./json-text.ts"
import type { JsonValue } from "./json.ts"

/** A value has another type than its field, or a text that its type does not take. Always a 400; `field` is the path from the root. */
export class DecodeFault extends ApiError {
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(400, "BadRequest", message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}...` : message)
    this.name = "DecodeFault"
  }
}

/** `json: cannot unmarshal string into field spec.containers of type []v1.Container`. `found` as `foundText` says it. */
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

/** The fault of a whole number that is written with a fraction or an exponent (`written`: `1.0`), at a path, where `type` is wanted. */
export function fractionFault(written: string, steps: readonly (string | number)[], type: string): DecodeFault {
  const expected = "a whole number without fraction or exponent"
  return typeFault({ found: `number ${written}`, field: pathText(steps), type, expected })
}

/** What was found, without its content: it may be a secret. Numbers are shown, as the reference does. */
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
