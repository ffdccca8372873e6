/**
 * Inputs that definitions and their objects can multiply. Each case makes an input with `count` of something, and the
 * function that is measured.
 */
import { Environment, optionalLibrary, stringType } from "../../cel/index.ts"
import { latestMinor, librariesOf } from "../../cel/libraries/index.ts"
import { Failures } from "../../runtime/base/failure.ts"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { objectMetaShape } from "../../generated/meta/v1/object-meta/shape.ts"
import { checkDefinition } from "../../runtime/definitions/check/check-definition.ts"
import { withPrunedDefaults } from "../../runtime/definitions/objects/pruned-defaults.ts"
import { structuralOf } from "../../runtime/definitions/structural.ts"
import { typed } from "../../runtime/schema/typed.ts"
import type { CustomResourceDefinition } from "../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import type { Counts, Input } from "./growth.ts"

const vendor = vendorProfile("orch")
const prefix = vendor.extensionPrefix

export const many = <Item>(count: number, item: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => item(index))
const fields = (count: number, field: (index: number) => JsonValue): JsonObject =>
  Object.fromEntries(many(count, (index) => [`f${index}`, field(index)]))

/** A definition of one version, or of several. */
export function definitionOf(schema: JsonObject, more: JsonObject = {}, versions = 1): JsonObject {
  const names = { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" }
  return {
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: many(versions, (index) => ({
        name: `v${index + 1}`,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: schema },
        ...more,
      })),
      conversion: { strategy: "None" },
    },
    status: { storedVersions: ["v1"], acceptedNames: names, conditions: [] },
  }
}

const rooted = (spec: JsonObject): JsonObject => ({ type: "object", properties: { spec } })
const text = { type: "string", maxLength: 10 }
const ruled = (...rules: readonly string[]): JsonObject => ({ [`${prefix}validations`]: rules.map((rule) => ({ rule })) })
const mapped = (keys: number): JsonObject => ({
  type: "array",
  items: { type: "object", required: many(keys, (index) => `f${index}`), properties: fields(keys, () => text) },
  [`${prefix}list-type`]: "map",
  [`${prefix}list-map-keys`]: many(keys, (index) => `f${index}`),
})

/** Nests `around` in itself, with `inner` in the middle. */
function nested(depth: number, around: (inner: JsonObject) => JsonObject, inner: JsonObject): JsonObject {
  let schema = inner
  for (let level = 0; level < depth; level++) schema = around(schema)
  return schema
}

/** Schemas may be nested 256 times. */
const depths: Counts = { small: [30, 60, 120], large: [[60, 120, 240]] }
/** A definition has 1,000 rules, and 256 KiB of them. */
const rules: Counts = { small: [60, 120, 240], large: [[240, 480, 960]] }

export interface DefinitionCase {
  readonly name: string
  readonly counts?: Counts
  /** Whether the definition is valid; default true. */
  readonly isRefused?: boolean
  readonly make: (count: number) => JsonObject
}

export const definitionCases: readonly DefinitionCase[] = [
  { name: "versions", make: (count) => definitionOf(rooted(text), {}, count) },
  { name: "properties", make: (count) => definitionOf(rooted({ type: "object", properties: fields(count, () => text) })) },
  {
    name: "levels of properties",
    counts: depths,
    make: (count) => definitionOf(rooted(nested(count, (d) => ({ type: "object", properties: { d } }), text))),
  },
  {
    // A rule at each level costs as much as all schemas below it: `definitionRuleNodesMax` limits that.
    name: "levels of lists above a rule",
    counts: depths,
    make: (count) =>
      definitionOf(rooted(nested(count, (items) => ({ type: "array", maxItems: 1, items }), { ...text, ...ruled("self == 'a'") }))),
  },
  {
    name: "levels with a default each",
    counts: depths,
    make: (count) => definitionOf(rooted(nested(count, (d) => ({ type: "object", properties: { d }, default: {} }), text))),
  },
  {
    name: "rules of one value",
    counts: rules,
    make: (count) => definitionOf(rooted({ ...text, ...ruled(...many(count, () => "self == 'a'")) })),
  },
  {
    name: "fields with a rule each",
    counts: rules,
    make: (count) => definitionOf(rooted({ type: "object", properties: fields(count, () => ({ ...text, ...ruled("self == 'a'") })) })),
  },
  {
    name: "conditions of one rule",
    make: (count) => definitionOf(rooted({ ...text, ...ruled(many(count, (index) => `self != 'a${index}'`).join(" && ")) })),
  },
  {
    name: "items of a literal in a rule",
    make: (count) => definitionOf(rooted({ ...text, ...ruled(`self in [${many(count, (index) => `'a${index}'`).join(", ")}]`) })),
  },
  {
    name: "entries of a literal in a rule",
    make: (count) => definitionOf(rooted({ ...text, ...ruled(`self in {${many(count, (index) => `'a${index}': 1`).join(", ")}}`) })),
  },
  {
    name: "macros of one rule",
    make: (count) => definitionOf(rooted({ ...text, ...ruled(many(count, () => "[self].all(x, x == self)").join(" && ")) })),
  },
  {
    name: "faults of a rule",
    isRefused: true,
    make: (count) => definitionOf(rooted({ ...text, ...ruled(many(count, (index) => `self.x${index} == y${index}`).join(" && ")) })),
  },
  { name: "unfinished parts of a rule", isRefused: true, make: (count) => definitionOf(rooted({ ...text, ...ruled("[".repeat(count)) })) },
  {
    name: "columns",
    make: (count) =>
      definitionOf(rooted(text), {
        additionalPrinterColumns: many(count, (index) => ({ name: `c${index}`, type: "string", jsonPath: `.spec.a${index}` })),
      }),
  },
  {
    name: "steps of a column",
    make: (count) =>
      definitionOf(rooted(text), { additionalPrinterColumns: [{ name: "c", type: "string", jsonPath: ".a[0]['b']".repeat(count) }] }),
  },
  {
    name: "values of an enumeration",
    make: (count) => definitionOf(rooted({ type: "string", enum: many(count, (index) => `a${index}`) })),
  },
  { name: "keys of a list", make: (count) => definitionOf(rooted(mapped(count))) },
  ...(["allOf", "anyOf", "oneOf"] as const).map((word) => ({
    name: word,
    make: (count: number): JsonObject => definitionOf(rooted({ type: "string", [word]: many(count, (index) => ({ maxLength: index })) })),
  })),
  {
    name: "levels of not",
    counts: depths,
    make: (count) => definitionOf(rooted({ ...text, ...nested(count, (not) => ({ not }), { maxLength: 1 }) })),
  },
  {
    name: "fields that only anyOf names",
    isRefused: true,
    make: (count) =>
      definitionOf(
        rooted({ type: "object", anyOf: many(count, (index) => ({ properties: { [`f${index}`]: { maxLength: 1, type: "string" } } })) }),
      ),
  },
  {
    name: "patterns",
    make: (count) =>
      definitionOf(rooted({ type: "object", properties: fields(count, (index) => ({ type: "string", pattern: `^a${index}$` })) })),
  },
  {
    name: "defaults",
    make: (count) => definitionOf(rooted({ type: "object", properties: fields(count, () => ({ type: "string", default: "a" })) })),
  },
  {
    name: "items of a default",
    make: (count) =>
      definitionOf(rooted({ type: "array", items: text, [`${prefix}list-type`]: "set", default: many(count, (index) => `a${index}`) })),
  },
  {
    name: "required fields",
    make: (count) =>
      definitionOf(rooted({ type: "object", properties: fields(count, () => text), required: many(count, (index) => `f${index}`) })),
  },
]

/** An update checks more, since content that already breaks a rule may stay. */
export function checked(definition: JsonObject, old?: JsonObject): readonly string[] {
  const failures = new Failures()
  checkDefinition(definition, failures, { vendor, ...(old !== undefined && { old }) })
  return failures.list.map(({ field, detail }) => `${field}: ${detail}`)
}

/** Reads the schemas as the server does to serve the versions. */
export function read(definition: JsonObject): void {
  const { versions } = typed<CustomResourceDefinition>(definition).spec
  for (const { schema } of versions ?? []) {
    withPrunedDefaults(structuralOf(typed(schema?.openAPIV3Schema ?? {}), prefix), objectMetaShape)
  }
}

/** Kinds whose objects are measured like objects of generated kinds. */
export interface ObjectCase {
  readonly name: string
  readonly schema: JsonObject
  readonly columns?: readonly string[]
  readonly counts?: Counts
  readonly spec: (count: number) => JsonValue
  /** The spec of the stored object. Default: the same. */
  readonly before?: (count: number) => JsonValue
  /** Whether the object is valid; default true. */
  readonly isRefused?: boolean
}

const item = { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "integer", default: 1 } } }
const keyed: JsonObject = { type: "array", items: item, [`${prefix}list-type`]: "map", [`${prefix}list-map-keys`]: ["k"] }
const keys = (count: number, v: (index: number) => number): JsonObject[] => many(count, (index) => ({ k: `k${index}`, v: v(index) }))
const words: JsonObject = { type: "array", items: { type: "string" } }

export const objectCases: readonly ObjectCase[] = [
  {
    name: "items of a set",
    schema: { ...words, [`${prefix}list-type`]: "set" },
    spec: (count) => many(count, (index) => `a${index}`),
    before: (count) => many(count, (index) => `a${count - 1 - index}`),
  },
  {
    name: "equal items of a set",
    isRefused: true,
    schema: { ...words, [`${prefix}list-type`]: "set" },
    spec: (count) => many(count, () => "a"),
  },
  {
    name: "items with keys, in another order",
    schema: keyed,
    spec: (count) => keys(count, () => 1),
    before: (count) => keys(count, () => 1).reverse(),
  },
  { name: "equal items with keys", isRefused: true, schema: keyed, spec: (count) => many(count, () => ({ k: "k" })) },
  { name: "unknown fields", schema: { type: "object", properties: {} }, spec: (count) => fields(count, () => ({ a: 1 })) },
  {
    name: "unknown fields of items",
    schema: { type: "array", items: { type: "object" } },
    spec: (count) => many(count, (index) => ({ [`a${index}`]: 1 })),
  },
  {
    name: "entries of a map",
    schema: { type: "object", additionalProperties: { type: "string" } },
    spec: (count) => fields(count, () => "a"),
  },
  {
    name: "levels that the schema does not describe",
    counts: depths,
    schema: { type: "object", [`${prefix}preserve-unknown-fields`]: true },
    spec: (count) => nested(count, (d) => ({ d }), {}),
  },
  {
    name: "values that an update leaves invalid",
    schema: {
      type: "array",
      items: { ...item, properties: { k: { type: "string" }, v: { type: "integer", maximum: 1 } } },
      [`${prefix}list-type`]: "map",
      [`${prefix}list-map-keys`]: ["k"],
    },
    isRefused: true,
    spec: (count) => keys(count, () => 5),
    before: (count) => keys(count, () => 5).reverse(),
  },
  {
    name: "items with a rule",
    schema: { type: "array", items: { ...item, ...ruled("self.k != 'x'", "self.v < 9") } },
    spec: (count) => keys(count, () => 1),
  },
  {
    name: "items with a rule on their old value",
    schema: { ...keyed, items: { ...item, ...ruled("self.v >= oldSelf.v") } },
    spec: (count) => keys(count, () => 2),
    before: (count) => keys(count, () => 1).reverse(),
  },
  {
    name: "items that one rule looks at",
    schema: { ...keyed, ...ruled("self.all(x, x.v < 9) && self.map(x, x.k).size() > 0") },
    spec: (count) => keys(count, () => 1),
  },
  {
    name: "items that a rule compares",
    schema: { ...keyed, ...ruled("self == oldSelf || self.size() > 0") },
    spec: (count) => keys(count, () => 1),
  },
  {
    name: "items that violate a rule",
    isRefused: true,
    schema: { type: "array", items: { ...item, ...ruled("self.v > 5") } },
    spec: (count) => keys(count, () => 1),
  },
  {
    name: "values that junctors speak of",
    schema: { type: "array", items: { type: "string", anyOf: [{ maxLength: 1 }, { enum: ["a1", "a2"] }, { not: { maxLength: 1 } }] } },
    spec: (count) => many(count, (index) => `a${index}`),
  },
  {
    name: "values of an enumeration",
    schema: { type: "array", items: { type: "string", enum: many(2048, (index) => `a${index}`) } },
    spec: (count) => many(count, (index) => `a${index}`),
  },
  {
    name: "items that columns look at",
    schema: keyed,
    columns: [".spec[*].k", ".spec[?(@.k=='k9')].v", "..k", ".spec[-1:].k"],
    spec: (count) => keys(count, () => 1),
  },
  { name: "items that defaults fill", schema: keyed, spec: (count) => many(count, (index) => ({ k: `k${index}` })) },
  {
    name: "embedded resources",
    schema: { type: "array", items: { type: "object", [`${prefix}embedded-resource`]: true, [`${prefix}preserve-unknown-fields`]: true } },
    spec: (count) => many(count, (index) => ({ apiVersion: "v1", kind: "X", metadata: { name: `a${index}` } })),
  },
]

const environment = new Environment({ libraries: [optionalLibrary, ...librariesOf(latestMinor)], variables: { self: stringType } })

/** Expressions over a text of `count` characters. */
export const textCases: readonly { readonly source: string; readonly unit: string }[] = [
  { source: "self.split(',').size() == 0", unit: "a," },
  { source: "self.split('').join('.').size() == 0", unit: "aü" },
  { source: "self.replace('a', 'bc') == 'x'", unit: "ab" },
  { source: "self.replace('', 'b') == 'x'", unit: "ab" },
  { source: "self.format([1]) == 'x'", unit: "%%" },
  { source: "self.indexOf('x') + self.lastIndexOf('x') == 0", unit: "aä" },
  { source: "self.upperAscii().lowerAscii().trim() == 'x'", unit: "aB " },
  { source: "self.matches('^(a|b)*c$')", unit: "ab" },
  { source: "self.findAll('a').size() == 0", unit: "ab" },
  { source: "isQuantity(self) && quantity(self).isInteger()", unit: "1" },
  { source: "isIP(self) || isCIDR(self)", unit: "1:" },
  { source: "isURL(self + 'x') && url('https://a/?' + self).getQuery().size() == 0", unit: "/a&" },
  { source: "self.split(',').map(x, x + x).filter(x, x != 'aa').size() == 1", unit: "a," },
  { source: "self.split(',').isSorted() && self.split(',').max() == 'x'", unit: "a," },
  { source: "strings.quote(self) == self", unit: 'a"' },
]

export function evaluation(source: string, unit: string): (count: number) => () => unknown {
  const compiled = environment.compile(source)
  if (!("program" in compiled)) throw new Error(`${source}: ${JSON.stringify(compiled)}`)
  return (count) => {
    const self = unit.repeat(count)
    return () => compiled.program.evaluate({ self })
  }
}

export type Prepared = Input & { readonly run: () => unknown }
