/**
 * The generator as a function: texts of schema files in, texts of generated files out. It uses no file system and no
 * clock.
 */
import { emit } from "./emit/index.ts"
import { type EmitOptions, packageOptions, repositoryOptions } from "./emit/options.ts"
import { neededLibrary } from "./library.ts"
import { compareText, type Diagnostic, isBootstrapFile, load, type Loaded, type LoadOptions } from "./load/index.ts"
import { type NamedFile, namedFiles } from "./named-files.ts"
import type { Model } from "../model/model.ts"

export interface GenerateOptions extends LoadOptions {
  /**
   * The built-in schemas, when `files` belong to a user: they may be referred to and are not emitted. Absent: `files`
   * are the repository's.
   */
  readonly library?: ReadonlyMap<string, string>
  /** The first part of the schema path on line 1 of each generated file. Default: `schemas`. */
  readonly schemaFolder?: string
  /** The module specifier of this package in a user's generated code. */
  readonly packageName?: string
  /** Whether a behaviour of this name is the user's own. Default: every one. */
  readonly ownBehaviour?: (name: string) => boolean
}

export interface Generated {
  /** Texts by path below the out folder, sorted; empty when there are diagnostics. */
  readonly files: ReadonlyMap<string, string>
  readonly diagnostics: readonly Diagnostic[]
  /** TypeScript files that schemas refer to and that do not exist yet. Notes do not stop the generator. */
  readonly notes: readonly Diagnostic[]
  /** Valid schemas that are hardly intended. Warnings do not stop the generator. */
  readonly warnings: readonly Diagnostic[]
  /** The text of `numbers.lock.yaml`; empty when there are diagnostics. */
  readonly numbers: string
  readonly kinds: number
  /** The TypeScript files that the schemas name. */
  readonly named: readonly NamedFile[]
}

/**
 * Called by the command line and by tests. The same input gives the same bytes. Returns schema errors as diagnostics,
 * never throws them.
 */
export async function generate(files: ReadonlyMap<string, string>, options: GenerateOptions = {}): Promise<Generated> {
  const loaded = loadNeeded(files, options)
  if ("diagnostics" in loaded) {
    return { files: new Map(), diagnostics: loaded.diagnostics, notes: [], warnings: [], numbers: "", kinds: 0, named: [] }
  }
  const { model, notes, warnings, numbers } = loaded
  const emitted = await emit(model, emitOptions(model, files, options))
  const sorted = [...emitted].sort(([left], [right]) => compareText(left, right))
  const kinds = model.kinds.filter((kind) => files.has(`${kind.file}.yaml`)).length
  const named = namedFiles(model, new Set([...files.keys()].map((path) => path.replace(/\.ya?ml$/, ""))))
  return { files: new Map(sorted), diagnostics: [], notes, warnings, numbers, kinds, named }
}

/** Faults are reported with all built-in types in view, which their nearest words come from. */
function loadNeeded(files: ReadonlyMap<string, string>, options: GenerateOptions): Loaded {
  const { library } = options
  if (library === undefined) return load(files, options)
  const needed = neededLibrary(files, library)
  const loaded = load(files, { ...options, library: needed })
  const isWhole = [...library.keys()].every((path) => needed.has(path) || isBootstrapFile(path))
  return "diagnostics" in loaded && !isWhole ? load(files, options) : loaded
}

function emitOptions(model: Model, files: ReadonlyMap<string, string>, options: GenerateOptions): EmitOptions {
  if (options.library === undefined) return repositoryOptions(model)
  const own = new Set(model.files.map((file) => file.path).filter((path) => files.has(`${path}.yaml`)))
  const { packageName, ownBehaviour } = options
  return packageOptions(own, options.schemaFolder ?? "schemas", {
    ...(packageName !== undefined && { packageName }),
    ...(ownBehaviour !== undefined && { ownBehaviour }),
  })
}
