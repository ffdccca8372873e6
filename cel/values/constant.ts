import type { Constant } from "../syntax/expr.ts"
import { intOf, uintOf } from "./number.ts"
import { Double, type Value } from "./value.ts"

/** The value of a literal. */
export function constantValue(constant: Constant): Value {
  switch (constant.type) {
    case "null":
      return null
    case "int":
      return intOf(constant.value)
    case "uint":
      return uintOf(constant.value)
    case "double":
      return new Double(constant.value)
    default:
      return constant.value
  }
}
