/** A definition, and objects of the kind that it defines. */
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import type { CollectionPlace } from "../../runtime/schema/object-client.ts"

export const group = "kitchen.example.com"
export const name = `kettles.${group}`
export const definitions: CollectionPlace = {
  group: "apiextensions.orch.io",
  version: "v1",
  resource: "customresourcedefinitions",
  namespace: "",
}
export const kettles: CollectionPlace = { group, version: "v1", resource: "kettles", namespace: "default" }
/** The object `one`. */
export const kettle = (fields: JsonObject = {}): ApiObject => ({
  apiVersion: `${group}/v1`,
  kind: "Kettle",
  metadata: { name: "one" },
  spec: { litres: 1, ...fields },
})

/** Each version is served with the schema that has `litres` and these properties of the spec; the first is stored. */
export function definition(properties: JsonObject = {}, versions: readonly string[] = ["v1"]): ApiObject {
  const spec = { type: "object", properties: { litres: { type: "integer" }, ...properties } }
  return {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "kettles", kind: "Kettle" },
      versions: versions.map((version, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      })),
    },
  }
}
