/**
 * Random schemas and objects: properties of pruning, defaults and validation, and ajv's results for the keywords of
 * JSON Schema.
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { objectMetaShape } from "../../../generated/meta/v1/object-meta/shape.ts"
import { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepClone } from "../../encoding/field-path.ts"
import { shapePlanOf } from "../../encoding/shape-plan.ts"
import { unknownFields } from "../../encoding/unknown-fields.ts"
import { type Structural, structuralOf } from "../structural.ts"
import { defaultObject } from "./defaults.ts"
import { normalizeEmbedded } from "./embedded.ts"
import { withPrunedDefaults } from "./pruned-defaults.ts"
import { pruneObject } from "./prune.ts"
import { shapeOfDefinition } from "./shape.ts"
import { UnknownNames } from "./unknown-names.ts"
import { validateObject } from "./validate.ts"

const names = fc.constantFrom("a", "b", "c", "d", "x.y/z")
const texts = fc.constantFrom("", "a", "abc", "a1", "😀b", "2024-01-01", "zz")
const numbers = fc.oneof(fc.integer({ min: -5, max: 12 }), fc.constantFrom(0.5, 2.5, -1.5))

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
}))
const objects: fc.Arbitrary<JsonObject> = fc.dictionary(names, value, { maxKeys: 5 })

/** Keywords with the same meaning in JSON Schema. */
const textKeywords = fc.record(
  {
    minLength: fc.nat(3),
    maxLength: fc.integer({ min: 1, max: 3 }),
    pattern: fc.constantFrom("^a", "[0-9]", "b$"),
    enum: fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const integerKeywords = fc.record(
  {
    minimum: fc.integer({ min: -3, max: 5 }),
    maximum: fc.integer({ min: 0, max: 9 }),
    multipleOf: fc.integer({ min: 1, max: 4 }),
    enum: fc.uniqueArray(fc.integer({ min: -2, max: 5 }), { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [] },
)
const objectKeywords = fc.record(
  { minProperties: fc.nat(2), maxProperties: fc.integer({ min: 1, max: 4 }), required: fc.uniqueArray(names, { maxLength: 2 }) },
  { requiredKeys: [] },
)

const { nested } = fc.letrec<{ nested: JsonObject }>((tie) => ({
  // Schemas within junctors have no types.
  nested: fc.oneof(
    { depthSize: "xsmall" },
    textKeywords,
    integerKeywords,
    objectKeywords,
    fc.record({ properties: fc.dictionary(names, tie("nested"), { minKeys: 1, maxKeys: 2 }) }),
    fc.record({ items: tie("nested") }),
    fc.record({ not: tie("nested") }),
  ),
}))
const nestedList = fc.array(nested, { minLength: 1, maxLength: 3 })
const junctors = fc.record({ anyOf: nestedList, oneOf: nestedList, allOf: nestedList, not: nested }, { requiredKeys: [] })
const withJunctors = (schema: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    { weight: 3, arbitrary: schema },
    { weight: 1, arbitrary: fc.tuple(schema, junctors).map(([own, more]) => ({ ...own, ...more })) },
  )

const { schema: schemas } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: withJunctors(
    fc.oneof(
      { depthSize: "small" },
      textKeywords.map((keywords) => ({ type: "string", ...keywords })),
      integerKeywords.map((keywords) => ({ type: "integer", ...keywords })),
      fc.constantFrom({ type: "number" }, { type: "boolean" }),
      fc
        .tuple(tie("schema"), fc.record({ minItems: fc.nat(2), maxItems: fc.integer({ min: 1, max: 4 }) }, { requiredKeys: [] }))
        .map(([items, keywords]) => ({ type: "array", items, ...keywords })),
      fc.tuple(fc.dictionary(names, tie("schema"), { maxKeys: 4 }), objectKeywords).map(([properties, keywords]) => ({
        type: "object",
        properties,
        ...keywords,
      })),
      tie("schema").map((additionalProperties) => ({ type: "object", additionalProperties })),
    ),
  ),
}))
const roots = fc.dictionary(names, schemas, { minKeys: 1, maxKeys: 4 }).map((properties) => ({ type: "object", properties }))

/** Adds defaults and extensions to some schemas; the result may refuse its own defaults. */
function decorated(schema: JsonObject, choices: readonly number[], value: () => JsonValue): JsonObject {
  let at = 0
  const choose = (of: number): boolean => (choices[at++ % choices.length] ?? 0) % of === 0
  const walk = (node: JsonValue, isField: boolean): JsonValue => {
    if (!isObject(node)) return node
    const { properties, items, additionalProperties } = node
    return {
      ...node,
      ...(isObject(properties) && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, walk(one ?? {}, true)])),
      }),
      ...(items !== undefined && { items: walk(items, true) }),
      ...(additionalProperties !== undefined && { additionalProperties: walk(additionalProperties, true) }),
      ...(isField && choose(3) && { default: value() }),
      ...(isField && choose(4) && { nullable: true }),
      ...(node.type === "object" && choose(5) && { "x-kubernetes-preserve-unknown-fields": true }),
      ...(node.type === "object" && isField && choose(6) && { "x-kubernetes-embedded-resource": true }),
      ...(node.type === "array" && choose(4) && { "x-kubernetes-list-type": choose(2) ? "set" : "atomic" }),
    }
  }
  const root = walk(schema, false)
  return isObject(root) ? root : schema
}

const decoratedSchemas: fc.Arbitrary<Structural> = fc
  .tuple(roots, fc.array(fc.nat(60), { minLength: 5, maxLength: 30 }), fc.array(value, { minLength: 1, maxLength: 8 }))
  .map(([root, choices, values]) => {
    let at = 0
    return structuralOf(
      decorated(root, choices, () => values[at++ % values.length] ?? null),
      "x-kubernetes-",
    )
  })

describe("for any schema and any object", () => {
  it("validation gives the verdict of ajv", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, inlineRefs: false })
    const verdicts = { valid: 0, invalid: 0 }
    fc.assert(
      fc.property(roots, fc.array(objects, { minLength: 8, maxLength: 8 }), (root, samples) => {
        const schema = structuralOf(root, "x-kubernetes-")
        const verdictOf = ajv.compile(root)
        ajv.removeSchema(root)
        for (const object of samples) {
          const failures = new Failures()
          validateObject(object, schema, failures)
          const isValid = verdictOf(object)
          verdicts[isValid ? "valid" : "invalid"]++
          expect({ isValid: failures.empty, failures: failures.list, object }).toMatchObject({ isValid })
        }
      }),
      { numRuns: 120 },
    )
    expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(100)
  })

  it("pruning is idempotent, and names what it drops once", () => {
    fc.assert(
      fc.property(decoratedSchemas, objects, (schema, object) => {
        pruneObject(object, schema)
        const again = deepClone(object)
        const unknown = new UnknownNames()
        pruneObject(again, schema, { unknown })
        expect(again).toEqual(object)
        expect(unknown.list()).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it("defaults are idempotent", () => {
    fc.assert(
      fc.property(decoratedSchemas, objects, (schema, object) => {
        pruneObject(object, schema)
        defaultObject(object, schema)
        const again = deepClone(object)
        defaultObject(again, schema)
        expect(again).toEqual(object)
      }),
      { numRuns: 2000 },
    )
  })

  it("pruned defaults hold nothing that an object would lose", () => {
    fc.assert(
      fc.property(decoratedSchemas, objects, (schema, object) => {
        const pruned = withPrunedDefaults(schema, objectMetaShape)
        pruneObject(object, pruned)
        defaultObject(object, pruned)
        const unknown = new UnknownNames()
        pruneObject(object, pruned, { unknown })
        expect(unknown.list()).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it("the shape knows what pruning keeps", () => {
    fc.assert(
      fc.property(decoratedSchemas, objects, (schema, object) => {
        pruneObject(object, schema)
        normalizeEmbedded(object, schema, { metadata: objectMetaShape, malformed: "drop" })
        const shape = shapeOfDefinition("a.orch.io.v1.A", schema, objectMetaShape)
        expect(unknownFields(shapePlanOf(shape), object, true)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it("nothing throws", () => {
    const any = fc.jsonValue({ maxDepth: 5 }).map((json) => json as JsonValue)
    fc.assert(
      fc.property(decoratedSchemas, fc.dictionary(fc.string(), any), fc.dictionary(fc.string(), any), (schema, object, old) => {
        pruneObject(object, schema, { unknown: new UnknownNames() })
        normalizeEmbedded(object, schema, { metadata: objectMetaShape, malformed: "drop" })
        defaultObject(object, schema)
        const scale = { specReplicasPath: ".a.b", statusReplicasPath: ".c", labelSelectorPath: ".d.e" }
        validateObject(object, schema, new Failures(), { old, scale, checkMetadata: () => undefined })
      }),
      { numRuns: 2000 },
    )
  })
})
