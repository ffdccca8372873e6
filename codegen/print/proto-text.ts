/** Prints protobuf definitions as the text of a `.proto` file, in the layout of `buf format`. */
import { header, wrap } from "./print.ts"

/** One `.proto` file, proto2. */
export interface ProtoFile {
  /** The source named on line 1. */
  readonly source: string
  readonly doc: string
  readonly package: string
  /** Paths of other files, sorted. */
  readonly imports: readonly string[]
  readonly messages: readonly ProtoMessage[]
}

export interface ProtoMessage {
  readonly name: string
  readonly doc: string
  /** Numbers that no field may have. */
  readonly reserved: readonly number[]
  readonly nested: readonly ProtoMessage[]
  /** Sorted by number. */
  readonly fields: readonly ProtoField[]
}

export interface ProtoField {
  /** The type with its label: `optional string`, `repeated Container`, `map<string, bytes>`. */
  readonly type: string
  readonly name: string
  readonly number: number
  readonly doc: string
  readonly deprecated: boolean
  /** Where it is not the name in lower camel case. */
  readonly jsonName?: string
}

const width = 120

/** The text of a file. The same input gives the same text. */
export function printProto(file: ProtoFile): string {
  const lines = [
    header(file.source),
    ...comment(file.doc, ""),
    'syntax = "proto2";',
    "",
    `package ${file.package};`,
    ...(file.imports.length > 0 ? [""] : []),
    ...file.imports.map((path) => `import "${path}";`),
    ...file.messages.flatMap((message) => ["", ...messageLines(message, "")]),
  ]
  return `${lines.join("\n")}\n`
}

function messageLines(message: ProtoMessage, indent: string): string[] {
  const inner = `${indent}  `
  const members = [
    ...(message.reserved.length > 0 ? [[`${inner}reserved ${ranges(message.reserved)};`]] : []),
    ...message.nested.map((nested) => messageLines(nested, inner)),
    ...message.fields.map((field) => [...comment(field.doc, inner), `${inner}${fieldText(field)}`]),
  ]
  const head = [...comment(message.doc, indent), `${indent}message ${message.name} {`]
  if (members.length === 0) return [...head.slice(0, -1), `${head.at(-1) ?? ""}}`]
  return [...head, ...members.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines])), `${indent}}`]
}

function fieldText({ type, name, number, deprecated, jsonName }: ProtoField): string {
  const options = [
    ...(deprecated ? ["deprecated = true"] : []),
    ...(jsonName === undefined ? [] : [`json_name = ${JSON.stringify(jsonName)}`]),
  ]
  return `${type} ${name} = ${number}${options.length > 0 ? ` [${options.join(", ")}]` : ""};`
}

/** `1, 4 to 6` */
function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].toSorted((one, other) => one - other)
  const parts: { first: number; last: number }[] = []
  for (const number of sorted) {
    const before = parts.at(-1)
    if (before?.last === number - 1) before.last = number
    else parts.push({ first: number, last: number })
  }
  return parts.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`)).join(", ")
}

function comment(doc: string, indent: string): string[] {
  if (doc === "") return []
  return doc.split("\n").flatMap((line) => wrap(line, width - indent.length - 3).map((text) => `${indent}// ${text}`.trimEnd()))
}
