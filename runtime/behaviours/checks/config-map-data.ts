/** Keys and size of a config map over both of its maps (catalog validation.yaml: ConfigMap). */
import { defineCheck } from "../../schema/define.ts"
import type { ConfigMap } from "../../../generated/core/v1/config-map/types.ts"
import { contentBytesMax, encodedBytes, textBytes } from "../content/size.ts"

/** Called for each config map. */
export const configMapData = defineCheck<ConfigMap>((configMap, context) => {
  const { data, binaryData } = configMap
  if (data !== undefined && binaryData !== undefined) {
    for (const key of Object.keys(data)) {
      if (Object.hasOwn(binaryData, key)) context.fail("Invalid", key, "duplicate of key present in binaryData", `data[${key}]`)
    }
  }
  if (textBytes(data) + encodedBytes(binaryData) > contentBytesMax) {
    // The reference names the whole object so, and its text is widely known.
    context.fail("TooLong", undefined, `must have at most ${contentBytesMax} bytes`, "[]")
  }
})
