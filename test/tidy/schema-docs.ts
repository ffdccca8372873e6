/**
 * The documentation in schemas: its places and faults. The generator refuses a field without any; this module judges
 * whether a reader of kubectl explain learns something from it.
 */
import { SourceFile, type MapNode, type SourceNode } from "../../codegen/load/source.ts"
import { habitFaults, withoutCode } from "./prose.ts"
import { misspelled } from "./spelling.ts"

export interface SchemaDoc {
  /** `schemas/core/v1/pod.yaml:12: Pod.spec`, to begin a message with. */
  readonly place: string
  /** The last part of the name: `spec`. */
  readonly name: string
  /** Fields, types and kinds are explained; a column or a value of an enum only needs a caption. */
  readonly part: "explained" | "caption"
  /** Empty when there is none. */
  readonly text: string
  /** Values of an enum that is a plain list: the text has to name each of them. */
  readonly values: readonly string[]
}

/** Fewer words than these name a thing and do not explain it. */
export const wordsMin = 5

/** All docs of one schema file, in the order of the file. */
export function schemaDocs(path: string, text: string): SchemaDoc[] {
  const file = new SourceFile(path, text)
  const found: SchemaDoc[] = []
  const add = (map: MapNode, name: readonly string[], part: SchemaDoc["part"]): void => {
    const line = text.slice(0, map.start).split("\n").length
    const doc = textOf(entry(map, "doc")) ?? ""
    found.push({ place: `${path}:${line}: ${name.join(".")}`, name: name.at(-1) ?? "", part, text: doc, values: valuesOf(map) })
  }
  function type(map: MapNode, name: readonly string[]): void {
    for (const field of mapsIn(map, "fields")) {
      add(field.map, [...name, field.key], "explained")
      limits(field.map, [...name, field.key])
      type(field.map, [...name, field.key])
    }
  }
  /** Docs of the values of an enum, at any depth. */
  function limits(map: MapNode, name: readonly string[]): void {
    for (const word of ["items", "values", "keys"]) {
      const inner = entry(map, word)
      if (inner?.node === "map") limits(inner, name)
    }
    const values = entry(map, "enum")
    if (values?.node !== "map") return
    const docs = values.entries.map(({ key, value }) => ({ key, text: textOf(value) ?? "", start: value.start }))
    for (const { key, text: doc, start } of docs) {
      const line = text.slice(0, start).split("\n").length
      found.push({ place: `${path}:${line}: ${name.join(".")} ${key}`, name: key, part: "caption", text: doc, values: [] })
    }
  }

  const kind = textOf(entry(file.root, "kind"))
  if (kind !== undefined) {
    add(file.root, [kind], "explained")
    for (const column of mapsIn(file.root, "columns")) add(column.map, [kind, "columns", column.key], "caption")
    type(file.root, [kind])
  }
  for (const { key, map } of mapsIn(file.root, "types")) {
    add(map, [key], "explained")
    type(map, [key])
  }
  return found
}

/** `place: fault` for each doc that is missing, says nothing, is hard to read, or misspelled. */
export function docFaults(docs: readonly SchemaDoc[]): string[] {
  const names = new Set(docs.map(({ name }) => name))
  return docs.flatMap((doc) =>
    [...contentFaults(doc), ...habitFaults(withoutCode(doc.text)), ...spellingFaults(doc, names)].map((fault) => `${doc.place}: ${fault}`),
  )
}

function contentFaults({ name, part, text, values }: SchemaDoc): string[] {
  if (text === "") return ["has no doc"]
  if (part === "caption") return []
  const words = wordsOf(text)
  if (words.length < wordsMin) return [`"${text}" has ${words.length} words: say what it does, with unit, values and default`]
  const said = partsOf(name)
  if (words.every((word) => small.has(word) || said.has(stem(word)))) return [`"${text}" only repeats the name`]
  const missing = values.filter((value) => value !== "" && !names(text, value))
  return missing.length === 0 ? [] : [`does not say what ${missing.join(", ")} means: in its text, or as enum: {${missing[0]}: ...}`]
}

/** `known`: the names of schemas, which a text may use as they are, also in the plural. */
function spellingFaults({ text }: SchemaDoc, known: ReadonlySet<string>): string[] {
  return misspelled(text)
    .filter((word) => !(/.\p{Lu}/u.test(word) && (known.has(word) || known.has(word.replace(/s$/, "")))))
    .map((word) => `"${word}": a mistake, code without backquotes, or missing in test/tidy/words.txt`)
}

/** Words that explain nothing about a field. */
const small: ReadonlySet<string> = new Set(
  "a all an and any are as at be by each every for from has have how if in is it its name names object of on one or that the this to what when which with".split(
    " ",
  ),
)

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** `podCIDRs` is pod and cidr. */
function partsOf(name: string): ReadonlySet<string> {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}]+/u)
  return new Set([name, ...words].map((word) => stem(word.toLowerCase())))
}

function stem(word: string): string {
  return word.replace(/s$/, "")
}

function names(text: string, value: string): boolean {
  const at = text.indexOf(value)
  return at >= 0 && !/[\p{L}\p{N}]/u.test((text[at - 1] ?? " ") + (text[at + value.length] ?? " "))
}

/** The values of an enum that is a list, also one of items. */
function valuesOf(map: MapNode): readonly string[] {
  const values = entry(map, "enum")
  if (values?.node === "list") return values.items.map((item) => textOf(item) ?? "")
  const items = entry(map, "items")
  return items?.node === "map" ? valuesOf(items) : []
}

function mapsIn(map: MapNode, key: string): { key: string; map: MapNode }[] {
  const inner = entry(map, key)
  if (inner?.node === "map") return inner.entries.flatMap(({ key, value }) => (value.node === "map" ? [{ key, map: value }] : []))
  if (inner?.node !== "list") return []
  return inner.items.flatMap((item) => (item.node === "map" ? [{ key: textOf(entry(item, "name")) ?? "", map: item }] : []))
}

function entry(map: MapNode, key: string): SourceNode | undefined {
  return map.entries.find((one) => one.key === key)?.value
}

function textOf(node: SourceNode | undefined): string | undefined {
  return node?.node === "scalar" ? String(node.value) : undefined
}
