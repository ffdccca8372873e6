/**
 * First pass over the files: which kinds and types they declare, under which group and version. Nothing is resolved
 * yet, so files may refer to each other in any order and in cycles.
 */
import { scalarNames } from "../../runtime/schema/shape.ts"
import { Block } from "./block.ts"
import { expectedWord } from "./diagnostic.ts"
import type { MapEntry, SourceFile } from "./source.ts"

export interface FileDeclaration {
  readonly source: SourceFile
  /** Without `.yaml`. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly block: Block
  /** The kind's own type first. */
  readonly types: readonly TypeDeclaration[]
  readonly kind?: string
  /** False for the built-in schemas beside a user's own: known, but not emitted. */
  readonly own: boolean
}

export interface TypeDeclaration {
  readonly source: SourceFile
  readonly file: string
  readonly group: string
  readonly version: string
  /** `core.v1.PodSpec` */
  readonly name: string
  readonly localName: string
  readonly block: Block
  /** The offset of its name. */
  readonly nameStart: number
  /** As FileDeclaration.own. */
  readonly own: boolean
  readonly isKind: boolean
  /** The field whose `fields` declare it; absent for types with a name of their own. */
  readonly ofField?: string
}

/** For the group without a name, `core` is the folder and the first part of type names. */
export function folderOfGroup(group: string): string {
  return group === "" ? "core" : group
}

/** The unique name of a type, the key of `Model.types`. */
export function typeName(group: string, version: string, localName: string): string {
  return `${folderOfGroup(group)}.${version}.${localName}`
}

/** Reads `core/v1 Event`, or `v1 Event` of the core group. Undefined for other texts, which the form check reports. */
export function kindName(written: string): { readonly group: string; readonly version: string; readonly kind: string } | undefined {
  const [, folder = "core", version = "", kind = ""] = /^(?:([^/ ]+)\/)?([^/ ]+) (\S+)$/.exec(written) ?? []
  return kind === "" ? undefined : { group: folder === "core" ? "" : folder, version, kind }
}

const groupPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
/** `v1`, `v2beta1`. */
export const versionPattern = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/
const typeNamePattern = /^[A-Z][A-Za-z0-9]*$/

/**
 * Called once per readable file. Reports wrong folders and names. Absent when group or version cannot be determined.
 */
export function declareFile(source: SourceFile, own: boolean): FileDeclaration | undefined {
  const [folder = "", version = "", ...rest] = source.path.split("/")
  if (rest.length === 0 || !source.path.endsWith(".yaml")) {
    source.report(0, { found: `the file ${source.path}`, expected: "a path like <group>/<version>/<kind>.yaml" })
    return undefined
  }
  const block = new Block(source.root)
  const group = folder === "core" ? "" : folder
  if (!groupPattern.test(folder))
    source.report(0, { found: `the folder ${folder}`, expected: "an API group in small letters (core for the group without a name)" })
  if (!versionPattern.test(version))
    source.report(0, { found: `the folder ${version}`, expected: "an API version such as v1, v1beta1 or v2alpha1" })
  checkIdentity(source, block, { group, version })
  const path = source.path.slice(0, -".yaml".length)
  const kind = block.text("kind")
  const base = { source, file: path, group, version, own }
  const ownTypes = kind === undefined ? [] : [kindType(base, block, kind)]
  const named = [...ownTypes, ...block.members("types").flatMap((entry) => declareType(base, entry))]
  const types = named.flatMap((type) => [type, ...fieldTypes(type)])
  return { source, path, group, version, block, types, own, ...(kind !== undefined && { kind }) }
}

type Base = Pick<TypeDeclaration, "source" | "file" | "group" | "version" | "own">

function kindType(base: Base, block: Block, kind: string): TypeDeclaration {
  const nameStart = block.start("kind")
  checkTypeName(base.source, kind, nameStart)
  return { ...base, name: typeName(base.group, base.version, kind), localName: kind, block, nameStart, isKind: true }
}

function declareType(base: Base, entry: MapEntry): TypeDeclaration[] {
  checkTypeName(base.source, entry.key, entry.keyStart)
  if (entry.value.node !== "map") return []
  const block = new Block(entry.value)
  return [
    { ...base, name: typeName(base.group, base.version, entry.key), localName: entry.key, block, nameStart: entry.keyStart, isKind: false },
  ]
}

/** The types that fields declare with `fields`, at any depth, in the order of the file. */
function fieldTypes(outer: TypeDeclaration): TypeDeclaration[] {
  return outer.block.members("fields").flatMap(({ key, keyStart, value }) => {
    if (value.node !== "map") return []
    const block = new Block(value)
    if (!block.has("fields")) return []
    const localName = fieldTypeName(outer.localName, key)
    const { source, file, group, version, own } = outer
    const type = { source, file, group, version, own, name: typeName(group, version, localName), localName, block, nameStart: keyStart }
    const inner: TypeDeclaration = { ...type, isKind: false, ofField: key }
    return [inner, ...fieldTypes(inner)]
  })
}

/** The name of the type that a field declares with `fields`: `KettleSpec` for `spec` of `Kettle`. */
export function fieldTypeName(outer: string, field: string): string {
  return outer + upperFirst(field.replaceAll(/[^A-Za-z0-9]/g, ""))
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function checkTypeName(source: SourceFile, name: string, start: number): void {
  if (!typeNamePattern.test(name))
    source.report(start, { found: `the name ${name}`, expected: "letters and digits, beginning with a capital: PodSpec" })
}

function checkIdentity(source: SourceFile, block: Block, expected: { group: string; version: string }): void {
  for (const word of ["group", "version"] as const) {
    const found = block.text(word)
    const right = expected[word] === "" ? '""' : expected[word]
    if (found === undefined && block.has("kind") && !block.has(word)) {
      source.report(block.node.start, { found: `no "${word}" in a kind file`, expected: `${word}: ${right}` })
    }
    if (found !== undefined && found !== expected[word]) {
      source.report(block.start(word), {
        found: `${word} "${found}" in the folder ${source.path.split("/").slice(0, 2).join("/")}`,
        expected: `${word}: ${right}`,
      })
    }
  }
}

/** Collects all types by unique name. Reports a repeated name at its second declaration. */
export function collectTypes(files: readonly FileDeclaration[]): Map<string, TypeDeclaration> {
  const types = new Map<string, TypeDeclaration>()
  for (const type of files.flatMap((file) => file.types)) {
    const first = types.get(type.name)
    if (first === undefined) types.set(type.name, type)
    else
      type.source.report(type.nameStart, {
        found: `a second type ${type.name}`,
        expected: `another name: ${first.source.path} has one of this name`,
      })
  }
  return types
}

/** Finds the type that `written` means in the group and version of `from`; reports an error at `start`. */
export function findType(
  types: ReadonlyMap<string, TypeDeclaration>,
  from: TypeDeclaration,
  written: string,
  start: number,
): TypeDeclaration | undefined {
  const local = !written.includes(".")
  const found = types.get(local ? typeName(from.group, from.version, written) : written)
  if (found !== undefined) return found
  const near = [...types.values()].map((type) => (type.group === from.group && type.version === from.version ? type.localName : type.name))
  const { nearest } = expectedWord(written, [...near, ...scalarNames])
  const elsewhere = local ? [...types.values()].find((type) => type.localName === written) : undefined
  const meant = elsewhere?.name ?? nearest
  from.source.report(start, {
    found: `unknown type "${written}"`,
    expected: local
      ? `one of ${scalarNames.join(", ")}, a type of ${folderOfGroup(from.group)}/${from.version}, or a full name such as meta.v1.ObjectMeta`
      : "a type that some schema file declares",
    ...(meant !== undefined && { nearest: meant }),
  })
  return undefined
}
