/** Definitions of the special scalars, of patches and of the version: no schema file describes them. */
import type { JsonObject } from "../../runtime/base/json.ts"
import { extension } from "./extensions.ts"
import { anyDefinition, patchDefinition, scalarDefinitions, versionDefinition } from "./names.ts"

/** The version of a document. */
export type DocumentVersion = "v2" | "v3"

/** Schemas of the scalars that have no definition. */
export const plainSchemas: Readonly<Record<string, JsonObject>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  any: { [`${extension}preserve-unknown-fields`]: true },
}

const quantityText = "An amount such as 500m, 1.5 or 2Gi: a number with an optional suffix, written back in canonical form."
const intOrStringText = "A whole number or a text, such as a port by number or by name, or a count or a percentage."

/** Definitions that no schema file describes, by name. */
export const fixedDefinitions: Readonly<Record<DocumentVersion | "both", Readonly<Record<string, JsonObject>>>> = {
  both: {
    [scalarDefinitions.Time ?? ""]: { description: "A moment in RFC 3339 form, in whole seconds.", type: "string", format: "date-time" },
    [scalarDefinitions.MicroTime ?? ""]: {
      description: "A moment in RFC 3339 form, in microseconds.",
      type: "string",
      format: "date-time",
    },
    [scalarDefinitions.Duration ?? ""]: { description: "A length of time such as 1h30m or 500ms.", type: "string" },
    [scalarDefinitions.FieldsV1 ?? ""]: {
      description: "A set of fields: keys f:<name>, k:<keys>, v:<value>, i:<index> and a dot for the field itself.",
      type: "object",
    },
    [scalarDefinitions.RawExtension ?? ""]: {
      description: "An object of any kind, kept as it came.",
      type: "object",
    },
    [anyDefinition]: { description: "Any value: a text, a number, true or false, a list, an object, or null." },
    [patchDefinition]: {
      description: "A patch in the form that its media type names: a list of operations, or a partial object.",
      type: "object",
    },
  },
  v2: {
    [versionDefinition]: versionInfo({}),
    [scalarDefinitions.Quantity ?? ""]: { description: quantityText, type: "string" },
    [scalarDefinitions.IntOrString ?? ""]: { description: intOrStringText, type: "string", format: "int-or-string" },
  },
  v3: {
    [versionDefinition]: versionInfo({ default: "" }),
    [scalarDefinitions.Quantity ?? ""]: { description: quantityText, oneOf: [{ type: "string" }, { type: "number" }] },
    [scalarDefinitions.IntOrString ?? ""]: {
      description: intOrStringText,
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    },
  },
}

function versionInfo(more: JsonObject): JsonObject {
  const names = ["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"]
  return {
    description: "What the server was built from.",
    type: "object",
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { type: "string", ...more }])),
  }
}
