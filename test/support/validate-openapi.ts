/** Validates OpenAPI documents by the specification's own schemas. */
import { Validator } from "@seriousme/openapi-schema-validator"
import { isObject, type JsonValue } from "../../runtime/base/json.ts"

/**
 * Returns the faults of a document, or undefined. The schema of definitions has a property called `$ref`, which is
 * valid, but the validator reads it as a reference: it gets another name here.
 */
export async function openApiFaults(document: unknown): Promise<unknown> {
  const readable = JSON.parse(JSON.stringify(document), (_name, value: JsonValue) => {
    if (!isObject(value) || !isObject(value.$ref)) return value
    const { $ref: property, ...others } = value
    return { ...others, "a property called $ref": property }
  })
  const { valid, errors } = await new Validator({ strict: false }).validate(readable)
  return valid ? errors : (errors ?? "it is not valid")
}
