/** `stringData` of secrets is write-only: it is merged into `data` (catalog resources.yaml: secrets). */
import type { BehaviourFactory } from "../schema/behaviour.ts"
import { setField } from "../encoding/json/text.ts"
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"

/** Behaviour `secretStringData`. The field manager that sends it owns the resulting keys of `data`. */
export const secretStringData: BehaviourFactory = () => ({ decoded: mergeStringData })

function mergeStringData(secret: ApiObject): void {
  const { stringData } = secret
  delete secret.stringData
  if (!isObject(stringData)) return
  const data: JsonObject = isObject(secret.data) ? { ...secret.data } : {}
  for (const [key, value] of Object.entries(stringData)) {
    setField(data, key, Buffer.from(typeof value === "string" ? value : "", "utf8").toString("base64"))
  }
  if (Object.keys(data).length > 0) secret.data = data
}
