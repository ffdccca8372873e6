/**
 * `--api FOLDER`: a user's own kinds, as the generator wrote them. The TypeScript is bundled in memory and evaluated
 * with this process's schema library, so a user needs neither a build nor an installed copy of this package. Behaviours
 * are in `behaviours/` next to the folder.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { compileFunction } from "node:vm"
import { programText } from "../base/program-text.ts"
import { rememberPositions, withAuthorPositions } from "./author-positions.ts"
import { type Documents, documentsIn, documentTimes } from "./openapi-files.ts"
import type { BehaviourFactory, SubresourceBehaviourFactory } from "../schema/behaviour.ts"
import * as doorway from "../schema/index.ts"
import type { RequestBodyType, Kind } from "../schema/kind.ts"
import type { ObjectClient } from "../schema/object-client.ts"
import { packageRoot } from "../package-root.ts"
import { StartError } from "../base/start-error.ts"

export interface ApiFolder {
  readonly kinds: readonly Kind[]
  readonly bodies: readonly RequestBodyType[]
  /** Makes the operations of the kinds, by group, version and resource. */
  readonly api: (client: ObjectClient) => object
  /** All exports of the files in `behaviours/`, by name; schemas refer to these names. */
  readonly behaviours: Readonly<Record<string, BehaviourFactory & SubresourceBehaviourFactory>>
  readonly documents: Documents
  /** The absolute paths of all bundled files, without files of this package. Empty for a module. */
  readonly sources: readonly string[]
  /** Equal for two loads of the same code and documents. */
  readonly digest: string
}

/** The bundle in memory: no file of this name exists. */
const bundledName = "(bundled)"

const packageName = "orch-apiserver"
/** The modules of this package that authors import; the main entry exports the doorway's members for authors. */
const ownModules: ReadonlySet<string> = new Set([packageName, `${packageName}/schema`])

/** Called at start, once per `--api`. Throws StartError with a message that names the remedy. */
export async function loadApiFolder(given: string): Promise<ApiFolder> {
  const folder = resolve(given)
  const again = programText("gen", `--schemas <your schemas> --out ${given}`)
  if (!existsSync(join(folder, "index.ts")))
    throw new StartError(`--api ${given}: there are no generated kinds (no index.ts); make them with ${again}`)
  const behaviourFiles = behaviourFilesBeside(folder)
  const { code, sources } = await bundle(folder, behaviourFiles, given)
  const { api, kinds, bodies, behaviours } = evaluate(code, folder, given)
  if (!isListOf<Kind>(kinds, isKind) || !isApi(api))
    throw new StartError(`--api ${given}: index.ts holds no kinds of this version; make it again with ${again}`)
  return {
    kinds,
    api,
    bodies: isListOf<RequestBodyType>(bodies, isBodyType) ? bodies : [],
    behaviours: factoriesOf(behaviours),
    documents: documentsIn(join(folder, "openapi")),
    sources,
    digest: createHash("sha256")
      .update(code)
      .update(documentTimes(join(folder, "openapi")))
      .digest("hex"),
  }
}

function behaviourFilesBeside(folder: string): string[] {
  const beside = join(dirname(folder), "behaviours")
  if (!existsSync(beside)) return []
  return readdirSync(beside)
    .filter((file) => /^[a-z0-9-]+\.ts$/.test(file) && !file.endsWith(".test.ts"))
    .toSorted()
    .map((file) => join(beside, file))
}

interface Bundle {
  readonly code: string
  readonly sources: readonly string[]
}

/**
 * Imports of the doorway resolve to this process's own, from any file, and the library's types to its generated
 * sources. Other packages are the user's.
 */
async function bundle(folder: string, behaviourFiles: readonly string[], given: string): Promise<Bundle> {
  const { buildSync } = await loadBuilder()
  const imports = behaviourFiles.map((file, index) => `import * as behaviour${index} from ${JSON.stringify(file)}`)
  const entry = [
    'import * as index from "./index.ts"',
    ...imports,
    "export const kinds = index.kinds",
    "export const bodies = index.bodies",
    "export const api = index.api",
    `export const behaviours = Object.assign({}, ${behaviourFiles.map((_file, index) => `behaviour${index}`).join(", ")})`,
  ]
  try {
    const { outputFiles, metafile } = buildSync({
      stdin: { contents: entry.join("\n"), resolveDir: folder, sourcefile: join(folder, entryName), loader: "ts" },
      bundle: true,
      write: false,
      metafile: true,
      format: "cjs",
      platform: "node",
      sourcemap: "inline",
      sourcesContent: false,
      outfile: join(folder, bundledName),
      target: "node20",
      logLevel: "silent",
      logOverride: { "import-is-undefined": "silent" },
      packages: "external",
      alias: { [`${packageName}/generated`]: ownGenerated() },
      external: [doorwaySource],
    })
    const paths = Object.keys(metafile.inputs).map((path) => resolve(path))
    const sources = paths.filter((path) => path !== join(folder, entryName) && !path.startsWith(ownGenerated()))
    return { code: outputFiles[0]?.text ?? "", sources }
  } catch (error) {
    throw new StartError(`--api ${given}: the code does not build\n${buildFaults(error)}`)
  }
}

/**
 * A synchronous build without esbuild's thread runs a process that ends with the build. An asynchronous one starts a
 * service that stays, and `stop()` would also end the builds of a program that uses esbuild itself.
 */
async function loadBuilder(): Promise<Pick<typeof import("esbuild"), "buildSync">> {
  const variable = "ESBUILD_WORKER_THREADS"
  const before = process.env[variable]
  process.env[variable] = "0"
  try {
    return await import("esbuild")
  } finally {
    if (before === undefined) delete process.env[variable]
    else process.env[variable] = before
  }
}

/** The module in memory that imports the index and the behaviours. */
const entryName = "(entry)"

/** The doorway as generated code in a clone imports it. */
const doorwaySource = join(packageRoot, "runtime", "schema", "index.ts")

/** The package holds generated code as JavaScript, a clone as TypeScript. */
function ownGenerated(): string {
  const sources = join(packageRoot, "generated")
  return existsSync(join(sources, "index.ts")) ? sources : join(packageRoot, "dist", "generated")
}

function buildFaults(error: unknown): string {
  if (typeof error !== "object" || error === null || !("errors" in error) || !Array.isArray(error.errors)) return String(error)
  return error.errors.map(({ text, location }) => `  ${location === null ? "" : `${location.file}:${location.line}: `}${text}`).join("\n")
}

function evaluate(code: string, folder: string, given: string): Readonly<Record<string, unknown>> {
  const load = requireFrom(folder)
  const file = join(folder, bundledName)
  rememberPositions(file, code)
  const module: { exports: Record<string, unknown> } = { exports: {} }
  try {
    const run = compileFunction(code, ["require", "module", "exports"], { filename: file })
    run((name: string): unknown => (isDoorway(name, folder) ? doorway : load(name)), module, module.exports)
  } catch (error) {
    throw new StartError(`--api ${given}: the code does not run: ${faultText(error)}`)
  }
  return module.exports
}

/** Packages are the user's. Sources of this package in the bundle may import others, which are this package's own. */
function requireFrom(folder: string): (name: string) => unknown {
  const [own, theirs] = [join(packageRoot, "package.json"), join(folder, "index.ts")].map((path) => createRequire(path))
  return (name) => {
    try {
      return theirs?.(name)
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND" && !name.startsWith(".")
      if (!isMissing) throw error
      try {
        return own?.(name)
      } catch {
        throw error
      }
    }
  }
}

function isDoorway(name: string, folder: string): boolean {
  return ownModules.has(name) || (name.startsWith(".") && resolve(folder, name) === doorwaySource)
}

/** The message, and the author's line when the stack has one. */
function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const words = withAuthorPositions(error.stack ?? "").split(/[()\s]/)
  const position = words.find((word) => /\.ts:\d+:\d+$/.test(word))
  return position === undefined ? error.message : `${error.message}\n  ${position}`
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.length > 0 && value.every(isItem)
}

function isKind(value: unknown): value is Kind {
  return isLoadable(value) && "resource" in value && "storage" in value && "rules" in value
}

function isApi(value: unknown): value is ApiFolder["api"] {
  return typeof value === "function"
}

function isBodyType(value: unknown): value is RequestBodyType {
  return isLoadable(value)
}

function isLoadable(value: unknown): value is { kind: unknown; load: unknown } {
  return typeof value === "object" && value !== null && "kind" in value && "load" in value && typeof value.load === "function"
}

/** The functions among the exports of behaviour files. */
export function factoriesOf(value: unknown): ApiFolder["behaviours"] {
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, BehaviourFactory & SubresourceBehaviourFactory] => typeof entry[1] === "function"),
  )
}
