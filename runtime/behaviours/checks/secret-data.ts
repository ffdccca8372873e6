/** Size of a secret, and the keys that secrets of a well-known type must have (catalog validation.yaml: Secret). */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { contentBytesMax, encodedBytes } from "../content/size.ts"

/** Replaces values in failures that would otherwise show confidential data. */
const hidden = "<secret contents redacted>"
const accountName = "orch.io/service-account.name"

const byType: Readonly<Record<string, (data: JsonObject, context: CheckContext, secret: JsonObject) => void>> = {
  "orch.io/service-account-token": (_data, context, secret) => {
    const name = context.vendor.domain(accountName)
    const annotations = isObject(secret["metadata"]) ? secret["metadata"]["annotations"] : undefined
    const value = isObject(annotations) ? annotations[name] : undefined
    if (value === undefined || value === "") context.fail("Required", undefined, "", `metadata.annotations[${name}]`)
  },
  "orch.io/dockercfg": (data, context) => jsonObjectAt(data, ".dockercfg", context),
  "orch.io/dockerconfigjson": (data, context) => jsonObjectAt(data, ".dockerconfigjson", context),
  "orch.io/basic-auth": (data, context) => {
    if (data["username"] === undefined && data["password"] === undefined) required(["username", "password"], context)
  },
  "orch.io/ssh-auth": (data, context) => {
    if ((data["ssh-privatekey"] ?? "") === "") required(["ssh-privatekey"], context)
  },
  "orch.io/tls": (data, context) =>
    required(
      ["tls.crt", "tls.key"].filter((key) => data[key] === undefined),
      context,
    ),
}

/** Called for each secret, `stringData` already merged into `data`. */
export function secretData(secret: JsonValue, context: CheckContext): void {
  if (!isObject(secret)) return
  const data = isObject(secret["data"]) ? secret["data"] : {}
  if (encodedBytes(data) > contentBytesMax) context.fail("TooLong", undefined, `must have at most ${contentBytesMax} bytes`, "data")
  for (const [type, checkKeys] of Object.entries(byType)) {
    if (secret["type"] === context.vendor.domain(type)) checkKeys(data, context, secret)
  }
}

function required(keys: readonly string[], context: CheckContext): void {
  for (const key of keys) context.fail("Required", undefined, "", `data[${key}]`)
}

/** The key must exist; its value must be a JSON object or empty. */
function jsonObjectAt(data: JsonObject, key: string, context: CheckContext): void {
  const value = data[key]
  if (typeof value !== "string") return required([key], context)
  const text = Buffer.from(value, "base64").toString()
  if (text !== "" && !isJsonObject(text)) context.fail("Invalid", hidden, "must hold a JSON object", `data[${key}]`)
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return value === null || isObject(value)
  } catch {
    return false
  }
}
