/**
 * `--api FOLDER`: a user's own kinds, as the generator wrote them. The TypeScript is bundled in memory and evaluated
 * with this process's schema library, so a user needs neither a build nor an installed copy of this package. Behaviours
 * are in `behaviours/` next to the folder.
 */
import { existsSync, readdirSync } from "node:fs"
import { createRequire, isBuiltin } from "node:module"
import { dirname, join, resolve, sep } from "node:path"
import { compileFunction } from "node:vm"
import type { Plugin } from "esbuild"
import { rememberPositions, withAuthorPositions } from "./author-positions.ts"
import { type Documents, documentsIn } from "./openapi-files.ts"
import type { BehaviourFactory, SubresourceBehaviourFactory } from "../schema/behaviour.ts"
import * as doorway from "../schema/index.ts"
import type { RequestBodyType, Kind } from "../schema/kind.ts"
import type { ObjectClient } from "../schema/object-client.ts"
import { packageRoot } from "../package-root.ts"
import { StartError } from "./start-error.ts"

export interface ApiFolder {
  readonly kinds: readonly Kind[]
  readonly bodies: readonly RequestBodyType[]
  /** Makes the operations of the kinds, by group, version and resource. */
  readonly api: (client: ObjectClient) => object
  /** All exports of the files in `behaviours/`, by name; schemas refer to these names. */
  readonly behaviours: Readonly<Record<string, BehaviourFactory & SubresourceBehaviourFactory>>
  readonly documents: Documents
}

/** The bundle in memory: no file of this name exists. */
const bundledName = "(bundled)"

const packageName = "orch-apiserver"
/** What an author imports of this package; its main entry has what the doorway has for authors. */
const ownModules: ReadonlySet<string> = new Set([packageName, `${packageName}/schema`])

/** Called at start, once per `--api`. Throws StartError with a message that says what to do. */
export async function loadApiFolder(given: string): Promise<ApiFolder> {
  const folder = resolve(given)
  const again = `npm run gen -- --schemas <your schemas> --out ${given}`
  if (!existsSync(join(folder, "index.ts")))
    throw new StartError(`--api ${given}: there are no generated kinds (no index.ts); make them with ${again}`)
  const behaviourFiles = behaviourFilesBeside(folder)
  const exported = evaluate(await bundle(folder, behaviourFiles, given), folder, given)
  const { api, kinds, bodies, behaviours } = exported
  if (!isListOf<Kind>(kinds, isKind) || !isApi(api))
    throw new StartError(`--api ${given}: index.ts holds no kinds of this version; make it again with ${again}`)
  return {
    kinds,
    api,
    bodies: isListOf<RequestBodyType>(bodies, isBodyType) ? bodies : [],
    behaviours: factoriesOf(behaviours),
    documents: documentsIn(join(folder, "openapi")),
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

async function bundle(folder: string, behaviourFiles: readonly string[], given: string): Promise<string> {
  const { build } = await import("esbuild")
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
    const result = await build({
      stdin: { contents: entry.join("\n"), resolveDir: folder, sourcefile: "api-folder.ts", loader: "ts" },
      bundle: true,
      write: false,
      format: "cjs",
      platform: "node",
      sourcemap: "inline",
      sourcesContent: false,
      outfile: join(folder, bundledName),
      target: "node20",
      logLevel: "silent",
      logOverride: { "import-is-undefined": "silent" },
      plugins: [packagePlugin],
    })
    return result.outputFiles[0]?.text ?? ""
  } catch (error) {
    throw new StartError(`--api ${given}: the code does not build\n${buildFaults(error)}`)
  }
}

function buildFaults(error: unknown): string {
  if (typeof error !== "object" || error === null || !("errors" in error) || !Array.isArray(error.errors)) return String(error)
  return error.errors.map(({ text, location }) => `  ${location === null ? "" : `${location.file}:${location.line}: `}${text}`).join("\n")
}

/**
 * Resolves the doorway to this process's own, wherever it is imported from, and the library's types to its generated
 * sources. Packages that these sources import are this package's own, others are the user's.
 */
const packagePlugin: Plugin = {
  name: packageName,
  setup(build) {
    const ownDoorway = { path: `${packageName}/schema`, external: true }
    const doorwaySource = join(packageRoot, "runtime", "schema", "index.ts")
    build.onResolve({ filter: new RegExp(`^${packageName}/`) }, ({ path }) => {
      const below = path.slice(packageName.length + 1)
      return below === "schema" ? ownDoorway : { path: generatedModule(below.replace(/\.ts$/, "")) }
    })
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => (resolve(resolveDir, path) === doorwaySource ? ownDoorway : undefined))
    const ownRequire = createRequire(join(packageRoot, "package.json"))
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind === "entry-point") return undefined
      const isOwn = isOwnSource(importer) && !isBuiltin(path) && !ownModules.has(path)
      return { path: isOwn ? ownRequire.resolve(path) : path, external: true }
    })
  },
}

/** Whether a file belongs to this package. A clone may hold folders of its user as well. */
function isOwnSource(file: string): boolean {
  return ["dist", "generated", "runtime"].some((folder) => file.startsWith(join(packageRoot, folder) + sep))
}

/** The package holds generated code as JavaScript, a clone as TypeScript. */
function generatedModule(path: string): string {
  const source = join(packageRoot, `${path}.ts`)
  return existsSync(source) ? source : join(packageRoot, "dist", `${path}.js`)
}

function evaluate(code: string, folder: string, given: string): Readonly<Record<string, unknown>> {
  const load = createRequire(join(folder, "index.ts"))
  const file = join(folder, bundledName)
  rememberPositions(file, code)
  const module: { exports: Record<string, unknown> } = { exports: {} }
  try {
    const run = compileFunction(code, ["require", "module", "exports"], { filename: file })
    run((name: string): unknown => (ownModules.has(name) ? doorway : load(name)), module, module.exports)
  } catch (error) {
    throw new StartError(`--api ${given}: the code does not run: ${faultText(error)}`)
  }
  return module.exports
}

/** The message, and the author's line when the stack has one. */
function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [, position] = /\(?([^()\s]+\.ts:\d+:\d+)\)?/.exec(withAuthorPositions(error.stack ?? "")) ?? []
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
