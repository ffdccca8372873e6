/** Settings of a storage class: how many, how long, and that they stay (catalog validation.yaml: StorageClass). */
import { deepEqual } from "../../encoding/field-path.ts"
import { defineCheck } from "../../schema/define.ts"
import type { StorageClass } from "../../../generated/storage.orch.io/v1/storage-class/types.ts"

const parametersMax = 512
const parameterBytesMax = 256 * 1024

/** Called for each storage class. */
export const classParameters = defineCheck<StorageClass>((object, context) => {
  const { parameters = {} } = object
  const entries = Object.entries(parameters)
  if (entries.length > parametersMax) context.fail("TooLong", undefined, `must have at most ${parametersMax} entries`, "parameters")
  let bytes = 0
  for (const [key, value] of entries) {
    if (key === "") context.fail("Invalid", key, "field can not be empty", "parameters")
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (bytes > parameterBytesMax) context.fail("TooLong", undefined, `must have at most ${parameterBytesMax} bytes`, "parameters")
  if (context.old !== undefined && !deepEqual(parameters, context.old.parameters ?? {}))
    context.fail("Forbidden", undefined, "updates to parameters are forbidden.", "parameters")
})
