/** The schemas that a server publishes, to draw values from. */
import { isObject, type JsonObject } from "../../runtime/base/json.ts"
import { fieldOf } from "../real-answers/values.ts"

/** A schema of OpenAPI v3; references are followed by `Schemas`. */
export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly "x-kubernetes-list-type"?: string
  readonly "x-kubernetes-patch-strategy"?: string
}

export class Schemas {
  private readonly named: Readonly<Record<string, Schema>>
  private readonly paths: JsonObject

  /** `document`: the OpenAPI v3 document of one group and version. */
  constructor(document: JsonObject) {
    const schemas = fieldOf(document, "components", "schemas")
    this.named = (schemas ?? {}) as unknown as Readonly<Record<string, Schema>> // As OpenAPI has it.
    const paths = document["paths"]
    this.paths = isObject(paths) ? paths : {}
  }

  /** Whether a path is served: `/api/v1/namespaces/{namespace}/pods/{name}/status`. */
  serves(path: string): boolean {
    return path in this.paths
  }

  /** The schema itself, or the one that it refers to. */
  resolve(schema: Schema): Schema {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref
    if (reference === undefined) return schema
    return {
      ...this.named[reference.slice(reference.lastIndexOf("/") + 1)],
      ...(schema.description && { description: schema.description }),
    }
  }

  /** The schema of a kind. Undefined when the document has none. */
  ofKind(apiVersion: string, kind: string): Schema | undefined {
    const [version = "", group = ""] = apiVersion.split("/").reverse()
    return Object.values(this.named).find((schema) => {
      const kinds = fieldOf(schema, "x-kubernetes-group-version-kind")
      const fits = (one: unknown): boolean =>
        fieldOf(one, "kind") === kind && fieldOf(one, "version") === version && fieldOf(one, "group") === group
      return Array.isArray(kinds) && kinds.some(fits)
    })
  }
}
