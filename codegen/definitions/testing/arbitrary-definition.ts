/** Random definitions: structural schemas with every word that they may have. */
import fc from "fast-check"
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { intOrStringTypes, quantityPattern } from "../names.ts"

const x = (name: string): string => `x-kubernetes-${name}`

const fieldNames = fc.constantFrom(
  "a",
  "b",
  "size",
  "mode",
  "spec",
  "kind",
  "fooBar",
  "foo-bar",
  "namespace",
  "_x",
  "items",
  "x1",
  "odd.name",
)
const docs = fc.constantFrom(
  "A text.",
  "what it is",
  "maxSize of it",
  "Two lines:\n- one",
  "  ",
  "Ends with a colon:",
  'With "quotes", {braces} and # more.',
)

/** A subset of limits, in order. */
function limits(words: Readonly<Record<string, fc.Arbitrary<JsonValue>>>): fc.Arbitrary<JsonObject> {
  return fc.record(words, { requiredKeys: [] })
}

const counts = (word: string): Readonly<Record<string, fc.Arbitrary<JsonValue>>> => ({
  [`min${word}`]: fc.integer({ min: 0, max: 3 }),
  [`max${word}`]: fc.integer({ min: 3, max: 99 }),
})

const texts = fc.oneof(
  fc
    .tuple(limits({ ...counts("Length"), pattern: fc.constantFrom("^a+$", "[", "^\\d{1,3}$", "(?i)x") }))
    .map(([own]) => (own.pattern === "[" ? { ...own, pattern: "." } : own)),
  fc.record({ format: fc.constantFrom("date-time", "duration", "byte", "email", "ipv4", "uri", "dns-label", "unheard-of", "password") }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom("A", "b", "yes", "1", "", "with space"), { minLength: 1 }) }),
  fc.record({ default: fc.constantFrom("", "x", "true") }),
)

const numbers = limits({
  minimum: fc.integer({ min: -5, max: 0 }),
  maximum: fc.integer({ min: 1, max: 99 }),
  exclusiveMinimum: fc.boolean(),
  exclusiveMaximum: fc.boolean(),
  multipleOf: fc.constantFrom(1, 2),
})

const rules = fc.constantFrom(
  "self == oldSelf",
  "self != self",
  "size(self) < 3",
  "has(self.size)",
  "isURL(self)",
  "self.exists(y, y == 1)",
  "dyn(self) == 1",
  "!(",
)

const scalars: fc.Arbitrary<JsonObject> = fc.oneof(
  texts.map((words) => ({ type: "string", ...words })),
  fc
    .tuple(numbers, fc.constantFrom("int32", "int64", undefined))
    .map(([words, format]) => ({ type: "integer", ...(format !== undefined && { format }), ...words })),
  fc
    .tuple(numbers, fc.constantFrom("float", "double", undefined))
    .map(([words, format]) => ({ type: "number", ...(format !== undefined && { format }), ...words })),
  limits({ default: fc.boolean() }).map((words) => ({ type: "boolean", ...words })),
  limits({ pattern: fc.constantFrom("^1", quantityPattern) }).map((words) => ({
    anyOf: [...intOrStringTypes],
    [x("int-or-string")]: true,
    ...words,
  })),
  fc.constant<JsonObject>({ [x("preserve-unknown-fields")]: true }),
  fc.constant<JsonObject>({ type: "object", [x("preserve-unknown-fields")]: true }),
  fc.constant<JsonObject>({ type: "object", [x("preserve-unknown-fields")]: true, [x("embedded-resource")]: true }),
)

/** Keywords that every schema of a field may also have. */
const besides = limits({
  description: docs,
  nullable: fc.constant(true),
  title: fc.constant("A title"),
  example: fc.constant(1),
  [x("validations")]: fc.array(
    limits({
      message: fc.constantFrom("is wrong", "field is immutable", "costs ${x}"),
      reason: fc.constantFrom("FieldValueForbidden", "FieldValueInvalid"),
    }).chain((words) => rules.map((rule): JsonObject => ({ rule, ...words }))),
    { maxLength: 2 },
  ),
  not: fc.constant({ enum: [7] }),
})

const { schema } = fc.letrec<{ schema: JsonObject; struct: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars,
    fc.tuple(tie("schema"), limits(counts("Items")), fc.constantFrom("atomic", "set", undefined)).map(([items, words, listType]) => ({
      type: "array",
      items,
      ...words,
      ...(listType !== undefined && { [x("list-type")]: listType }),
    })),
    tie("struct").map((items) => {
      const properties: JsonObject = {
        key: { type: "string" },
        ...(isObject(items.properties) ? items.properties : {}),
      }
      return { type: "array", [x("list-type")]: "map", [x("list-map-keys")]: ["key"], items: { ...items, properties, required: ["key"] } }
    }),
    fc
      .tuple(tie("schema"), limits(counts("Properties")), fc.constantFrom("atomic", "granular", undefined))
      .map(([additionalProperties, words, mapType]) => ({
        type: "object",
        additionalProperties,
        ...words,
        ...(mapType !== undefined && { [x("map-type")]: mapType }),
      })),
    tie("struct"),
  ),
  struct: fc
    .tuple(
      fc.array(fc.tuple(fieldNames, tie("schema"), besides), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      limits({ [x("preserve-unknown-fields")]: fc.constant(true), minProperties: fc.constant(1), default: fc.constant({}) }),
    )
    .map(([fields, isRequired, words]) => {
      const properties = Object.fromEntries(fields.map(([name, inner, more]) => [name, { ...inner, ...more }]))
      const [first = ""] = Object.keys(properties)
      const { default: filled, ...rest } = words
      return { type: "object", properties, ...rest, ...(isRequired ? { required: [first] } : filled !== undefined && { default: filled }) }
    }),
}))

/** A definition with one version whose `spec` is random. */
export const definitions: fc.Arbitrary<JsonObject> = fc.tuple(schema, besides, fc.boolean()).map(([inner, more, hasStatus]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.random.example.com" },
  spec: {
    group: "random.example.com",
    scope: "Namespaced",
    names: { kind: "Thing", plural: "things", singular: "thing", listKind: "ThingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        ...(hasStatus && { subresources: { status: {} } }),
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { ...inner, ...more }, status: { type: "object", properties: {} } } },
        },
      },
    ],
  },
}))
