/**
 * From the texts of schema files to the model: parse, declare, resolve, check. One run finds every error of every file;
 * there is a model only when there are none.
 */
import type { Model, TypeModel } from "../../model/model.ts"
import { checkForm } from "./check-form.ts"
import { checkDoc, type KnownNames } from "./checks.ts"
import { collectTypes, declareFile, type FileDeclaration } from "./declare.ts"
import { compareDiagnostics, compareText, type Diagnostic } from "./diagnostic.ts"
import { kindModels } from "./kinds.ts"
import { SourceFile } from "./source.ts"
import { TypeTable } from "./type-table.ts"
import { typeModel } from "./types.ts"

export interface LoadOptions {
  /**
   * Other schema files that `files` may refer to: the built-in ones beside a user's own. They are in the model, too.
   */
  readonly library?: ReadonlyMap<string, string>
  /** Names of existing behaviours and checks. Absent lists, and the files of `library`, are not checked. */
  readonly known?: KnownNames
}

/** `notes`: TypeScript files that schemas refer to and that do not exist yet; the model is complete without them. */
export type Loaded = { readonly model: Model; readonly notes: readonly Diagnostic[] } | { readonly diagnostics: readonly Diagnostic[] }

/**
 * Called by the generator, by `--check` and by tests. Paths are relative to the schema folder: `core/v1/pod.yaml`. Pure
 * and deterministic: the result does not depend on the order of `files`. A file of `library` with the path of one in
 * `files` is ignored.
 */
export function load(files: ReadonlyMap<string, string>, options: LoadOptions = {}): Loaded {
  const library = [...(options.library ?? [])].filter(([path]) => !files.has(path))
  const sources = [...read([...files], true), ...read(library, false)].sort((left, right) =>
    compareText(left.source.path, right.source.path),
  )
  const readable = sources.filter(({ source }) => source.readable)
  for (const { source } of readable) checkForm(source)
  const declared = readable.flatMap(({ source, own }) => declareFile(source, own) ?? [])
  // An unreadable file would cause errors in all files that refer to it, so its own errors are reported first.
  const model = readable.length === sources.length ? resolve(declared, options.known ?? {}) : emptyModel
  const faults = sources.flatMap(({ source }) => source.diagnostics)
  const notes = sources.flatMap(({ source }) => source.notes)
  return faults.length === 0 ? { model, notes: withoutRepeats(notes) } : { diagnostics: withoutRepeats([...faults, ...notes]) }
}

const emptyModel: Model = { kinds: [], types: new Map(), files: [] }

function read(files: readonly (readonly [string, string])[], own: boolean): { source: SourceFile; own: boolean }[] {
  return files.map(([path, text]) => ({ source: new SourceFile(path, text), own }))
}

function resolve(files: readonly FileDeclaration[], known: KnownNames): Model {
  const declarations = collectTypes(files)
  const table = new TypeTable(declarations)
  const types = new Map<string, TypeModel>()
  for (const name of [...declarations.keys()].sort(compareText)) {
    const declaration = declarations.get(name)
    if (declaration !== undefined) types.set(name, typeModel(declaration, table, declaration.own ? known : {}))
  }
  for (const file of files) if (file.kind === undefined && file.block.has("doc")) checkDoc(file.block, 0, "the file", file.source)
  const kinds = kindModels(files, table, known)
  return { kinds, types, files: files.map(fileModel) }
}

function fileModel(file: FileDeclaration): Model["files"][number] {
  const { path, group, version, kind } = file
  return { path, group, version, types: file.types.map((type) => type.name), ...(kind !== undefined && { kind }) }
}

/**
 * Sorted. Two checks may report the same error (a type text that both read); it is listed once. So is a name that is
 * used in many places and resembles none that is declared: its declaration is what is missing.
 */
function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const sorted = diagnostics.toSorted(compareDiagnostics)
  const missing = new Set<string>()
  return sorted.filter((diagnostic, index) => {
    const previous = sorted[index - 1]
    if (previous !== undefined && compareDiagnostics(previous, diagnostic) === 0) return false
    const name = diagnostic.nearest === undefined ? /^unknown (?:field|name) "([^"]*)"(?! in )/.exec(diagnostic.found)?.[1] : undefined
    if (name === undefined) return true
    const key = `${diagnostic.file} ${name}`
    if (missing.has(key)) return false
    missing.add(key)
    return true
  })
}
