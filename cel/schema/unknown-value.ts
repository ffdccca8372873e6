import type { JsonValue } from "../../runtime/base/json.ts"
import { type CelType, opaqueType } from "../types/type.ts"
import { OpaqueValue, type Value } from "../values/value.ts"
import { sameJson } from "./same-json.ts"

const unknownType: CelType = opaqueType("unknown")

/** JSON that a schema keeps without a type. Expressions can only compare it, as part of the value around it. */
export class UnknownValue extends OpaqueValue {
  readonly type = unknownType

  constructor(readonly json: JsonValue) {
    super()
  }

  equals(other: Value): boolean {
    return other instanceof UnknownValue && sameJson(this.json, other.json)
  }
}
