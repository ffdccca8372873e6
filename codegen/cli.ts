/**
 * `gen`: schemas in, generated code out. `--check` writes nothing and fails when a file would change; `--explain`
 * prints a keyword, or all of them.
 */
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { usesScripts, programText } from "../runtime/base/program-text.ts"
import { explain, explainAll } from "./explain.ts"
import { builtInSchemas, compareFolder, type Difference, readSchemas, writeFolder } from "./folder.ts"
import { type Diagnostic, dialectSchema, formatDiagnostic, lockFile } from "./load/index.ts"
import { acceptFault, missingLockWarning, readLock } from "./lock.ts"
import { type NamedFile, signature } from "./named-files.ts"
import { checkNamed, createStub, knownNames, type NamedPlaces, ownBehaviours } from "./stubs.ts"

/** The environment of the command line; tests provide their own. */
export interface CommandContext {
  /** The folder that relative options start from. */
  readonly cwd: string
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const repository = resolve(dirname(fileURLToPath(import.meta.url)), "..")
function usage(): string {
  const defaults = usesScripts ? "schemas and generated of this repository" : "schemas, and generated beside it"
  return `${programText("gen", "[options]")}
  --schemas DIR    schema files, and
  --out DIR        where generated code goes (default: ${defaults};
                   with --schemas alone: generated, beside it)
  --check          write nothing; fail when a generated file is stale, missing or left over
  --accept REASON  let changed and reused field numbers through, and record why in numbers.lock.yaml
  --explain [WORD] what a keyword of the schema dialect means; without a word, all of them, a line each
  --from-crd FILE  write schema files, one for each version, from the CustomResourceDefinitions in FILE (YAML or JSON) to
                   the folder of --schemas, and generate nothing; what the dialect cannot say is printed line by line
  --help           this text
A TypeScript file that a schema names and that is not there is created, in behaviours beside the out folder.
Exit codes: 0 done, 1 faults in schemas or stale files, 2 wrong use, 3 written by --from-crd without what it printed.`
}

/** Written beside the schemas so that editors complete them. */
const dialectSchemaFile = "dialect.schema.json"

/** Called with the arguments after the command. Returns the exit code. Never throws, even for invalid schemas. */
export async function runGenerator(args: readonly string[], context: CommandContext): Promise<number> {
  const options = parseOptions(args)
  if ("fault" in options) {
    context.printError(options.fault)
    context.printError(usage())
    return 2
  }
  if (options.help) {
    context.print(usage())
    return 0
  }
  if (options.explain !== undefined) return printExplanation(options.explain, context)
  if (options.fromCrd !== undefined) {
    const { fromCrd } = await import("./definitions/from-crd.ts")
    return fromCrd({ file: options.fromCrd, schemas: options.schemas }, context)
  }
  if (options.schemas === undefined && options.out !== undefined) {
    context.printError("--out needs --schemas: the built-in schemas and a folder of your own are generated apart")
    return 2
  }
  const fault = acceptFault(options)
  if (fault === undefined) return generateFolder(usesScripts ? options : { ...options, schemas: options.schemas ?? "schemas" }, context)
  context.printError(fault)
  return 2
}

interface Options {
  readonly schemas: string | undefined
  readonly out: string | undefined
  readonly check: boolean
  readonly accept: string | undefined
  /** A file of definitions to make schemas of. */
  readonly fromCrd: string | undefined
  /** A word, or true for all. */
  readonly explain: string | true | undefined
  readonly help: boolean
}

function parseOptions(args: readonly string[]): Options | { fault: string } {
  try {
    const { values, positionals } = parseArgs({
      args: args.flatMap((arg) => (arg.startsWith("--explain=") ? ["--explain", arg.slice("--explain=".length)] : [arg])),
      allowPositionals: args.some((arg) => /^--explain(=|$)/.test(arg)),
      options: {
        schemas: { type: "string" },
        out: { type: "string" },
        check: { type: "boolean" },
        accept: { type: "string" },
        explain: { type: "boolean" },
        "from-crd": { type: "string" },
        help: { type: "boolean" },
      },
    })
    const { schemas, out, check = false, accept, explain: explained = false, help = false } = values
    const [word, ...more] = positionals
    const fromCrd = values["from-crd"]
    if (more.length > 0) return { fault: `unexpected argument "${more[0]}"; --explain takes one word` }
    if (fromCrd !== undefined && (out !== undefined || check || accept !== undefined))
      return { fault: "--from-crd writes schemas alone: --schemas says where; generate in a second run" }
    return { schemas, out, check, accept, fromCrd, explain: explained ? (word ?? true) : undefined, help }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

function printExplanation(word: string | true, context: CommandContext): number {
  const explanation = word === true ? { text: explainAll() } : explain(word)
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
  const builtIn = builtInSchemas
  const schemas = task.schemas === undefined ? builtIn : resolve(context.cwd, task.schemas)
  const own = schemas !== builtIn
  const out = task.out === undefined ? join(dirname(schemas), "generated") : resolve(context.cwd, task.out)
  const places: NamedPlaces = { builtIn: join(repository, "runtime", "behaviours"), ...(own && { out }) }
  const shown = (path: string): string => relative(context.cwd, path).replaceAll("\\", "/") || "."
  const files = readSchemas(schemas)
  if (files.size === 0) {
    context.printError(`${shown(schemas)} holds no schema files; ${programText("new", "<group>/<version> <Kind>")} makes one`)
    return 1
  }
  const { generate } = await import("./generate.ts")
  const lock = readLock(schemas)
  const generated = await generate(files, {
    known: knownNames(places),
    ...(lock !== undefined && { numbers: lock }),
    ...(task.accept !== undefined && { accept: task.accept }),
    ...(own && {
      library: readSchemas(builtIn),
      libraryNumbers: () => readLock(builtIn),
      schemaFolder: basename(schemas),
      ownBehaviour: ownBehaviours(places),
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
  const besideSchemas = new Map([
    [dialectSchemaFile, dialectSchema()],
    [lockFile, generated.numbers],
  ])
  const outputs: readonly OutputFolder[] = [
    { folder: out, files: generated.files, difference: compareFolder(out, generated.files, true) },
    { folder: schemas, files: besideSchemas, difference: compareFolder(schemas, besideSchemas, false) },
  ]
  if (lock === undefined && holdsGenerated(outputs[0])) context.printError(missingLockWarning(shown(join(schemas, lockFile))))
  const summary = `${count(generated.kinds, "kind")} from ${count(files.size, "schema file")}`
  if (!reportForeign(outputs, shown, context)) return 1
  const incomplete = await reportNamed(generated.named, { places, schemas, create: !task.check, shown, context })
  if (task.check)
    return Math.max(
      notes.length + incomplete > 0 ? 1 : 0,
      reportCheck(outputs, shown, `${summary} in ${elapsed(started, context)} ms`, context),
    )
  for (const place of outputs) writeFolder(place.folder, place.files, place.difference)
  context.print(`${summary}: ${writtenText(outputs)} in ${elapsed(started, context)} ms`)
  return 0
}

/**
 * Reports TypeScript files that schemas name and that are missing or export something else; creates an author's missing
 * ones. Returns how many of them are faulty.
 */
async function reportNamed(
  files: readonly NamedFile[],
  how: {
    readonly places: NamedPlaces
    readonly schemas: string
    readonly create: boolean
    readonly shown: (path: string) => string
    readonly context: CommandContext
  },
): Promise<number> {
  const { places, schemas, create, shown, context } = how
  const { missing, misnamed } = await checkNamed(files, places)
  const expected = (named: NamedFile): void => context.printError(`  ${signature(named)}`)
  for (const { named, file, nearest } of missing) {
    const naming = `which ${shown(schemas)}/${named.schema} names`
    if (create && places.out !== undefined && nearest === undefined) {
      createStub(file, named, { out: places.out, schemas })
      context.print(`created ${shown(file)}, ${naming}; it changes nothing yet`)
      continue
    }
    context.printError(
      `missing: ${shown(file)}, ${naming}${nearest === undefined ? "; expected" : `; did you mean "${nearest}"? Otherwise create it with`}`,
    )
    expected(named)
  }
  for (const { named, file } of misnamed) {
    context.printError(`${shown(file)}: no export "${named.exported}", which ${shown(schemas)}/${named.schema} names; expected`)
    expected(named)
  }
  return missing.length + misnamed.length
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
  if (lines.length > 0) context.printError(`${count(lines.length, "file")} not as generated; run ${programText("gen")}`)
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
