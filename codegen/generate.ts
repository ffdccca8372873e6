/**
 * The generator as a function: texts of schema files in, texts of generated files out. It uses no file system and no
 * clock.
 */
import { emit } from "./emit/index.ts"
import { type EmitOptions, packageOptions, repositoryOptions } from "./emit/options.ts"
import { neededLibrary } from "./library.ts"
import { compareText, type Diagnostic, type KnownNames, load, type Loaded } from "./load/index.ts"
import type { Model } from "../model/model.ts"

export interface GenerateOptions {
  /**
   * The built-in schemas, when `files` belong to a user: they may be referred to and are not emitted. Absent: `files`
   * are the repository's.
   */
  readonly library?: ReadonlyMap<string, string>
  readonly known?: KnownNames
  /** The first part of the schema path on line 1 of each generated file. Default: `schemas`. */
  readonly schemaFolder?: string
  /** The module specifier of this package in a user's generated code. */
  readonly packageName?: string
}

export interface Generated {
  /** Texts by path below the out folder, sorted; empty when there are diagnostics. */
  readonly files: ReadonlyMap<string, string>
  readonly diagnostics: readonly Diagnostic[]
  /** TypeScript files that schemas refer to and that do not exist yet. Notes do not stop the generator. */
  readonly notes: readonly Diagnostic[]
  readonly kinds: number
}

/**
 * Called by the command line and by tests. The same input gives the same bytes. Returns schema errors as diagnostics,
 * never throws them.
 */
export async function generate(files: ReadonlyMap<string, string>, options: GenerateOptions = {}): Promise<Generated> {
  const loaded = loadNeeded(files, options)
  if ("diagnostics" in loaded) return { files: new Map(), diagnostics: loaded.diagnostics, notes: [], kinds: 0 }
  const { model, notes } = loaded
  const emitted = await emit(model, emitOptions(model, files, options))
  const sorted = [...emitted].sort(([left], [right]) => compareText(left, right))
  const kinds = model.kinds.filter((kind) => files.has(`${kind.file}.yaml`)).length
  return { files: new Map(sorted), diagnostics: [], notes, kinds }
}

/** Faults are reported with all built-in types in view, which their nearest words come from. */
function loadNeeded(files: ReadonlyMap<string, string>, { library, known }: GenerateOptions): Loaded {
  const names = { ...(known !== undefined && { known }) }
  if (library === undefined) return load(files, names)
  const needed = neededLibrary(files, library)
  const loaded = load(files, { library: needed, ...names })
  return "diagnostics" in loaded && needed.size < library.size ? load(files, { library, ...names }) : loaded
}

function emitOptions(model: Model, files: ReadonlyMap<string, string>, options: GenerateOptions): EmitOptions {
  if (options.library === undefined) return repositoryOptions(model)
  const own = new Set(model.files.map((file) => file.path).filter((path) => files.has(`${path}.yaml`)))
  return packageOptions(own, options.schemaFolder ?? "schemas", options.packageName)
}
