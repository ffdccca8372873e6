/**
 * `npm run gen`: schemas in, generated code out. `--check` writes nothing and fails when a file would change;
 * `--explain` prints a keyword.
 */
import { existsSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { explain } from "./explain.ts"
import { compareFolder, type Difference, filePaths, readSchemas, writeFolder } from "./folder.ts"
import { type Diagnostic, dialectSchema, formatDiagnostic, type KnownNames, lockFile } from "./load/index.ts"
import { acceptFault, missingLockWarning, readLock } from "./lock.ts"
import type { NamedFile } from "./named-files.ts"

/** The environment of the command line; tests provide their own. */
export interface CommandContext {
  /** The folder that relative options start from. */
  readonly cwd: string
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const usage = `npm run gen [-- options]
  --schemas DIR    schema files (default: schemas)
  --out DIR        where generated code goes (default: generated)
  --check          write nothing; fail when a generated file is stale, missing or left over
  --accept REASON  let changed and reused field numbers through, and record why in numbers.lock.yaml
  --explain WORD   what a keyword of the schema dialect means
  --help           this text
Exit codes: 0 done, 1 faults in schemas or stale files, 2 wrong use.`

const repository = resolve(dirname(fileURLToPath(import.meta.url)), "..")
/** Written beside the schemas so that editors complete them. */
const dialectSchemaFile = "dialect.schema.json"

/** Called with the arguments after the command. Returns the exit code. Never throws, whatever the schemas contain. */
export async function runGenerator(args: readonly string[], context: CommandContext): Promise<number> {
  const options = parseOptions(args)
  if ("fault" in options) {
    context.printError(options.fault)
    context.printError(usage)
    return 2
  }
  if (options.help) {
    context.print(usage)
    return 0
  }
  if (options.explain !== undefined) return printExplanation(options.explain, context)
  if ((options.schemas === undefined) !== (options.out === undefined)) {
    context.printError("--schemas and --out go together: the built-in schemas and a folder of your own are generated apart")
    return 2
  }
  const fault = acceptFault(options)
  if (fault === undefined) return generateFolder(options, context)
  context.printError(fault)
  return 2
}

interface Options {
  readonly schemas: string | undefined
  readonly out: string | undefined
  readonly check: boolean
  readonly accept: string | undefined
  readonly explain: string | undefined
  readonly help: boolean
}

function parseOptions(args: readonly string[]): Options | { fault: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        schemas: { type: "string" },
        out: { type: "string" },
        check: { type: "boolean" },
        accept: { type: "string" },
        explain: { type: "string" },
        help: { type: "boolean" },
      },
    })
    const { schemas, out, check = false, accept, explain: word, help = false } = values
    return { schemas, out, check, accept, explain: word, help }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

function printExplanation(word: string, context: CommandContext): number {
  const explanation = explain(word)
  if ("text" in explanation) {
    context.print(explanation.text)
    return 0
  }
  context.printError(explanation.fault)
  return 1
}

interface Task {
  /** Absent: the repository's schemas. */
  readonly schemas: string | undefined
  readonly out: string | undefined
  readonly check: boolean
  readonly accept: string | undefined
}

async function generateFolder(task: Task, context: CommandContext): Promise<number> {
  const started = context.now()
  const builtIn = join(repository, "schemas")
  const schemas = task.schemas === undefined ? builtIn : resolve(context.cwd, task.schemas)
  const out = task.out === undefined ? join(repository, "generated") : resolve(context.cwd, task.out)
  const own = schemas !== builtIn
  const shown = (path: string): string => relative(context.cwd, path).replaceAll("\\", "/") || "."
  const files = readSchemas(schemas)
  if (files.size === 0) {
    context.printError(`${shown(schemas)} holds no schema files; npm run new -- <group>/<version> <Kind> makes one`)
    return 1
  }
  const { generate } = await import("./generate.ts")
  const known = knownNames(own ? join(dirname(out), "behaviours") : undefined)
  const lock = readLock(schemas)
  const generated = await generate(files, {
    known,
    ...(lock !== undefined && { numbers: lock }),
    ...(task.accept !== undefined && { accept: task.accept }),
    ...(own && {
      library: readSchemas(builtIn),
      libraryNumbers: () => readLock(builtIn),
      schemaFolder: basename(schemas),
      ownBehaviour: ownBehaviours(join(dirname(out), "behaviours")),
    }),
  })
  const { diagnostics, notes } = generated
  const located = (diagnostic: Diagnostic): string => {
    const inSchemas = files.has(diagnostic.file) || diagnostic.file === lockFile
    return formatDiagnostic(diagnostic, `${shown(inSchemas ? schemas : builtIn)}/`)
  }
  for (const diagnostic of [...diagnostics, ...notes]) context.printError(located(diagnostic))
  for (const warning of generated.warnings) context.printError(`warning: ${located(warning)}`)
  if (diagnostics.length > 0) {
    context.printError(`${count(diagnostics.length, "fault")}; nothing was written`)
    return 1
  }
  const misnamed = await missingExports(generated.named, own ? join(dirname(out), "behaviours") : undefined)
  for (const { file, named } of misnamed) {
    context.printError(`${shown(file)}: no export "${named.exported}", which ${shown(schemas)}/${named.schema} names; expected`)
    context.printError(`  ${named.signature}`)
  }
  const besideSchemas = new Map([
    [dialectSchemaFile, dialectSchema()],
    [lockFile, generated.numbers],
  ])
  const places: readonly OutputFolder[] = [
    { folder: out, files: generated.files, difference: compareFolder(out, generated.files, true) },
    { folder: schemas, files: besideSchemas, difference: compareFolder(schemas, besideSchemas, false) },
  ]
  if (lock === undefined && holdsGenerated(places[0])) context.printError(missingLockWarning(shown(join(schemas, lockFile))))
  const summary = `${count(generated.kinds, "kind")} from ${count(files.size, "schema file")}`
  if (notes.length > 0)
    context.printError(`${count(notes.length, "TypeScript file")} that schemas ask for ${notes.length === 1 ? "is" : "are"} not there yet`)
  if (!reportForeign(places, shown, context)) return 1
  if (task.check)
    return Math.max(
      notes.length + misnamed.length > 0 ? 1 : 0,
      reportCheck(places, shown, `${summary} in ${elapsed(started, context)} ms`, context),
    )
  for (const place of places) writeFolder(place.folder, place.files, place.difference)
  context.print(`${summary}: ${writtenText(places)} in ${elapsed(started, context)} ms`)
  return 0
}

interface OutputFolder {
  readonly folder: string
  readonly files: ReadonlyMap<string, string>
  readonly difference: Difference
}

function holdsGenerated(place: OutputFolder | undefined): boolean {
  return place !== undefined && place.difference.unchanged + place.difference.stale.length + place.difference.extra.length > 0
}

/** Reports files at output paths that were not generated; they stop the run before anything is written. */
function reportForeign(places: readonly OutputFolder[], shown: (path: string) => string, context: CommandContext): boolean {
  const foreign = places.flatMap(({ folder, difference }) => difference.foreign.map((path) => shown(join(folder, path))))
  for (const path of foreign) context.printError(`${path} exists and was not generated; move it away`)
  return foreign.length === 0
}

function reportCheck(places: readonly OutputFolder[], shown: (path: string) => string, summary: string, context: CommandContext): number {
  const lines = places.flatMap(({ folder, difference }) =>
    (["stale", "missing", "extra"] as const).flatMap((word) => difference[word].map((path) => `${word}: ${shown(join(folder, path))}`)),
  )
  for (const line of lines) context.printError(line)
  if (lines.length > 0) context.printError(`${count(lines.length, "file")} not as generated; run npm run gen`)
  else context.print(`generated code is fresh: ${summary}`)
  return lines.length === 0 ? 0 : 1
}

function writtenText(places: readonly OutputFolder[]): string {
  const total = (pick: (place: OutputFolder) => number): number => places.reduce((sum, place) => sum + pick(place), 0)
  const written = total(({ difference }) => difference.missing.length + difference.stale.length)
  const removed = total(({ difference }) => difference.extra.length)
  return `${count(written, "file")} written, ${removed} removed, ${total(({ difference }) => difference.unchanged)} unchanged`
}

function elapsed(started: number, context: CommandContext): number {
  return Math.round(context.now() - started)
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}

/**
 * Names of the TypeScript files that schemas may refer to. A user's behaviours are in a folder beside the out folder
 * and add to the built-in ones. Without that folder any name is accepted.
 */
function knownNames(ownFolder: string | undefined): KnownNames {
  const builtIn = join(repository, "runtime", "behaviours")
  const names = (below: string): readonly string[] | undefined => {
    const own = ownFolder === undefined ? [] : moduleNames(join(ownFolder, below))
    const all = ownFolder === undefined || below === "" ? [...moduleNames(join(builtIn, below)), ...own] : own
    return all.length === 0 ? undefined : [...new Set(all)].sort()
  }
  return {
    behaviours: names(""),
    checks: names("checks"),
    cells: names("cells"),
    conversions: names("conversions"),
    warnings: names("warnings"),
  }
}

/** A behaviour is the user's own if there is a file for it, or no built-in one of that name. */
function ownBehaviours(folder: string): (name: string) => boolean {
  const [own, builtIn] = [new Set(moduleNames(folder)), new Set(moduleNames(join(repository, "runtime", "behaviours")))]
  return (name) => own.has(name) || !builtIn.has(name)
}

/** Existing files that do not export what schemas expect of them. A file exports the camelCase form of its own name. */
async function missingExports(
  files: readonly NamedFile[],
  ownFolder: string | undefined,
): Promise<readonly { readonly file: string; readonly named: NamedFile }[]> {
  const folders = [...(ownFolder === undefined ? [] : [ownFolder]), join(repository, "runtime", "behaviours")]
  const found = files.flatMap((named) => {
    const file = folders.map((folder) => join(folder, named.path)).find((path) => existsSync(path))
    return file === undefined ? [] : [{ file, named }]
  })
  if (found.length === 0) return []
  const { exportedNames } = await import("./print/exports.ts")
  return found.filter(({ file, named }) => exportedNames(readFileSync(file, "utf8"))?.has(named.exported) === false)
}

/** The name of `service-allocation.ts` is `serviceAllocation`. */
function moduleNames(folder: string): string[] {
  const files = filePaths(folder).filter((path) => /^[a-z0-9-]+\.ts$/.test(path) && path !== "index.ts")
  return files.map((path) => path.replace(/\.ts$/, "").replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()))
}

/** The environment of this process. */
export function processContext(): CommandContext {
  return {
    cwd: process.cwd(),
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
    now: () => performance.now(),
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await runGenerator(process.argv.slice(2), processContext())
}
