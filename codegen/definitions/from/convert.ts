/**
 * Converts the documents of a file to schema files that the generator accepts at once. Converted parts that the loader
 * refuses (an expression of a wrong type, a limit outside of another) are taken out and reported.
 */
import type { JsonObject, JsonValue } from "../../../runtime/base/json.ts"
import { isObject } from "../../../runtime/base/json.ts"
import type { Diagnostic } from "../../load/index.ts"
import { Findings, type Path } from "../findings.ts"
import { type Definition, definitionOf } from "./definition.ts"
import { type FolderNames, kindOf } from "./kind.ts"
import { type Printed, printSchema } from "./print.ts"
import { originOf } from "./rules.ts"

/** A schema file that was made of a version. */
export interface SchemaFile {
  /** Below the folder of schemas: `kitchen.example.com/v1/kettle.yaml`. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly tree: JsonObject
  text: string
}

/** A document of the file. */
export interface Converted {
  readonly index: number
  readonly findings: Findings
  readonly files: readonly SchemaFile[]
}

/** Loads schema texts by path; returns the faults of the loader. */
export type CheckSchemas = (files: ReadonlyMap<string, string>) => readonly Diagnostic[]

/** A file that holds no definitions, or two that cannot be served together. */
export class DefinitionFault extends Error {
  constructor(
    readonly document: number,
    message: string,
  ) {
    super(message)
  }
}

/** Called with the documents of a file and its shown name. Throws DefinitionFault. */
export function convertDefinitions(documents: readonly JsonValue[], source: string, check: CheckSchemas): readonly Converted[] {
  const definitions = documents.map((document, index) => {
    const made = definitionOf(document)
    if ("fault" in made) throw new DefinitionFault(index, made.fault)
    return made
  })
  checkNames(definitions)
  const folders: FolderNames = new Map()
  const converted = definitions.map((definition, index) => {
    const findings = new Findings()
    reportWhole(definition, findings)
    const files = definition.versions.map((version) => schemaFile(definition, kindOf(definition, version, findings, folders), version.name))
    return { index, findings, files }
  })
  settle(converted, source, check)
  return converted
}

function schemaFile({ group, kind }: Definition, tree: JsonObject, version: string): SchemaFile {
  return { path: `${group}/${version}/${fileNameOf(kind)}.yaml`, group, version, kind, tree, text: "" }
}

/** `APIService` → `api-service`. */
export function fileNameOf(kind: string): string {
  return kind
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
}

/** A name belongs to one kind and one resource of a group. */
function checkNames(definitions: readonly Definition[]): void {
  const owners = new Map<string, number>()
  for (const [index, { group, kind, plural }] of definitions.entries())
    for (const [word, name] of [
      ["kind", kind],
      ["resource", plural],
    ] as const) {
      const key = `${word} ${group}/${name}`
      const owner = owners.get(key)
      if (owner !== undefined)
        throw new DefinitionFault(index, `the ${word} ${name} of ${group} a second time; document ${owner + 1} has it`)
      owners.set(key, index)
    }
}

/** Reports properties of the whole definition that the dialect cannot express. */
function reportWhole({ object, spec }: Definition, findings: Findings): void {
  const { conversion } = spec
  if (isObject(conversion) && conversion.strategy === "Webhook")
    findings.lost(
      ["spec", "conversion"],
      "the web hook: fields of the same name carry over; write what differs as conversion.rename or conversion.behaviour",
    )
  if (spec.preserveUnknownFields === true)
    findings.lost(["spec", "preserveUnknownFields"], "unknown fields are dropped: set preserveUnknown where they are to be kept")
  const metadata = isObject(object.metadata) ? object.metadata : {}
  for (const word of ["labels", "annotations"])
    if (isObject(metadata[word]) && Object.keys(metadata[word]).length > 0)
      findings.note(["metadata", word], "a schema has no metadata of its own")
}

const maxRounds = 20

/** Prints all files, and takes out parts that the loader refuses, until no refused part can be taken out. */
function settle(converted: readonly Converted[], source: string, check: CheckSchemas): void {
  const all = converted.flatMap(({ files, findings }) => files.map((file) => ({ file, findings })))
  for (let round = 0; round < maxRounds; round++) {
    const printed = new Map<string, Printed>()
    for (const { file } of all) {
      const made = printSchema(file.tree, source)
      printed.set(file.path, made)
      file.text = made.text
    }
    const diagnostics = check(new Map(all.map(({ file }) => [file.path, file.text])))
    let isChanged = false
    for (const { file, findings } of all) {
      const own = diagnostics.filter((diagnostic) => diagnostic.file === file.path)
      const places = printed.get(file.path)?.places ?? []
      const faulty = own.flatMap((diagnostic) => {
        const item = itemAt(file.tree, places[diagnostic.line - 1] ?? [])
        return item === undefined ? [] : [{ ...item, diagnostic }]
      })
      isChanged = takeOut(faulty, findings) || isChanged
    }
    if (!isChanged) {
      for (const { file, findings } of all)
        for (const diagnostic of diagnostics.filter((one) => one.file === file.path))
          findings.lost([], `gen refuses line ${diagnostic.line} of ${file.path}: ${diagnosticText(diagnostic)}`)
      return
    }
  }
}

function diagnosticText({ found, expected }: Diagnostic): string {
  return expected === "" ? found : `${found}; expected ${expected}`
}

/** A rule, a column or a selectable field, and its place in the definition. */
interface Item {
  readonly list: JsonValue[]
  readonly item: JsonObject
  readonly origin: Path
}

/** The innermost item with an origin on the way to `path`. */
function itemAt(tree: JsonObject, path: Path): Item | undefined {
  let value: JsonValue | undefined = tree
  let found: Item | undefined
  for (const part of path) {
    const next: JsonValue | undefined =
      typeof part === "number" ? (Array.isArray(value) ? value[part] : undefined) : isObject(value) ? value[part] : undefined
    const origin = isObject(next) ? originOf(next) : undefined
    if (origin !== undefined && Array.isArray(value) && isObject(next)) found = { list: value, item: next, origin }
    value = next
  }
  return found
}

/** Removes items that the loader refuses, and reports the first fault of each. Returns whether there were any. */
function takeOut(faulty: readonly (Item & { readonly diagnostic: Diagnostic })[], findings: Findings): boolean {
  const removed = new Set<object>()
  for (const { list, item, origin, diagnostic } of faulty) {
    if (removed.has(item)) continue
    removed.add(item)
    list.splice(list.indexOf(item), 1)
    findings.lost(origin, `left out: ${diagnosticText(diagnostic)}`)
  }
  return removed.size > 0
}
