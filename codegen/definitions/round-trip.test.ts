import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseAllDocuments } from "yaml"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { isObject } from "../../runtime/base/json.ts"
import { readSchemas } from "../folder.ts"
import { pathText } from "./findings.ts"
import { sameJson } from "./names.ts"
import { definitions } from "./testing/arbitrary-definition.ts"
import { factsOf } from "./testing/facts.ts"
import { definitionsOfSchemas, differences, loadedModel, plainDefinition, schemasOf, textsOf, unreported } from "./testing/round-trip.ts"

const samples = join(import.meta.dirname, "samples")

function sample(name: string): JsonObject {
  const value: JsonValue = parseAllDocuments(readFileSync(join(samples, name), "utf8"))[0]?.toJS()
  if (!isObject(value)) throw new Error(`${name} holds no definition`)
  return value
}

/** A definition, the schemas made of it, and the definition made of these schemas. */
function andBack(definition: JsonObject) {
  const converted = schemasOf([definition])
  const [made] = definitionsOfSchemas(textsOf(converted))
  const findings = converted.flatMap((one) => one.findings.all)
  const changed = differences(plainDefinition(definition), plainDefinition(made?.object ?? {}))
  return { findings, made, unreported: unreported(changed, findings).map(pathText) }
}

describe("definition -> schema -> definition is equal, or the difference is reported", () => {
  test.each(readdirSync(samples))("%s", (name) => {
    const { made, unreported } = andBack(sample(name))
    expect(unreported).toEqual([])
    // A definition can express every schema that was made of a definition.
    const lost = made?.findings.flatMap(({ found }) => found.all.filter(({ severity }) => severity === "lost"))
    expect(lost?.map(({ path, text }) => `${pathText(path)}: ${text}`)).toEqual([])
  })
})

test("random definitions come back, or the difference is reported, and gen accepts what they become", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(definitions, (definition) => {
      expect(andBack(definition).unreported).toEqual([])
    }),
    { numRuns: 150 },
  )
})

const repository = join(import.meta.dirname, "..", "..")
const goldenCases = readdirSync(join(repository, "test", "golden"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "library")
  .map(({ name }) => join("test", "golden", name, "schemas"))

/** Schemas of a folder. Adds a kind that holds the types, if no kind has them. */
function withHolder(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const own = [...files].filter(([path]) => !path.startsWith("core/"))
  if (own.some(([, text]) => /^kind:/m.test(text))) return new Map(own)
  const types = own.flatMap(([, text]) => [...text.matchAll(/^ {2}([A-Z]\w*):/gm)].map(([, name = ""]) => name))
  if (types.length === 0) return new Map()
  const fields = types.map((name) => `  ${name.toLowerCase()}: {type: ${name}, pointer: true, doc: A ${name}.}`)
  const holder = [
    "kind: Holder",
    "group: kitchen.example.com",
    "version: v1",
    "doc: Holds.",
    "scope: Cluster",
    "names: {plural: holders}",
    "fields:",
    ...fields,
  ]
  return new Map([...own, ["kitchen.example.com/v1/holder.yaml", `${holder.join("\n")}\n`]])
}

describe("schema -> definition -> schema is equal, or the difference is reported", () => {
  test.each(["examples/queues/schemas", "examples/quota/schemas", ...goldenCases])("%s", (folder) => {
    const files = withHolder(readSchemas(join(repository, folder)))
    if (files.size === 0) return
    const model = loadedModel(files)
    const made = definitionsOfSchemas(files, model)
    const objects = made.flatMap(({ object }) => (object === undefined ? [] : [object]))
    const converted = schemasOf(objects)
    const texts = textsOf(converted)
    const again = loadedModel(texts)
    for (const { findings } of made)
      for (const { file, found } of findings) {
        const kind = model.kinds.find((one) => one.file === file)
        const back = again.kinds.find((one) => one.group === kind?.group && one.version === kind.version && one.kind === kind.kind)
        if (kind === undefined || (back === undefined && found.losses > 0)) continue
        const changed = differences(factsOf(kind, model), back === undefined ? {} : factsOf(back, again))
        expect(unreported(changed, found.all).map(pathText)).toEqual([])
      }
    // A second conversion gives the same definitions.
    const second = definitionsOfSchemas(texts, again)
    const reported = converted.flatMap(({ findings }) => findings.all)
    for (const [index, object] of objects.entries()) {
      const other = second.find(({ object: one }) => sameJson(one?.metadata, object.metadata))?.object ?? {}
      expect(
        unreported(differences(plainDefinition(object), plainDefinition(other)), reported).map(pathText),
        `definition ${index}`,
      ).toEqual([])
    }
  })
})
