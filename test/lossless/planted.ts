/** Known losses, one for each path on which a schema author has lost data. */
import type { FieldModel, Model, TypeModel } from "../../model/model.ts"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { setDefault } from "../../runtime/schema/defaults.ts"
import type { Kind } from "../../runtime/schema/kind.ts"
import type { SchemaOptions } from "./arbitrary-schemas.ts"
import type { PlantedMistake } from "./generated-kinds.ts"

interface Planted {
  readonly planted: PlantedMistake
  readonly options: SchemaOptions
  /** The property that must find it. */
  readonly finds: "restart" | "renumbering" | "defaults"
}

/** The failure that shows each. */
export const foundBy: Readonly<Record<Planted["finds"], RegExp>> = {
  restart: /was served as .* and is served as/,
  renumbering: /was served as .* and is served as|cannot be read/,
  defaults: /has the default .* and is served as/,
}

export const plantedMistakes: Readonly<Record<string, Planted>> = {
  "a field without a number": {
    planted: { model: (model) => withFields(model, withoutNumber), kind: compactAlways },
    options: { defaults: false, compact: true },
    finds: "restart",
  },
  "unknown fields of a type that keeps them": {
    planted: { kind: compactAlways },
    options: { defaults: false, unnumbered: false, compact: false },
    finds: "restart",
  },
  "numbers that change between two runs of the generator": {
    planted: { unchecked: true },
    options: { defaults: false },
    finds: "renumbering",
  },
  "a default that does not replace the zero of a Duration or Quantity": {
    planted: { doorway: { replaceZero: (self: JsonObject, name: string, value: JsonValue) => setDefault(self, name, value) } },
    options: {},
    finds: "defaults",
  },
  "a default in a form that decoding changes": {
    planted: {
      doorway: {
        replaceZero: (self: JsonObject, name: string, value: JsonValue) => setDefault(self, name, asWritten(value), true),
        setDefault: (self: JsonObject, name: string, value: JsonValue, pointer?: boolean) =>
          setDefault(self, name, asWritten(value), pointer),
      },
    },
    options: { compact: true, onlyDefaults: true },
    finds: "restart",
  },
}

/** Stores the kind compactly, as before kinds could ask for JSON. */
function compactAlways(kind: Kind): Kind {
  const { format: _format, ...storage } = kind.storage
  return { ...kind, storage }
}

function withoutNumber(field: FieldModel, place: number): FieldModel {
  if (place % 2 === 0) return field
  const { number: _number, ...unnumbered } = field
  return unnumbered
}

function withFields(model: Model, change: (field: FieldModel, place: number) => FieldModel): Model {
  const changed = (type: TypeModel): TypeModel =>
    type.group === "meta" || type.name.endsWith("0") === false ? type : { ...type, fields: type.fields.map(change) }
  return { ...model, types: new Map([...model.types].map(([name, type]) => [name, changed(type)])) }
}

/** The form in which the schema may have the default. */
function asWritten(value: JsonValue): JsonValue {
  return value === "1h0m0s" ? "1h" : value === "1h30m0s" ? "90m" : value === "2020-01-01T00:00:00Z" ? "2020-01-01T02:00:00+02:00" : value
}
