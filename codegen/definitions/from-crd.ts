/** `gen --from-crd FILE`: schema files from the CustomResourceDefinitions of a file. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { LineCounter, parseAllDocuments } from "yaml"
import type { JsonValue } from "../../runtime/base/json.ts"
import { programText, usesScripts } from "../../runtime/base/program-text.ts"
import type { CommandContext } from "../cli.ts"
import { builtInSchemas, readSchemas } from "../folder.ts"
import { neededLibrary } from "../library.ts"
import { readLock } from "../lock.ts"
import { type Diagnostic, load } from "../load/index.ts"
import { type Path, pathText } from "./findings.ts"
import { type CheckSchemas, convertDefinitions, type Converted, DefinitionFault } from "./from/convert.ts"

/** Arguments of `gen --from-crd`. */
export interface FromCrdOptions {
  readonly file: string
  readonly schemas: string | undefined
}

/** Exit code: everything is written, except the reported losses. */
const exitWithLosses = 3

/** Called by `gen`. Returns the exit code: 0 done, 1 nothing was written, 3 written, with losses (printed). */
export function fromCrd({ file, schemas }: FromCrdOptions, context: CommandContext): number {
  const source = resolve(context.cwd, file)
  const folder = resolve(context.cwd, schemas ?? "schemas")
  const shown = (path: string): string => relative(context.cwd, path).replaceAll("\\", "/")
  const read = readDocuments(source)
  if ("fault" in read) return refuse(`${file}: ${read.fault}`, context)
  const check = loaderOf(folder)
  try {
    const converted = convertDefinitions(
      read.documents.map(({ value }) => value),
      basename(file),
      check,
    )
    const files = converted.flatMap((one) => one.files)
    const present = files.filter(({ path }) => existsSync(join(folder, path)))
    for (const { path } of present) context.printError(`${shown(join(folder, path))} exists; it was not touched`)
    if (present.length > 0) return refuse("nothing was written", context)
    const losses = report(converted, read.documents, { file, context })
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
      context.print(`wrote ${shown(join(folder, path))}`)
    }
    for (const line of nextSteps(schemas, losses)) context.print(line)
    return losses > 0 ? exitWithLosses : 0
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error
    return refuse(`${file}${read.documents[error.document]?.locate([]) ?? ""}: ${error.message}; nothing was written`, context)
  }
}

function refuse(line: string, context: CommandContext): number {
  context.printError(line)
  return 1
}

/** A document and where its parts are. */
interface SourceDocument {
  readonly value: JsonValue
  /** `:12:5`, the position of the innermost existing part on the way to `path`. */
  readonly locate: (path: Path) => string
}

/** Aliases of one document; more are an attack on memory. */
const maxAliases = 1000

function readDocuments(path: string): { readonly documents: readonly SourceDocument[] } | { readonly fault: string } {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    return { fault: `cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { intAsBigInt: true, lineCounter: lines, logLevel: "silent", prettyErrors: false })
  const documents: SourceDocument[] = []
  for (const document of "empty" in parsed ? [] : parsed) {
    const [error] = document.errors
    if (error !== undefined) return { fault: `line ${lines.linePos(error.pos[0]).line}: ${error.message}` }
    const value: JsonValue = plain(document.toJS({ maxAliasCount: maxAliases }))
    if (value === null) continue
    const locate = (at: Path): string => {
      for (let length = at.length; length >= 0; length--) {
        const node: unknown = length === 0 ? document.contents : document.getIn(at.slice(0, length), true)
        const start = rangeStart(node)
        if (start === undefined) continue
        const { line, col } = lines.linePos(start)
        return `:${line}:${col}`
      }
      return ""
    }
    documents.push({ value, locate })
  }
  return documents.length === 0 ? { fault: "holds no documents; expected CustomResourceDefinitions" } : { documents }
}

function rangeStart(node: unknown): number | undefined {
  if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range)) return undefined
  const start: unknown = node.range[0]
  return typeof start === "number" ? start : undefined
}

/** Reads whole numbers exactly; numbers that a double holds become plain numbers. */
function plain(value: unknown): JsonValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]: [string, unknown]) => [name, plain(inner)]))
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value
  return null
}

/** The loader, with the schemas that are in the folder and the built-in ones. */
function loaderOf(folder: string): CheckSchemas {
  const isBuiltIn = folder === builtInSchemas
  const present = readSchemas(folder)
  const library = isBuiltIn ? new Map<string, string>() : readSchemas(builtInSchemas)
  const numbers = readLock(folder)
  return (made): readonly Diagnostic[] => {
    const files = new Map([...present, ...made])
    const loaded = load(files, {
      library: neededLibrary(files, library),
      libraryNumbers: () => readLock(builtInSchemas),
      ...(numbers !== undefined && { numbers }),
    })
    return "diagnostics" in loaded ? loaded.diagnostics : []
  }
}

/** Prints each finding with its line. Returns the number of losses. */
function report(
  converted: readonly Converted[],
  documents: readonly SourceDocument[],
  { file, context }: { readonly file: string; readonly context: CommandContext },
): number {
  let losses = 0
  for (const { index, findings } of converted) {
    losses += findings.losses
    for (const { severity, path, text } of findings.all) {
      const begin = `${file}${documents[index]?.locate(path) ?? ""}: ${severity === "note" ? "note: " : ""}`
      context.printError(`${begin}${pathText(path)}: ${text}`)
    }
  }
  return losses
}

function nextSteps(schemas: string | undefined, losses: number): string[] {
  const folder = schemas ?? "schemas"
  const isOwn = schemas !== undefined || !usesScripts
  const out = join(dirname(folder), "generated")
  const lost = `${losses} ${losses === 1 ? "thing" : "things"} of the definition could not be said; the lines above name each`
  return [
    ...(losses > 0 ? [lost] : []),
    "next:",
    "  1. read what was written: every line may be changed",
    `  2. ${programText("gen", isOwn ? `--schemas ${folder} --out ${out}` : "")}`,
    `  3. ${programText("start", isOwn ? `--api ${out}` : "")}`,
  ]
}
