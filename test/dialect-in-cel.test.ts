/**
 * Each expression of `schemas/`, compiled to TypeScript by the generator and evaluated by CEL, gives the same result on
 * random objects, in which fields are absent as well.
 */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { emitContext } from "../codegen/emit/context.ts"
import { compileCondition, compileValue, type ExpressionScope, findField } from "../codegen/emit/expression.ts"
import { FileBuilder } from "../codegen/emit/file-builder.ts"
import { repositoryOptions } from "../codegen/emit/options.ts"
import { builtInSchemas, readSchemas } from "../codegen/folder.ts"
import { load } from "../codegen/load/index.ts"
import { isConstantList } from "../model/defaults.ts"
import { dynType } from "../cel/index.ts"
import type { StructSource } from "../model/expression/checked.ts"
import { valueInfo } from "../model/expression/field-types.ts"
import { DialectCompiler } from "../model/expression/in-cel.ts"
import { dialectLibrary, plainOf } from "../model/expression/library.ts"
import { structType } from "../model/expression/types.ts"
import type { ExpressionModel, FieldModel, KindModel, Model, TemplatePart } from "../model/model.ts"
import { shapesOf } from "../model/shapes.ts"
import type { JsonObject, JsonValue } from "../runtime/base/json.ts"
import { DecodeFault } from "../runtime/encoding/json/decode-fault.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import { vendorProfile } from "../runtime/base/vendor.ts"
import * as expressions from "../runtime/schema/expression.ts"
import * as doorway from "../runtime/schema/index.ts"
import { arbitraryObject } from "./support/arbitrary-objects.ts"
import { ObjectValue } from "./support/dialect-values.ts"

const loaded = load(readSchemas(builtInSchemas))
if (!("model" in loaded)) throw new Error("schemas/ has faults")
const { model } = loaded

interface Placed {
  readonly type: string
  readonly text: string
  readonly expression: ExpressionModel
  readonly condition: boolean
}

function templates(type: string, parts: readonly TemplatePart[]): Placed[] {
  return parts.flatMap((part) => (typeof part === "string" ? [] : [value(type, part)]))
}
function value(type: string, expression: ExpressionModel): Placed {
  return { type, text: expression.text, expression, condition: false }
}
function condition(type: string, expression: ExpressionModel | undefined): Placed[] {
  return expression === undefined ? [] : [{ type, text: expression.text, expression, condition: true }]
}

/** Selectable fields are read from the stored form. */
function storedType({ type, storage }: KindModel): string {
  const isStored = (one: KindModel): boolean => one.group === storage.group && one.version === storage.version && one.kind === storage.kind
  return model.kinds.find(isStored)?.type ?? type
}

function ofKind(kind: KindModel): Placed[] {
  const { type, columns, selectable, warnings, completed } = kind
  return [
    ...columns.map((column) => value(type, column.value)),
    ...selectable.map((one) => value(storedType(kind), one.value)),
    ...warnings.flatMap((one) => [...condition(type, one.when), ...templates(type, one.textParts)]),
    ...completed.flatMap((one) => [...condition(type, one.when), ...templates(type, one.textParts)]),
  ]
}

function all({ kinds, types }: Model): Placed[] {
  const ofTypes = [...types.values()].flatMap(({ name, rules, defaults }) => [
    ...rules.flatMap((rule) => [...condition(name, rule.rule), ...condition(name, rule.when), ...templates(name, rule.messageParts)]),
    ...defaults.flatMap(({ to, when }) => [...(isConstantList(to) ? [] : [value(name, to)]), ...condition(name, when)]),
  ])
  const found = [...kinds.flatMap(ofKind), ...ofTypes]
  return [...new Map(found.map((one) => [`${one.type} ${one.condition} ${one.text}`, one])).values()]
}

const structs: StructSource = {
  field: (struct, name) => {
    const field = findField(model, struct, name)
    return field && valueInfo(field)
  },
  names: (struct) => namesOf(model.types.get(struct)?.fields ?? []),
  open: (struct) => model.types.get(struct)?.preserveUnknown === true,
}

function namesOf(fields: readonly FieldModel[]): string[] {
  return fields.flatMap((field) =>
    field.inline && "ref" in field.type ? namesOf(model.types.get(field.type.ref)?.fields ?? []) : [field.name],
  )
}

const nowMs = 1_700_000_000_000
const vendor = vendorProfile("orch")
const { age, formatLabels, formatSelector, selectorString, lbAddresses, vendorText } = doorway
const library = dialectLibrary({
  age: (moment) => age(moment, nowMs),
  vendor: (name) => vendorText(vendor, name),
  formatLabels,
  formatSelector,
  selectorString,
  lbAddresses,
})
const compiler = new DialectCompiler(structs, library)

const context = emitContext(model, repositoryOptions(model))
const variables = ["self", "root", "oldSelf", "oldRoot"] as const
type Variables = Readonly<Record<(typeof variables)[number], JsonObject>>

/** The generator's code for the expression, as a function. */
function compiled({ type, expression, condition: isCondition }: Placed): (values: Variables) => expressions.Value {
  const file = context.files.get(model.types.get(type)?.file ?? "")
  if (file === undefined) throw new Error(`${type} has no file`)
  const used = new Set<string>()
  class Names extends FileBuilder {
    override runtime(name: string): string {
      used.add(name)
      return name
    }
  }
  const scope: ExpressionScope = {
    self: "self",
    root: "root",
    oldSelf: "oldSelf",
    oldRoot: "oldRoot",
    nowMs: "nowMs",
    vendor: "vendor",
    cell: "",
  }
  const code = (isCondition ? compileCondition : compileValue)(new Names(context, file, "validate"), expression, scope)
  const names = [...used].join(", ")
  const make = new Function("doorway", "nowMs", "vendor", `const { ${names} } = doorway; return (${variables.join(", ")}) => (${code})`)
  const run: (...values: JsonObject[]) => expressions.Value = make({ ...doorway, ...expressions }, nowMs, vendor)
  return (values) => run(...variables.map((name) => values[name]))
}

/** Shapes of the fields that the expression names, so that random objects have them. */
function shapeFor({ type, text }: Placed): ReturnType<ReturnType<typeof shapesOf>> {
  const words = new Set(text.match(/\w+/g))
  return shapesOf((name) => {
    const known = model.types.get(name)
    const fields = known?.fields ?? []
    const named = fields.filter((field) => field.inline || words.has(field.name))
    return { preserveUnknown: known?.preserveUnknown === true, fields: named.length === 0 ? fields.slice(0, 3) : named }
  })(type)
}

/** Puts texts and numbers of the expression in place of every other random one: comparisons hold now and then. */
function withLiterals(json: JsonValue, literals: readonly JsonValue[], pick: () => number): JsonValue {
  if (Array.isArray(json)) return json.map((one: JsonValue) => withLiterals(one, literals, pick))
  if (typeof json === "object" && json !== null)
    return Object.fromEntries(Object.entries(json).map(([key, one]) => [key, withLiterals(one ?? null, literals, pick)]))
  const same = literals.filter((one) => typeof one === typeof json)
  const at = pick()
  return typeof json === "string" && /^[-+.0-9TZ:]|^$/.test(json)
    ? json
    : ((at % 2 === 0 ? same[(at >> 1) % same.length] : undefined) ?? json)
}

function literalsOf({ text, type }: Placed): JsonValue[] {
  const texts = [...text.matchAll(/"([^"\\]*)"|'([^'\\]*)'/g)].map(([, one, other]) => one ?? other ?? "")
  const numbers = (text.match(/\b\d+\b/g) ?? []).map(Number)
  const enums = (model.types.get(type)?.fields ?? []).flatMap((field) => field.enum ?? [])
  return [...texts, ...numbers, ...enums]
}

function objects(placed: Placed): fc.Arbitrary<JsonObject> {
  const literals = literalsOf(placed)
  const shape = shapeFor(placed)
  return fc.tuple(arbitraryObject(shape), fc.infiniteStream(fc.nat(1000))).map(([object, picks]) => {
    const made = withLiterals(object, literals, () => picks.next().value ?? 0)
    if (typeof made !== "object" || made === null || Array.isArray(made)) return {}
    try {
      return normalize(shape, made, { typeMeta: false }).object
    } catch (error) {
      // Expected: some literals are no values of their field's type, such as bytes.
      if (!(error instanceof DecodeFault)) throw error
      return normalize(shape, object, { typeMeta: false }).object
    }
  })
}

/** Quantities, durations and times in their canonical text. */
function canonical(value: JsonValue | undefined): unknown {
  if (typeof value !== "string") return value === null ? undefined : value
  const read = expressions.duration(value) ?? expressions.time(value) ?? expressions.quantity(value)
  return read === undefined ? value : expressions.json(read)
}

const expressionsOfSchemas = all(model)

test("there are expressions", () => expect(expressionsOfSchemas.length).toBeGreaterThan(300))

describe.each([...new Set(expressionsOfSchemas.map(({ type }) => type))])("%s", (type) => {
  const own = expressionsOfSchemas.filter((one) => one.type === type && !one.text.includes("behaviour("))
  test.each(own)("$text", (placed) => {
    const program = compiler.compile(placed.text, { self: structType(type), root: dynType })
    if (!("program" in program)) throw new Error("issues" in program ? program.issues.text : program.fault)
    const run = compiled(placed)
    const property = fc.property(objects(placed), objects(placed), (self, oldSelf) => {
      const values = { self, root: self, oldSelf, oldRoot: oldSelf }
      const expected = expressions.json(run(values))
      const of = (json: JsonObject): ObjectValue => new ObjectValue(model, type, json)
      const { value: result } = program.program.evaluate({ self: of(self), root: of(self), oldSelf: of(oldSelf), oldRoot: of(oldSelf) })
      const found = expressions.json(plainOf(result))
      if (placed.condition) expect(found === true).toBe(expected === true)
      else expect(canonical(found)).toEqual(canonical(expected))
    })
    fc.assert(property, { numRuns: 25 })
  })
})
