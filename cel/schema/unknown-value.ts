import type { JsonValue } from "../../runtime/base/json.ts"
import { type CelType, opaqueType } from "../types/type.ts"
import { OpaqueValue, type Value } from "../values/value.ts"
import { sameJson } from "./same-json.ts"

const unknownType: CelType = opaqueType("unknown")

/** JSON that a schema keeps without saying what it is. Expressions can only compare it, within what holds it. */
export class UnknownValue extends OpaqueValue {
  readonly type = unknownType

  constructor(readonly json: JsonValue) {
    super()
  }

  equals(other: Value): boolean {
    return other instanceof UnknownValue && sameJson(this.json, other.json)
  }
}
