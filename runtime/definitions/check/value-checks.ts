/** Checks defaults against their schemas, with the checks of custom objects. */
import { Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { deepClone } from "../../encoding/field-path.ts"
import { DecodeFault } from "../../encoding/json/decode-fault.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { checkEmbedded, type MetadataCheck } from "../objects/embedded-check.ts"
import { normalizeEmbedded } from "../objects/embedded.ts"
import { pruneObject } from "../objects/prune.ts"
import { UnknownNames } from "../objects/unknown-names.ts"
import type { Structural } from "../structural.ts"

/** Rules for metadata inside of defaults. */
export interface MetadataRules {
  /** The shape of ObjectMeta. Absent: types of its fields are not checked. */
  readonly shape?: TypeShape
  /** Absent: the content of metadata is not checked. */
  readonly check?: MetadataCheck
}

/** The only field of an object around the value, since the checks begin below an object's root. */
const field = "value"

function around(value: JsonValue, schema: Structural, resource: boolean): { object: JsonObject; schema: Structural } {
  const inner = resource ? { ...schema, embedded: true } : schema
  const outer: Structural = {
    type: "object",
    properties: new Map([[field, inner]]),
    nullable: false,
    preserveUnknown: false,
    embedded: false,
    intOrString: false,
    listMapKeys: [],
    rules: [],
    source: {},
  }
  return { object: { [field]: deepClone(value) }, schema: outer }
}

/** Whether a value has fields that the schema does not specify. `resource`: whether it may have a type and metadata. */
export function hasUnknownFields(value: JsonValue, schema: Structural, resource: boolean): boolean {
  const unknown = new UnknownNames()
  const whole = around(value, schema, resource)
  pruneObject(whole.object, whole.schema, { unknown })
  return unknown.list().length > 0
}

/** Returns the faults in types and metadata of the resources in a value; paths begin at the value. */
export function metadataFailures(value: JsonValue, schema: Structural, resource: boolean, rules: MetadataRules): Failures["list"] {
  const { object, schema: outer } = around(value, schema, resource)
  const failures = new Failures()
  try {
    if (rules.shape !== undefined) normalizeEmbedded(object, outer, { metadata: rules.shape, malformed: "refuse" })
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    const shown = error.message.slice(`${error.field}: Invalid value: `.length)
    return [{ type: "Invalid", field: inner(error.field), shown, detail: "" }]
  }
  checkEmbedded(object, outer, failures, rules.check)
  return failures.list.map((failure) => ({ ...failure, field: inner(failure.field) }))
}

/** Removes the name of the field around the value. */
function inner(path: string): string {
  const rest = path.slice(field.length)
  return rest.startsWith(".") ? rest.slice(1) : rest
}
