/** The kind and name that an applied configuration states, in the words of the reference's messages. */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { cut } from "../../base/quote.ts"

/** `apps/v1, Kind=Deployment`, `/v1, Kind=ConfigMap`; `/, Kind=` of a configuration without apiVersion and kind. */
export function typeText({ apiVersion, kind }: JsonObject): string {
  const version = textOf(apiVersion)
  // A text that is no version at all hides the kind as well.
  if (version.split("/").length > 2) return "/, Kind="
  return `${version.includes("/") ? version : `/${version}`}, Kind=${textOf(kind)}`
}

/** `namespace/name; /v1, Kind=ConfigMap`. The namespace is the configuration's own, which may leave it out. */
export function identityText(config: JsonObject): string {
  const { namespace, name } = isObject(config.metadata) ? config.metadata : {}
  return `${textOf(namespace)}/${textOf(name)}; ${typeText(config)}`
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? cut(value) : ""
}
