/** `stringData` of secrets is write-only: it is merged into `data` (catalog resources.yaml: secrets). */
import { defineBehaviour } from "../schema/define.ts"
import { setField } from "../encoding/json/text.ts"
import type { Secret } from "../../generated/core/v1/secret/types.ts"

/** Behaviour `secretStringData`. The field manager that sends it owns the resulting keys of `data`. */
export const secretStringData = defineBehaviour<Secret>({ decoded: mergeStringData })

function mergeStringData(secret: Secret): void {
  const { stringData } = secret
  delete secret.stringData
  if (stringData === undefined) return
  const data = { ...secret.data }
  for (const [key, value] of Object.entries(stringData)) setField(data, key, Buffer.from(value, "utf8").toString("base64"))
  if (Object.keys(data).length > 0) secret.data = data
}
