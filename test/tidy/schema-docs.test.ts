/** The docs of all schemas explain every field, in correct English. */
import { describe, expect, it } from "vitest"
import { docFaults, schemaDocs } from "./schema-docs.ts"
import { textFiles } from "./source.ts"
import { isEnglish, misspelled, ownWords, proseWords } from "./spelling.ts"

/** Manifests in schemas/bootstrap declare nothing. */
const docs = textFiles(["schemas"], /^(?!schemas\/bootstrap\/).*(?<!\.lock)\.yaml$/).flatMap(({ path, text }) => schemaDocs(path, text))

describe("the docs of schemas", () => {
  it("are found", () => {
    const kinds = docs.filter(({ place }) => /: [A-Z]\w+$/.test(place))
    expect([kinds.length > 100, docs.length > 2000]).toEqual([true, true])
  })
  it("explain every kind, type, field and value in correct English", () => expect(docFaults(docs)).toEqual([]))
})

describe("words.txt", () => {
  it("is sorted", () => expect(ownWords).toEqual(ownWords.toSorted()))
  it("has no word of the dictionary", () => expect(ownWords.filter(isEnglish)).toEqual([]))
  it("has no word that no doc uses", () => {
    const used = new Set(docs.flatMap(({ text }) => proseWords(text)).map((word) => word.toLowerCase()))
    expect(ownWords.filter((word) => !used.has(word.toLowerCase()))).toEqual([])
  })
})

/** A kind with one field, whose lines are given. */
function faultsOf(...field: readonly string[]): string[] {
  const text = ["kind: Kettle", "doc: A kettle that boils water.", "fields:", "  mode:", ...field.map((line) => `    ${line}`)].join("\n")
  return docFaults(schemaDocs("kettle.yaml", text)).map((fault) => fault.replace("kettle.yaml:", ""))
}

describe("a doc", () => {
  it("is missing", () => expect(faultsOf("type: string")).toEqual(["5: Kettle.mode: has no doc"]))
  it("is too short", () => expect(faultsOf("doc: How it heats.")).toEqual([expect.stringContaining("has 3 words: say")]))
  it("repeats the name", () => expect(faultsOf("doc: The mode that this has.")).toEqual([expect.stringContaining("only repeats")]))

  it("leaves a value of an enum unexplained", () => {
    const field = ["enum: [Fast, Gentle]", "doc: With Fast it heats at once."]
    expect(faultsOf(...field)).toEqual(["5: Kettle.mode: does not say what Gentle means: in its text, or as enum: {Gentle: ...}"])
    expect(faultsOf('type: "[]string"', "items: {enum: [Fast]}", "doc: Faster ways in which it heats.")).toHaveLength(1)
  })

  it("explains values in its text, or beside them", () => {
    expect(faultsOf("enum: [Fast, Gentle]", "doc: How it heats, `Fast` or `Gentle`.")).toEqual([])
    expect(faultsOf("enum: {Fast: Heats at once.}", "doc: How it heats the water.")).toEqual([])
  })

  it("costs a second look", () => {
    expect(faultsOf("doc: The kettle is told `who` heats it.")).toEqual([expect.stringContaining('"told": write report')])
  })

  it("is misspelled, also of a value, a type inside and a column", () => {
    expect(faultsOf("enum: {Fast: Heats at onse.}", "doc: How it heats the watter.")).toEqual([
      '5: Kettle.mode: "watter": a mistake, code without backquotes, or missing in test/tidy/words.txt',
      '5: Kettle.mode Fast: "onse": a mistake, code without backquotes, or missing in test/tidy/words.txt',
    ])
    const inner = ["doc: How it heats the water.", "fields:", "  speed: {type: int32, doc: How fast it heats the watter.}"]
    expect(faultsOf(...inner)).toEqual([expect.stringMatching(/^7: Kettle\.mode\.speed: "watter"/)])
    const column = schemaDocs(
      "kettle.yaml",
      "kind: Kettle\ndoc: A kettle that boils water.\ncolumns:\n  - {name: Mode, doc: How it heets.}",
    )
    expect(docFaults(column)).toEqual([expect.stringMatching(/^kettle\.yaml:4: Kettle\.columns\.Mode: "heets"/)])
  })
})

describe("spelling", () => {
  it.each(["The `nmae` of one's pods in read-only mode", "Paths such as /etc/hsots and spec.nmae", "The server's 10Gi", "Namespaces"])(
    "finds nothing in %s",
    (text) => expect(misspelled(text)).toEqual([]),
  )
  it.each(["nmae", "read-olny", "Teh pod", "(teh)", "the serevr's"])("finds the mistake in %s", (text) =>
    expect(misspelled(text)).toHaveLength(1),
  )
  it("knows the names of schemas, and their plural", () => {
    const text = ["kind: KettleSpec", "doc: What several KettleSpecs of a KetleSpec have.", "fields: {}"].join("\n")
    expect(docFaults(schemaDocs("kettle.yaml", text))).toEqual([expect.stringContaining('"KetleSpec"')])
  })
})
