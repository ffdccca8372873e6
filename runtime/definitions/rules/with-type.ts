/** The root of a resource as rules see it: with `apiVersion`, `kind` and the names of its metadata. */
import type { Structural } from "../structural.ts"

const blank = { properties: new Map(), nullable: false, preserveUnknown: false, embedded: false, intOrString: false } as const
const text: Structural = { ...blank, type: "string", listMapKeys: [], rules: [], source: { type: "string" } }
const names: Structural = {
  ...blank,
  type: "object",
  properties: new Map([
    ["name", text],
    ["generateName", text],
  ]),
  listMapKeys: [],
  rules: [],
  source: { type: "object" },
}

const completed = new WeakMap<Structural, Structural>()

/** The same record whenever it is asked of the same schema. A schema that has the fields already stays as it is. */
export function withTypeAndNames(schema: Structural): Structural {
  const known = completed.get(schema)
  if (known !== undefined) return known
  const { properties } = schema
  const metadata = properties.get("metadata")
  const complete =
    properties.get("kind")?.type === "string" &&
    properties.get("apiVersion")?.type === "string" &&
    metadata?.type === "object" &&
    metadata.properties.get("name")?.type === "string" &&
    metadata.properties.get("generateName")?.type === "string"
  const all = new Map([...properties, ["kind", text], ["apiVersion", text], ["metadata", names]])
  const result = complete ? schema : { ...schema, properties: all }
  completed.set(schema, result)
  return result
}
