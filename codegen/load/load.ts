/**
 * From the texts of schema files to the model: parse, declare, resolve, check. One run finds every error of every file;
 * there is a model only when there are none.
 */
import type { Model, TypeModel } from "../../model/model.ts"
import { isBootstrapFile, loadBootstrap } from "./bootstrap/index.ts"
import { checkForm } from "./check-form.ts"
import { checkDoc, type KnownNames } from "./checks.ts"
import { collectTypes, declareFile, type FileDeclaration } from "./declare.ts"
import { compareDiagnostics, compareText, type Diagnostic } from "./diagnostic.ts"
import { kindModels } from "./kinds.ts"
import { type Locks, numberFields } from "./numbers.ts"
import { formatLock, type NumberLock, parseLock } from "./numbers-lock.ts"
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
  /** The text of `numbers.lock.yaml` beside `files`; absent when there is none yet. */
  readonly numbers?: string
  /** Returns the lock of `library`. Called only when a built-in field states no number. */
  readonly libraryNumbers?: () => string | undefined
  /** Accepts faults about changed and reused numbers, and records this reason. */
  readonly accept?: string
}

export type Loaded =
  | {
      readonly model: Model
      /** TypeScript files that schemas refer to and that do not exist yet; the model is complete without them. */
      readonly notes: readonly Diagnostic[]
      /** Warnings about schemas that are valid but hardly intended. */
      readonly warnings: readonly Diagnostic[]
      /** The text of `numbers.lock.yaml` for this model. */
      readonly numbers: string
    }
  | { readonly diagnostics: readonly Diagnostic[] }

/**
 * Called by the generator, by `--check` and by tests. Paths are relative to the schema folder: `core/v1/pod.yaml`. Pure
 * and deterministic: the result does not depend on the order of `files`. A file of `library` with the path of one in
 * `files` is ignored.
 */
export function load(files: ReadonlyMap<string, string>, options: LoadOptions = {}): Loaded {
  const isManifests = (path: string): boolean => options.library === undefined && isBootstrapFile(path)
  const library = [...(options.library ?? [])].filter(([path]) => !files.has(path) && !isBootstrapFile(path))
  const own = [...files].filter(([path]) => !isManifests(path))
  const sources = [...read(own, true), ...read(library, false)].sort((left, right) => compareText(left.source.path, right.source.path))
  const manifests = [...files].filter(([path]) => isManifests(path)).map(([path, text]) => new SourceFile(path, text, true))
  const readable = sources.filter(({ source }) => source.readable)
  for (const { source } of readable) checkForm(source)
  const declared = readable.flatMap(({ source, own }) => declareFile(source, own) ?? [])
  // An unreadable file would cause errors in all files that refer to it, so its own errors are reported first.
  const lock = parseLock(options.numbers ?? "types: {}")
  const locks: Locks = {
    own: lock.lock,
    library: onceOnly(() => parseLock(options.libraryNumbers?.() ?? "types: {}").lock),
    ...(options.accept !== undefined && { accept: options.accept }),
  }
  const whole = readable.length === sources.length && lock.source.diagnostics.length === 0
  const { model: declaredModel, numbers } = whole ? resolve(declared, options.known ?? {}, locks) : nothing
  const schemaFaults = [...sources.map(({ source }) => source), lock.source].flatMap((source) => source.diagnostics)
  const isReadable = schemaFaults.length === 0 && manifests.every(({ readable }) => readable)
  const model: Model = isReadable ? { ...declaredModel, bootstrap: loadBootstrap(manifests, declaredModel) } : declaredModel
  const faults = [...schemaFaults, ...manifests.flatMap((source) => source.diagnostics)]
  const notes = sources.flatMap(({ source }) => source.notes)
  if (faults.length > 0) return { diagnostics: withoutRepeats([...faults, ...notes]) }
  const warnings = sources.flatMap(({ source }) => source.warnings)
  return { model, notes: withoutRepeats(notes), warnings: withoutRepeats(warnings), numbers: formatLock(numbers) }
}

interface Resolved {
  readonly model: Model
  readonly numbers: NumberLock
}

const nothing: Resolved = { model: { kinds: [], types: new Map(), files: [], bootstrap: [] }, numbers: new Map() }

function onceOnly<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function read(files: readonly (readonly [string, string])[], own: boolean): { source: SourceFile; own: boolean }[] {
  return files.map(([path, text]) => ({ source: new SourceFile(path, text), own }))
}

function resolve(files: readonly FileDeclaration[], known: KnownNames, locks: Locks): Resolved {
  const declarations = collectTypes(files)
  const table = new TypeTable(declarations)
  const numbers = numberFields(table, locks)
  const types = new Map<string, TypeModel>()
  for (const name of [...declarations.keys()].sort(compareText)) {
    const declaration = declarations.get(name)
    if (declaration === undefined) continue
    const reserved = [...new Set(numbers.get(name)?.removed.map(({ number }) => number))].sort((left, right) => left - right)
    const type = typeModel(declaration, table, declaration.own ? known : {})
    types.set(name, reserved.length === 0 ? type : { ...type, reserved })
  }
  for (const file of files) if (file.kind === undefined && file.block.has("doc")) checkDoc(file.block, 0, "the file", file.source)
  const kinds = kindModels(files, table, known)
  return { model: { kinds, types, files: files.map(fileModel), bootstrap: [] }, numbers }
}

function fileModel(file: FileDeclaration): Model["files"][number] {
  const { path, group, version, kind } = file
  return { path, group, version, types: file.types.map((type) => type.name), ...(kind !== undefined && { kind }) }
}

/**
 * Sorts, and removes repeats. Two checks may report the same error (a type text that both read). A name that is used in
 * many places and resembles no declared name is also listed once: its declaration is missing.
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
