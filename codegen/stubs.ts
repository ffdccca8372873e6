/**
 * The TypeScript files that the schemas of a folder name, on disk: existing files, files with another export, and files
 * that `gen` creates for an author to fill in.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { nearest } from "../runtime/base/nearest.ts"
import { filePaths } from "./folder.ts"
import type { KnownNames } from "./load/index.ts"
import { type NamedFile, type NamedType, signature } from "./named-files.ts"

/** The folders in which named files are looked for. */
export interface NamedPlaces {
  /** `runtime/behaviours` of this package. */
  readonly builtIn: string
  /** The out folder of an author's schemas; behaviours are beside it. Absent: the schemas are the built-in ones. */
  readonly out?: string
}

/**
 * Names that the loader compares with the names in the schemas. An author's folder is not compared here: a missing file
 * there is created, or reported by `checkNamed`.
 */
export function knownNames({ builtIn, out }: NamedPlaces): KnownNames {
  if (out !== undefined) return {}
  const names = (below: string): readonly string[] => moduleNames(join(builtIn, below))
  return {
    behaviours: names(""),
    checks: names("checks"),
    cells: names("cells"),
    conversions: names("conversions"),
    warnings: names("warnings"),
  }
}

/** Whether hooks are the author's own: there is a file for them, or no built-in one of that name. */
export function ownBehaviours({ builtIn, out }: NamedPlaces): (name: string) => boolean {
  const own = new Set(out === undefined ? [] : moduleNames(join(dirname(out), "behaviours")))
  const ours = new Set(moduleNames(builtIn))
  return (name) => own.has(name) || !ours.has(name)
}

export interface NamedFaults {
  /** Missing files, each with its path and a similar existing name. */
  readonly missing: readonly { readonly named: NamedFile; readonly file: string; readonly nearest?: string }[]
  /** Files without the export that schemas expect. */
  readonly misnamed: readonly { readonly named: NamedFile; readonly file: string }[]
}

/** Called with the files that valid schemas name. Reads files and writes none. */
export async function checkNamed(files: readonly NamedFile[], places: NamedPlaces): Promise<NamedFaults> {
  const found: { named: NamedFile; file: string }[] = []
  const missing: { named: NamedFile; file: string; nearest?: string }[] = []
  for (const named of files) {
    const paths = candidates(named, places)
    const file = paths.find((path) => existsSync(path))
    if (file !== undefined) found.push({ named, file })
    else missing.push({ named, file: paths[0] ?? named.path, ...unusedNear(named, files, places) })
  }
  const texts = found.map((one) => ({ ...one, text: readFileSync(one.file, "utf8") }))
  const unclear = texts.filter(({ named, text }) => !declares(text, named.exported))
  const { exportedNames } = unclear.length === 0 ? { exportedNames: () => undefined } : await import("./print/exports.ts")
  const misnamed = unclear.filter(({ named, text }) => exportedNames(text)?.has(named.exported) === false)
  return { missing, misnamed }
}

/** The usual export of a constant, which is found without parsing. */
function declares(text: string, name: string): boolean {
  return text.startsWith(`export const ${name} =`) || text.includes(`\nexport const ${name} =`)
}

/** Generated code imports checks and the like from beside the out folder; hooks may be built in. */
function candidates({ path }: NamedFile, { builtIn, out }: NamedPlaces): readonly string[] {
  if (out === undefined) return [join(builtIn, path)]
  const own = join(dirname(out), "behaviours", path)
  return path.includes("/") ? [own] : [own, join(builtIn, path)]
}

/** A file of a similar name that no schema names is probably the one that was meant. */
function unusedNear(
  { path, exported }: NamedFile,
  files: readonly NamedFile[],
  { out }: NamedPlaces,
): { readonly nearest: string } | undefined {
  if (out === undefined) return undefined
  const folder = dirname(path)
  const used = new Set(files.filter((one) => dirname(one.path) === folder).map((one) => one.exported))
  const unused = moduleNames(join(dirname(out), "behaviours", folder)).filter((name) => !used.has(name))
  const near = nearest(exported, unused)
  return near === undefined ? undefined : { nearest: near }
}

/** The name of `service-allocation.ts` is `serviceAllocation`. */
function moduleNames(folder: string): string[] {
  const files = filePaths(folder).filter((path) => /^[a-z0-9-]+\.ts$/.test(path) && path !== "index.ts")
  return files.map((path) => path.replace(/\.ts$/, "").replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()))
}

/** Writes a file that compiles and changes nothing. Never overwrites: a file that is there by now stays. */
export function createStub(file: string, named: NamedFile, place: { readonly out: string; readonly schemas: string }): void {
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, stubText(named, { generated: basename(place.out), schemas: basename(place.schemas) }), { flag: "wx" })
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
}

/** `generated` and `schemas`: the names of these folders, which are beside the folder of behaviours. */
export function stubText(named: NamedFile, { generated, schemas }: { readonly generated: string; readonly schemas: string }): string {
  const up = "../".repeat(named.path.split("/").length)
  const imports = named.types.flatMap((type) => importLine(type, `${up}${generated}`) ?? [])
  return `${[
    `import { ${named.define} } from "orch-apiserver/schema"`,
    ...new Set(imports),
    "",
    `/** Named in ${schemas}/${named.schema}. It changes nothing yet. */`,
    signature({ ...named, sketch: named.idle }),
  ].join("\n")}\n`
}

function importLine({ name, alias, file, own = false }: NamedType, generated: string): string | undefined {
  if (file === undefined) return undefined
  const module = own ? `${generated}/${file}/types.ts` : `orch-apiserver/generated/${file}/types`
  return `import type { ${alias === undefined ? name : `${name} as ${alias}`} } from "${module}"`
}
