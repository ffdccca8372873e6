import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatDiagnostic, load } from "./index.ts"

const folder = "kitchen.example.com/v1"
const prefix = "kitchen.example.com.v1"

/** A file of shared types: `Cup: {size: "int32, number: 2"}`. */
function file(types: Record<string, Record<string, string>>): string {
  const body = Object.entries(types).map(([name, fields]) => {
    const lines = Object.entries(fields).map(([field, type]) => `      ${field}: {type: ${quoted(type)}, doc: A field.}\n`)
    return `  ${name}:\n    doc: A type.\n    fields:${lines.length === 0 ? " {}\n" : `\n${lines.join("")}`}`
  })
  return `types:${body.length === 0 ? " {}\n" : `\n${body.join("")}`}`
}

/** Quotes a list type: `"[]string", number: 2`. */
function quoted(type: string): string {
  const [first = "", ...rest] = type.split(",")
  return [`"${first}"`, ...rest].join(",")
}

interface Answer {
  readonly lock: string
  /** Numbers by `Type.field`. */
  readonly numbers: Record<string, number | undefined>
  readonly faults: readonly string[]
}

function run(
  files: Record<string, string>,
  numbers?: string,
  more: { accept?: string; library?: ReadonlyMap<string, string> } = {},
): Answer {
  const texts = new Map(Object.entries(files).map(([name, text]) => [`${folder}/${name}.yaml`, text]))
  const loaded = load(texts, { ...(numbers !== undefined && { numbers }), ...more })
  if ("diagnostics" in loaded) return { lock: "", numbers: {}, faults: loaded.diagnostics.map((one) => formatDiagnostic(one)) }
  const all = [...loaded.model.types.values()].flatMap((type) =>
    type.fields.map((field): [string, number | undefined] => [`${type.localName}.${field.name}`, field.number]),
  )
  return { lock: loaded.numbers, numbers: Object.fromEntries(all), faults: [] }
}

function one(types: Record<string, Record<string, string>>, numbers?: string, accept?: string): Answer {
  return run({ cup: file(types) }, numbers, accept === undefined ? {} : { accept })
}

/** No type has a number twice. Schemas with faults have no numbers. */
function expectUnique({ numbers }: Answer): void {
  const taken = Object.entries(numbers).flatMap(([field, number]) =>
    number === undefined ? [] : [`${field.replace(/\..*/, "")} ${number}`],
  )
  expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted())
}

describe("numbers", () => {
  test("are the lowest free ones, in the order of the file, beside those that are stated", () => {
    const { numbers } = one({ Cup: { size: "int32", name: "string, number: 1", use: "string", depth: "int32, number: none" } })
    expect(numbers).toEqual({ "Cup.size": 2, "Cup.name": 1, "Cup.use": 3, "Cup.depth": undefined })
  })

  test("of fields that are gone are reserved, each once", () => {
    const lock = one({ Cup: { size: "int32", colour: "string", depth: "int32" } }).lock
    const again = one({ Cup: { size: "int32" } }, lock).lock
    const loaded = load(new Map([[`${folder}/cup.yaml`, file({ Cup: { size: "int32", use: "string" } })]]), { numbers: again })
    expect("model" in loaded && loaded.model.types.get(`${prefix}.Cup`)).toMatchObject({
      reserved: [2, 3],
      fields: [
        { name: "size", number: 1 },
        { name: "use", number: 4 },
      ],
    })
  })

  test("of fields that are gone or renamed are a warning once, which names the new field of the same type", () => {
    const lock = one({ Cup: { size: "int32", colour: "string", depth: "int32" } }).lock
    const warningsOf = (types: Record<string, Record<string, string>>, numbers: string): readonly string[] => {
      const loaded = load(new Map([[`${folder}/cup.yaml`, file(types)]]), { numbers })
      return "diagnostics" in loaded ? ["faults"] : loaded.warnings.map((warning) => formatDiagnostic(warning))
    }
    const after = { Cup: { size: "int32", paint: "string" } }
    const gone = "objects that are stored with it lose it; its number"
    expect(warningsOf(after, lock)).toEqual([
      expect.stringContaining(`cup.yaml:2:3: depth of Cup was removed: ${gone} 3 stays reserved; expected depth beside the other fields`),
      expect.stringContaining(
        `cup.yaml:6:7: colour of Cup was removed or renamed to paint: ${gone} 2 stays reserved; expected colour beside`,
      ),
    ])
    expect(warningsOf(after, one(after, lock).lock)).toEqual([])
    // A new type for the same name is a fault or accepted, and a field more is no loss.
    expect(warningsOf({ Cup: { size: "int64", colour: "string", depth: "int32", lid: "string" } }, lock)).toEqual([])
  })

  test("avoid the range of protobuf", () => {
    const fields = Object.fromEntries(Array.from({ length: 19_000 }, (_, at) => [`f${at}`, "string"]))
    const { numbers } = one({ Cup: fields })
    expect([numbers["Cup.f18998"], numbers["Cup.f18999"]]).toEqual([18_999, 20_000])
  })

  test("leave out what the compact encoding does not hold, and the types that are only that", () => {
    const { numbers } = one({ Cup: { grid: "[][]string" }, Tray: { cup: "Cup", name: "string", cups: "map<map<Cup>>" } })
    expect(numbers).toEqual({ "Cup.grid": undefined, "Tray.cup": undefined, "Tray.name": 1, "Tray.cups": undefined })
  })

  test("of an object: metadata is 1 wherever it is written, kind and apiVersion have none", () => {
    const kind = `kind: Cup\ngroup: kitchen.example.com\nversion: v1\ndoc: A cup.\nscope: Namespaced\nnames: {plural: cups}\nfields:
  spec: {type: string, doc: What is wanted.}
  kind: {type: string, doc: Its kind.}
  metadata: {type: meta.v1.ObjectMeta, doc: Its name.}\n`
    const library = new Map([["meta/v1/object-meta.yaml", file({ ObjectMeta: { name: "string, number: 1" } })]])
    const { numbers, faults } = run({ cup: kind }, undefined, { library })
    expect(faults).toEqual([])
    expect(numbers).toMatchObject({ "Cup.metadata": 1, "Cup.spec": 2, "Cup.kind": undefined })
  })

  test("of built-in types come from their own lock", () => {
    const library = new Map([["meta/v1/thing.yaml", file({ Thing: { name: "string", size: "int32" } })]])
    const libraryNumbers = () => "types:\n  meta.v1.Thing:\n    fields:\n      name: 7 string\n      size: 3 int32\n"
    const loaded = load(new Map([[`${folder}/cup.yaml`, file({ Cup: { thing: "meta.v1.Thing" } })]]), { library, libraryNumbers })
    if ("diagnostics" in loaded) throw new Error("the schemas are valid")
    expect(loaded.model.types.get("meta.v1.Thing")?.fields.map(({ number }) => number)).toEqual([7, 3])
    expect(loaded.numbers).not.toContain("meta.v1.Thing:")
  })
})

describe("the lock", () => {
  const first = one({ Cup: { name: "string", size: "int32", use: "[]string" } })

  test("is sorted and readable, and the same after a second run", () => {
    expect(first.lock.replaceAll(/^#.*\n/gm, "")).toBe(
      `types:\n  ${prefix}.Cup:\n    fields:\n      name: 1 string\n      size: 2 int32\n      use: 3 []string\n`,
    )
    expect(one({ Cup: { use: "[]string", size: "int32", name: "string" } }, first.lock)).toMatchObject({
      lock: first.lock,
      numbers: first.numbers,
    })
  })

  test("does not depend on files", () => {
    const two = { Cup: { name: "string", size: "int32", use: "[]string" }, Tray: { cup: "Cup" } }
    const { lock } = one(two)
    expect(run({ cup: file({ Cup: two.Cup }), tray: file({ Tray: two.Tray }) }, lock).lock).toBe(lock)
    expect(run({ pot: file({ Tray: two.Tray, Cup: two.Cup }) }, lock).lock).toBe(lock)
  })

  test("keeps the number of a removed field, and gives it back to a field of that name and type only", () => {
    const removed = one({ Cup: { name: "string", use: "[]string" } }, first.lock)
    expect(removed.lock).toContain("    removed:\n      - 2 size int32\n")
    expect(one({ Cup: { name: "string", use: "[]string", colour: "int32" } }, removed.lock).numbers["Cup.colour"]).toBe(4)
    expect(one({ Cup: { name: "string", use: "[]string", size: "int32" } }, removed.lock).lock).toBe(first.lock)
    expect(one({ Cup: { name: "string", use: "[]string", size: "string" } }, removed.lock).numbers["Cup.size"]).toBe(4)
  })

  test("keeps the numbers of a removed type", () => {
    const removed = one({ Pot: { name: "string" } }, first.lock)
    expect(one({ Pot: { name: "string" }, Cup: { use: "[]string" } }, removed.lock).numbers["Cup.use"]).toBe(3)
  })

  test("goes on for a type with a new name", () => {
    const { lock } = one({ Tray: { cups: "[]Cup" }, Cup: { name: "string", size: "int32" } })
    const { numbers, faults } = one({ Tray: { cups: "[]Mug" }, Mug: { size: "int32", colour: "string" } }, lock)
    expect(faults).toEqual([])
    expect(numbers).toEqual({ "Tray.cups": 1, "Mug.size": 2, "Mug.colour": 3 })
  })

  test("lost: stated numbers are as before", () => {
    const stated = one({ Cup: { name: "string, number: 5", size: "int32, number: 2" } })
    expect(one({ Cup: { size: "int32, number: 2", name: "string, number: 5" } }).lock).toBe(stated.lock)
  })
})

describe("refused", () => {
  const { lock } = one({ Cup: { name: "string", size: "int32" }, Tray: { cup: "Cup", cups: "[]Cup" } })
  const cases: [string, Record<string, Record<string, string>>, string][] = [
    ["a changed number", { Cup: { name: "string, number: 3" } }, `:5:38: the number 3 for name of Cup, which has 1 in`],
    [
      "two numbers exchanged",
      { Cup: { name: "string, number: 2", size: "int32, number: 1" } },
      "the number 2 for name of Cup, which has 1 in",
    ],
    [
      "the number of another field",
      { Cup: { name: "string", colour: "string, number: 2" } },
      "the number 2 for colour of Cup, which numbers.lock.yaml keeps for the removed size",
    ],
    [
      "the number of a field that states none",
      { Cup: { name: "string", colour: "string, number: 2", size: "int32" } },
      "the number 2 for colour of Cup, which numbers.lock.yaml keeps for size",
    ],
    [
      "the numbers of all fields, which state none",
      { Cup: { colour: "string, number: 1", use: "string, number: 2", name: "string", size: "int32" } },
      "the number 1 for colour of Cup, which numbers.lock.yaml keeps for name",
    ],
    [
      "a text in place of a number",
      { Cup: { name: "string", size: "string" } },
      `:6:20: the type string for size of Cup, whose number 2 is int32 in`,
    ],
    ["a list in place of a text", { Cup: { name: "[]string" } }, "the type []string for name"],
    [
      "a map in place of a list",
      { Tray: { cups: "map<Cup>" }, Cup: { name: "string", size: "int32" } },
      "the type map<kitchen.example.com.v1.Cup> for cups",
    ],
    ["a number withdrawn", { Cup: { name: "string, number: none" } }, "name of Cup without a number, which has 1 string in"],
    ["a type that the encoding does not hold", { Cup: { name: "[][]string" } }, "name of Cup without a number"],
    [
      "another type that leaves its numbers free",
      { Tray: { cup: "Pot" }, Pot: {}, Cup: { name: "string" } },
      "the type kitchen.example.com.v1.Pot for cup of Tray, whose number 1 is kitchen.example.com.v1.Cup in",
    ],
    [
      "another type whose numbers have other names",
      { Tray: { cup: "Pot", cups: "[]Cup" }, Pot: { label: "string", size: "int32" }, Cup: { name: "string", size: "int32" } },
      "the type kitchen.example.com.v1.Pot for cup",
    ],
    [
      "another type whose numbers mean something else",
      { Tray: { cup: "Pot" }, Pot: { size: "int32" }, Cup: { name: "string" } },
      "the type kitchen.example.com.v1.Pot for cup",
    ],
  ]
  test.each(cases)("%s", (_name, types, fault) => {
    const { faults } = one(types, lock)
    expect(faults[0]).toContain(fault)
    expect(faults[0]).toContain('gen --accept "reason"')
    const accepted = one(types, lock, "never released")
    expect(accepted.faults).toEqual([])
    expect(accepted.lock).toContain('reason: "never released"')
    expectUnique(accepted)
    expect(one(types, accepted.lock)).toEqual(accepted)
  })

  test("a wider number is not", () => {
    expect(one({ Cup: { name: "string", size: "int64" } }, lock).lock).toContain("size: 2 int64")
  })

  test("an accepted type without a stated number gets a new one, and the old one stays reserved", () => {
    const accepted = one({ Cup: { name: "string", size: "string" } }, lock, "no data")
    expect(accepted.numbers["Cup.size"]).toBe(3)
    expect(accepted.lock).toContain("      - 2 size int32\n")
  })

  test("a number on a field of a type without numbers", () => {
    expect(one({ Cup: { grid: "[][]string" }, Tray: { cup: "Cup, number: 1" } }).faults).toEqual([
      `${folder}/cup.yaml:9:34: a number for cup, whose type ${prefix}.Cup has no field with a number; expected number: none, or a number in that type`,
    ])
  })
})

describe("a broken lock", () => {
  const cases: [string, string, string][] = [
    ["a merge conflict", "types:\n<<<<<<< ours\n", "numbers.lock.yaml:2:1: "],
    [
      "one number twice",
      "types:\n  a.v1.B:\n    fields:\n      x: 1 string\n      y: 1 string\n",
      "numbers.lock.yaml:5:10: the number 1 a second time in a.v1.B",
    ],
    ["no type", "types:\n  a.v1.B:\n    fields:\n      x: 1\n", "numbers.lock.yaml:4:10: the number 1 for x; expected a number and a type"],
    ["a removed field without a name", "types:\n  a.v1.B:\n    removed:\n      - 1 x\n", "numbers.lock.yaml:4:9: "],
    ["an unknown key", "types:\n  a.v1.B:\n    feilds: {}\n", 'did you mean "fields"?'],
    ["no map", "types:\n  a.v1.B: 1\n", "numbers.lock.yaml:2:11: the number 1 for a.v1.B"],
  ]
  test.each(cases)("%s", (_name, text, fault) => expect(one({ Cup: { name: "string" } }, text).faults[0]).toContain(fault))
})

/** Meaning of each stored number: its type, and the names on the way to it. */
type Meanings = Map<string, { readonly name: string; readonly wire: string }>

interface Field {
  readonly type: string
  readonly number: number | undefined
}
type Schema = Map<string, Map<string, Field>>

/** Follows the numbers of the lock from the type Root, as a decoder would. */
function meanings(lock: string): Meanings {
  const types = new Map<string, { name: string; number: string; wire: string }[]>()
  let current = ""
  for (const line of lock.replaceAll(/^ {4}removed:\n(?: {6}- .*\n)+/gm, "").split("\n")) {
    const [, type] = /^ {2}(\S+):$/.exec(line) ?? []
    if (type !== undefined) current = type
    const [, name = "", number = "", wire] = /^ {6}(\w+): (\d+) (\S+)$/.exec(line) ?? []
    if (wire !== undefined) types.set(current, [...(types.get(current) ?? []), { name, number, wire }])
  }
  const found: Meanings = new Map()
  const walk = (type: string, numbers: string, names: string, depth: number): void => {
    for (const { name, number, wire } of types.get(type) ?? []) {
      const at = [`${numbers}.${number}`, `${names}.${name}`] as const
      const leaf = wire.replace(/^\[\]/, "")
      found.set(at[0], { name: at[1], wire: types.has(leaf) || leaf.startsWith(prefix) ? wire.replace(leaf, "message") : wire })
      if (depth < 4) walk(leaf, ...at, depth + 1)
    }
  }
  walk(`${prefix}.Root`, "", "", 0)
  return found
}

const typeNames = ["Root", "Cup", "Pot", "Mug"]
const fieldNames = ["a", "b", "c", "d"]
const typeTexts = ["string", "int32", "int64", "[]string", "map<string>", "Cup", "Pot", "Mug", "[]Cup", "[]Pot"]

const edit = fc.record({
  what: fc.constantFrom("set", "set", "set", "remove", "rename", "renameType", "removeType", "reverse"),
  type: fc.constantFrom(...typeNames),
  field: fc.constantFrom(...fieldNames),
  to: fc.constantFrom(...fieldNames),
  toType: fc.constantFrom(...typeNames.slice(1)),
  text: fc.constantFrom(...typeTexts),
  number: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 2 }),
})
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never

/** Returns the schema with the edit; the same when it does not apply. */
function edited(schema: Schema, { what, type, field, to, toType, text, number }: Edit): Schema {
  const copy: Schema = new Map([...schema].map(([name, fields]) => [name, new Map(fields)]))
  const fields = copy.get(type)
  if (what === "set") copy.set(type, (fields ?? new Map<string, Field>()).set(field, { type: text, number }))
  if (what === "removeType" && type !== "Root") copy.delete(type)
  if (fields === undefined) return copy
  const old = fields.get(field)
  if (what === "remove") fields.delete(field)
  if (what === "reverse") copy.set(type, new Map([...fields].reverse()))
  if (what === "rename" && old !== undefined && !fields.has(to)) fields.set(to, old).delete(field)
  if (what === "renameType" && type !== "Root" && !copy.has(toType)) {
    copy.delete(type)
    copy.set(toType, fields)
    for (const [name, others] of copy)
      copy.set(name, new Map([...others].map(([key, one]) => [key, { ...one, type: one.type.replace(new RegExp(`\\b${type}$`), toType) }])))
  }
  return copy
}

function schemaText(schema: Schema): string {
  const fields = (of: Map<string, Field>) =>
    Object.fromEntries([...of].map(([name, { type, number }]) => [name, number === undefined ? type : `${type}, number: ${number}`]))
  return file(Object.fromEntries([...schema].map(([name, of]) => [name, fields(of)])))
}

test("no number ever means two things, whatever is edited between two runs", () => {
  let done = 0
  fc.assert(
    fc.property(fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 14 }), (rounds) => {
      let schema: Schema = new Map([["Root", new Map()]])
      let lock: string | undefined
      let isAccepted = false
      const known: Meanings = new Map()
      for (const edits of rounds) {
        const next = edits.reduce(edited, schema)
        const answer = run({ cup: schemaText(next) }, lock)
        if (answer.faults.length > 0) {
          // Once per schema: most rounds have faults, so a second run in each would double the time.
          if (!isAccepted) expectUnique(run({ cup: schemaText(next) }, lock, { accept: "never released" }))
          isAccepted = true
          continue
        }
        done += 1
        schema = next
        lock = answer.lock
        for (const [number, meaning] of meanings(lock)) {
          const was = known.get(number)
          const same =
            was === undefined ||
            (was.name === meaning.name && (was.wire === meaning.wire || (was.wire === "int32" && meaning.wire === "int64")))
          if (!same) throw new Error(`${number} was ${was.name} ${was.wire} and is ${meaning.name} ${meaning.wire}\n${lock}`)
          known.set(number, meaning)
        }
      }
    }),
    { numRuns: Number(process.env["NUMBER_RUNS"] ?? 300) },
  )
  expect(done).toBeGreaterThan(300)
})
