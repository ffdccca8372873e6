/** Keys and size of a config map over both of its maps (catalog validation.yaml: ConfigMap). */
import { isObject, type JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { contentBytesMax, encodedBytes, textBytes } from "../content/size.ts"

/** Called for each config map. */
export function configMapData(configMap: JsonValue, context: CheckContext): void {
  if (!isObject(configMap)) return
  const { data, binaryData } = configMap
  if (isObject(data) && isObject(binaryData)) {
    for (const key of Object.keys(data)) {
      if (Object.hasOwn(binaryData, key)) context.fail("Invalid", key, "duplicate of key present in binaryData", `data[${key}]`)
    }
  }
  if (textBytes(data) + encodedBytes(binaryData) > contentBytesMax) {
    // The reference names the whole object so, and its text is widely known.
    context.fail("TooLong", undefined, `must have at most ${contentBytesMax} bytes`, "[]")
  }
}
