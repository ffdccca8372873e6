/** Settings of a class of volumes: how many, how long, and that they stay (catalog validation.yaml: StorageClass). */
import { deepEqual } from "../../encoding/field-path.ts"
import { defineCheck } from "../../schema/define.ts"

const parametersMax = 512
const parameterBytesMax = 256 * 1024

/** Called for each StorageClass and VolumeAttributesClass. */
export const classParameters = defineCheck<{ parameters?: Record<string, string> }>((object, context) => {
  const { parameters = {} } = object
  const entries = Object.entries(parameters)
  if (entries.length > parametersMax) context.fail("TooLong", undefined, `must have at most ${parametersMax} bytes`, "parameters")
  let bytes = 0
  for (const [key, value] of entries) {
    if (key === "") context.fail("Invalid", key, "field can not be empty.", "parameters")
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (bytes > parameterBytesMax) context.fail("TooLong", undefined, `must have at most ${parameterBytesMax} bytes`, "parameters")
  if (context.old !== undefined && !deepEqual(parameters, context.old.parameters ?? {}))
    context.fail("Forbidden", undefined, "updates to parameters are forbidden.", "parameters")
})
