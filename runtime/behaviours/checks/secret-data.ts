/** Size of a secret, and the keys that secrets of a well-known type must have (catalog validation.yaml: Secret). */
import { isObject } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Secret } from "../../../generated/core/v1/secret/types.ts"
import { contentBytesMax, encodedBytes } from "../content/size.ts"

/** Replaces values in failures that would otherwise show confidential data. */
const hidden = "<secret contents redacted>"
const accountName = "orch.io/service-account.name"

type SecretData = Readonly<Record<string, string>>

const byType: Readonly<Record<string, (data: SecretData, context: CheckContext<Secret>, secret: Secret) => void>> = {
  "orch.io/service-account-token": (_data, context, secret) => {
    const name = context.vendor.domain(accountName)
    if ((secret.metadata.annotations?.[name] ?? "") === "") context.fail("Required", undefined, "", `metadata.annotations[${name}]`)
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
export const secretData = defineCheck<Secret>((secret, context) => {
  const { data = {} } = secret
  if (encodedBytes(data) > contentBytesMax) context.fail("TooLong", undefined, `must have at most ${contentBytesMax} bytes`, "data")
  for (const [type, checkKeys] of Object.entries(byType)) {
    if (secret.type === context.vendor.domain(type)) checkKeys(data, context, secret)
  }
})

function required(keys: readonly string[], context: CheckContext<unknown>): void {
  for (const key of keys) context.fail("Required", undefined, "", `data[${key}]`)
}

/** The key must exist; its value must be a JSON object or empty. */
function jsonObjectAt(data: SecretData, key: string, context: CheckContext<unknown>): void {
  const value = data[key]
  if (value === undefined) return required([key], context)
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
