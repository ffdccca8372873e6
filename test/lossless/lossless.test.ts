/**
 * Nothing that a schema accepts is lost: random schemas × random objects × every storage media type × a restart = the
 * same object at the same resourceVersion. Known losses are planted, and each must be found. LOSSLESS_RUNS sets the
 * number of schemas per property.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { parseJson, stringify } from "../../runtime/encoding/json/text.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import type { StorageFormat } from "../../runtime/registry/object-codec.ts"
import { arbitraryDocument } from "../support/arbitrary-objects.ts"
import { arbitrarySchema, changedSchema, type SchemaCase, type SchemaOptions, schemaFile } from "./arbitrary-schemas.ts"
import { type GeneratedKinds, generatedKinds, type PlantedMistake, RefusedByGenerator } from "./generated-kinds.ts"
import { foundBy, plantedMistakes } from "./planted.ts"
import { migrateStore, openStore, startLife } from "./served-objects.ts"

const runs = Number(process.env.LOSSLESS_RUNS ?? 100)
/** Kinds of one run of the loader and generator, which takes most of the time. */
const kindsAtOnce = 10
const objectsOfKind = 3
const formats: readonly StorageFormat[] = ["compact", "json", "yaml"]

interface LosslessCase {
  readonly schemas: readonly SchemaCase[]
  readonly generated: GeneratedKinds
  /** For each kind, the `spec` of its objects. */
  readonly objects: readonly (readonly JsonObject[])[]
  readonly format: StorageFormat
}

function cases(options: SchemaOptions, planted: PlantedMistake): fc.Arbitrary<LosslessCase> {
  return fc
    .tuple(fc.array(arbitrarySchema(options), { minLength: 1, maxLength: kindsAtOnce, size: "max" }), fc.constantFrom(...formats))
    .chain(([schemas, format]) => {
      const generated = generatedKinds(
        schemas.map((schema, index) => schemaFile(schema, index)),
        planted,
      )
      const objects = schemas.map((_schema, index) =>
        fc.array(arbitraryDocument(generated.shapeOf(`kitchen.example.com.v1.Cup${index}T0`)), {
          minLength: 1,
          maxLength: objectsOfKind,
        }),
      )
      const shown = (): string => schemas.map((schema, index) => schemaFile(schema, index)[1]).join("\n")
      return fc.tuple(...objects).map((found) => ({
        schemas,
        generated,
        objects: found,
        format,
        [fc.toStringMethod]: () => `${format} ${stringify(found.map((list) => [...list]))} of\n${shown()}`,
      }))
    })
}

/** Writes the objects with a first server. Returns their JSON and the store. */
async function firstLife({ generated: { kinds }, objects, format }: LosslessCase, planted: PlantedMistake = {}) {
  const store = await openStore()
  const life = await startLife({ store, kinds, format, ...unchecked(planted) })
  const written = new Map<string, string>()
  for (const [at, specs] of objects.entries()) {
    const kind = kinds.find(({ kind: name }) => name === `Cup${at}`)
    if (kind === undefined) throw new Error("every schema gives a kind")
    for (const [index, spec] of specs.entries()) written.set(`${kind.kind} o${index}`, await life.create(kind, `o${index}`, { spec }))
  }
  const served = await life.served()
  await life.stop()
  expectSame(served, written)
  return { store, written }
}

function unchecked(planted: PlantedMistake): { unchecked?: boolean } {
  return planted.unchecked === true ? { unchecked: true } : {}
}

function expectSame(found: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): void {
  for (const [name, json] of expected)
    if (canonical(found.get(name) ?? "null") !== canonical(json))
      throw new Error(`${name} was served as ${json} and is served as ${found.get(name)}`)
}

/** The JSON without the order of fields: defaults are served after the other fields until a restart. */
function canonical(json: string): string {
  return stringify(sorted(parseJson(json).value))
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner ?? null)] as const)
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
}

async function survivesRestart(one: LosslessCase, planted: PlantedMistake = {}): Promise<void> {
  const { store, written } = await firstLife(one, planted)
  const { kinds } = generatedKinds(
    one.schemas.map((schema, index) => schemaFile(schema, index)),
    planted,
  )
  // Uses another media type after the restart: stored values name their own.
  for (const format of formats) {
    const life = await startLife({ store, kinds, format, ...unchecked(planted) })
    expect(life.refused).toEqual([])
    const served = await life.served()
    await life.stop()
    expectSame(served, written)
  }
  await store.close()
}

const renumberings: readonly ((place: number) => number)[] = [
  (place) => place + 3,
  (place) => (place === 0 ? 3 : place === 1 ? 2 : place + 2),
  (place) => 40 - place,
]

/** The schemas change their numbers: the start refuses, or every field keeps its value; after a migration, too. */
async function survivesRenumbering(one: LosslessCase, renumber: (place: number) => number, planted: PlantedMistake = {}): Promise<void> {
  const { store, written } = await firstLife(one, planted)
  const { kinds } = generatedKinds(
    one.schemas.map((schema, index) => schemaFile(schema, index, renumber)),
    planted,
  )
  const how = { store, kinds, format: one.format, ...unchecked(planted) }
  const life = await startLife(how)
  const refused = new Set(life.refused.map(({ kind }) => kind.kind))
  const readable = [...written].filter(([name]) => !refused.has(name.split(" ")[0] ?? ""))
  if (readable.length > 0) expectSame(await life.served(), new Map(readable))
  await life.stop()
  if (planted.unchecked !== true) {
    expect(await migrateStore(how)).toEqual([])
    const migrated = await startLife(how)
    expect(migrated.refused).toEqual([])
    const served = await migrated.served()
    await migrated.stop()
    expectSame(withoutVersions(served), withoutVersions(written))
  }
  await store.close()
}

/** Undefined when the generator refuses the schemas beside the lock of earlier ones. */
function acceptedKinds(schemas: readonly SchemaCase[], numbers: string): GeneratedKinds | undefined {
  try {
    const files = schemas.map((schema, index) => schemaFile(schema, index))
    return generatedKinds(files, {}, numbers)
  } catch (error) {
    if (error instanceof RefusedByGenerator) return undefined
    throw error
  }
}

/**
 * The schemas gain and lose fields, whose numbers the generator assigns and remembers: the next server reads each field
 * that both have, also when kinds are stored in another form than before.
 */
async function survivesChanges(one: LosslessCase, changed: readonly SchemaCase[]): Promise<void> {
  const next = acceptedKinds(changed, one.generated.numbers)
  if (next === undefined) return
  const { kinds, shapeOf } = next
  const { store, written } = await firstLife(one)
  const life = await startLife({ store, kinds, format: one.format })
  expect(life.refused).toEqual([])
  const served = await life.served()
  const expected = [...written].map(([name, json]) => {
    const { value } = parseJson(json)
    return [name, stringify(normalize(shapeOf(`kitchen.example.com.v1.${name.split(" ")[0]}`), value).object)] as const
  })
  expectSame(served, new Map(expected))
  await life.stop()
  await store.close()
}

/** A migration writes, so the objects have other versions. */
function withoutVersions(objects: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...objects].map(([name, json]) => [name, json.replace(/"resourceVersion":"\d+"/, '"resourceVersion":""')]))
}

/** Checks that every field with a default shows it when a client leaves the field out, whatever its type. */
async function showsDefaults(one: LosslessCase, planted: PlantedMistake = {}): Promise<void> {
  const { store, written } = await firstLife({ ...one, objects: one.schemas.map(() => [{}]) }, planted)
  await store.close()
  for (const [index] of one.schemas.entries()) {
    const served = parseJson(written.get(`Cup${index} o0`) ?? "").value
    const spec = isObject(served) && isObject(served.spec) ? served.spec : {}
    for (const field of one.generated.model.types.get(`kitchen.example.com.v1.Cup${index}T0`)?.fields ?? []) {
      if (field.default === undefined || field.default === "") continue
      const canonical =
        field.default === "1h" ? "1h0m0s" : field.default === "90m" ? "1h30m0s" : field.default === "1000m" ? "1" : field.default
      if (stringify(spec[field.name] ?? null) !== stringify(canonical))
        throw new Error(`${field.name} has the default ${stringify(field.default)} and is served as ${stringify(spec[field.name] ?? null)}`)
    }
  }
}

const numRuns = Math.ceil(runs / kindsAtOnce)
const timeout = 60_000 + runs * 1000

describe("what a schema accepts survives", { timeout }, () => {
  it("a restart, with every media type", async () => {
    await fc.assert(
      fc.asyncProperty(cases({ defaults: false }, {}), (one) => survivesRestart(one)),
      { numRuns },
    )
  })

  it("a restart, with defaults", async () => {
    await fc.assert(
      fc.asyncProperty(cases({}, {}), async (one) => {
        await survivesRestart(one)
        await showsDefaults(one)
      }),
      { numRuns },
    )
  })

  it("other numbers, or the start refuses", async () => {
    await fc.assert(
      fc.asyncProperty(cases({ defaults: false }, {}), fc.constantFrom(...renumberings), (one, renumber) =>
        survivesRenumbering(one, renumber),
      ),
      { numRuns },
    )
  })

  it("fields that come and go", async () => {
    const options: SchemaOptions = { defaults: false, stated: false }
    const property = cases(options, {}).chain((one) =>
      fc.tuple(fc.constant(one), fc.tuple(...one.schemas.map((schema) => changedSchema(schema)))),
    )
    await fc.assert(
      fc.asyncProperty(property, ([one, changed]) => survivesChanges(one, changed)),
      { numRuns },
    )
  })
})

describe("a planted loss is found", { timeout }, () => {
  it.each(Object.entries(plantedMistakes))("%s", async (_name, { planted, options, finds }) => {
    const property = fc.asyncProperty(cases(options, planted), fc.constantFrom(...renumberings), async (one, renumber) => {
      if (finds === "restart") await survivesRestart(one, planted)
      else if (finds === "defaults") await showsDefaults(one, planted)
      else await survivesRenumbering(one, renumber, planted)
    })
    const { failed, errorInstance } = await fc.check(property, { numRuns: 30, endOnFailure: true })
    expect(failed).toBe(true)
    expect(String(errorInstance)).toMatch(foundBy[finds])
  })
})
