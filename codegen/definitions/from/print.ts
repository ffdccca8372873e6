/** Writes the tree of a schema as YAML that is pleasant to read: short maps on one line, long ones in a block. */
import { stringify } from "yaml"
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import type { Path } from "../findings.ts"

/** The text of a schema file, and where its parts begin. */
export interface Printed {
  readonly text: string
  /** The path of the innermost part that begins at or before each line; the first line is 0. */
  readonly places: readonly Path[]
}

const width = 120

/** Comments that introduce keys of a schema. An empty line precedes each. */
const comments: Readonly<Record<string, string>> = {
  storage: "Objects are stored in the form of another version; fields of the same name carry over.",
  columns: "What clients see in a table. Values are expressions over the object.",
  selectable: "Fields that field selectors may name.",
  subresources: "Users write the rest, the controller writes status, each through its own path.",
  fields: "apiVersion, kind and metadata are there by themselves; gen numbers the others. pointer: absent and zero differ.",
  types: "",
}

/** Called with the tree of a schema. `source`: where it comes from, for the first lines. */
export function printSchema(tree: JsonObject, source: string): Printed {
  const printer = new Printer()
  printer.line("# yaml-language-server: $schema=../../dialect.schema.json", [])
  printer.line(`# From the CustomResourceDefinition in ${source}.`, [])
  for (const [key, value] of Object.entries(tree)) {
    if (value === undefined) continue
    const comment = comments[key]
    if (comment !== undefined) printer.line("", [])
    if (comment !== undefined && comment !== "") printer.line(`# ${comment}`, [])
    printer.entry(key, value, 0, [key])
  }
  return { text: `${printer.lines.join("\n")}\n`, places: printer.places }
}

class Printer {
  readonly lines: string[] = []
  readonly places: Path[] = []

  line(text: string, path: Path): void {
    this.lines.push(text)
    this.places.push(path)
  }

  entry(key: string, value: JsonValue, indent: number, path: Path): void {
    if (key === "rules" && Array.isArray(value) && value.length === 0) return
    const begin = `${" ".repeat(indent)}${flow(key)}:`
    const short = isShort(key, value) ? `${begin} ${flow(value)}` : undefined
    if (short !== undefined && short.length <= width && !short.includes("\n")) return this.line(short, path)
    if (typeof value === "string") return this.text(begin, value, indent, path)
    if (Array.isArray(value)) {
      this.line(begin, path)
      for (const [index, item] of value.entries()) this.item(item, indent + 2, [...path, index])
      return
    }
    if (!isObject(value)) return this.line(`${begin} ${flow(value)}`, path)
    this.line(begin, path)
    for (const [name, inner] of Object.entries(value)) if (inner !== undefined) this.entry(name, inner, indent + 2, [...path, name])
  }

  private item(item: JsonValue, indent: number, path: Path): void {
    const line = `${" ".repeat(indent)}- ${flow(item)}`
    if (!isObject(item) || (line.length <= width && !line.includes("\n"))) return this.line(line, path)
    const from = this.lines.length
    for (const [name, inner] of Object.entries(item)) if (inner !== undefined) this.entry(name, inner, indent + 2, [...path, name])
    this.lines[from] = `${" ".repeat(indent)}- ${(this.lines[from] ?? "").slice(indent + 2)}`
  }

  /** Folds long text; quotes text with line breaks. */
  private text(begin: string, value: string, indent: number, path: Path): void {
    if (/\n| {2}|^ | $|\t/.test(value) || value === "") return this.line(`${begin} ${JSON.stringify(value)}`, path)
    this.line(`${begin} >-`, path)
    const room = Math.max(width - indent - 2, 40)
    let line = ""
    for (const word of value.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > room) {
        this.line(`${" ".repeat(indent + 2)}${line}`, path)
        line = word
      } else line = line === "" ? word : `${line} ${word}`
    }
    this.line(`${" ".repeat(indent + 2)}${line}`, path)
  }
}

/** Lists of blocks have a line for each item; the fields of a struct have a line each. */
function isShort(key: string, value: JsonValue): boolean {
  if (key === "columns" || key === "rules" || key === "types") return false
  if (isObject(value) && (key === "fields" || value.fields !== undefined))
    return Object.keys(key === "fields" ? value : {}).length === 0 && value.fields === undefined
  return true
}

function flow(value: JsonValue): string {
  return stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0, version: "1.2" }).trimEnd()
}
