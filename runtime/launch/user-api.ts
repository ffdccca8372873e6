/**
 * `--api FOLDER`: a user's own kinds, as the generator wrote them. The TypeScript is bundled in memory and evaluated
 * with this process's schema library, so a user needs neither a build nor an installed copy of this package. Behaviours
 * are in `behaviours/` next to the folder.
 */
import { existsSync, readdirSync } from "node:fs"
import { createRequire, isBuiltin } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { compileFunction } from "node:vm"
import type { Plugin } from "esbuild"
import { type Documents, documentsIn } from "./openapi-files.ts"
import type { BehaviourFactory, SubresourceBehaviourFactory } from "../schema/behaviour.ts"
import * as doorway from "../schema/index.ts"
import type { RequestBodyType, Kind } from "../schema/kind.ts"
import { packageRoot } from "../package-root.ts"
import { StartError } from "./start-error.ts"

export interface ApiFolder {
  readonly kinds: readonly Kind[]
  readonly bodies: readonly RequestBodyType[]
  /** All exports of the files in `behaviours/`, by name; schemas refer to these names. */
  readonly behaviours: Readonly<Record<string, BehaviourFactory & SubresourceBehaviourFactory>>
  readonly documents: Documents
}

const packageName = "orch-apiserver"

/** Called at start, once per `--api`. Throws StartError with a message that says what to do. */
export async function loadApiFolder(given: string): Promise<ApiFolder> {
  const folder = resolve(given)
  const again = `npm run gen -- --schemas <your schemas> --out ${given}`
  if (!existsSync(join(folder, "index.ts")))
    throw new StartError(`--api ${given}: there are no generated kinds (no index.ts); make them with ${again}`)
  const behaviourFiles = behaviourFilesBeside(folder)
  const exported = evaluate(await bundle(folder, behaviourFiles, given), folder, given)
  const { kinds, bodies, behaviours } = exported
  if (!isListOf<Kind>(kinds, isKind))
    throw new StartError(`--api ${given}: index.ts holds no kinds of this version; make it again with ${again}`)
  return {
    kinds,
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
    `export const behaviours = Object.assign({}, ${behaviourFiles.map((_file, index) => `behaviour${index}`).join(", ")})`,
  ]
  try {
    const result = await build({
      stdin: { contents: entry.join("\n"), resolveDir: folder, sourcefile: "api-folder.ts", loader: "ts" },
      bundle: true,
      write: false,
      format: "cjs",
      platform: "node",
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
      return below === "schema" ? ownDoorway : { path: join(packageRoot, `${below.replace(/\.ts$/, "")}.ts`) }
    })
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => (resolve(resolveDir, path) === doorwaySource ? ownDoorway : undefined))
    const ownRequire = createRequire(join(packageRoot, "package.json"))
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind === "entry-point") return undefined
      return { path: importer.startsWith(packageRoot) && !isBuiltin(path) ? ownRequire.resolve(path) : path, external: true }
    })
  },
}

function evaluate(code: string, folder: string, given: string): Readonly<Record<string, unknown>> {
  const load = createRequire(join(folder, "index.ts"))
  const module: { exports: Record<string, unknown> } = { exports: {} }
  try {
    const run = compileFunction(code, ["require", "module", "exports"], { filename: `${relative(process.cwd(), folder) || "."}/(bundled)` })
    run((name: string): unknown => (name === `${packageName}/schema` ? doorway : load(name)), module, module.exports)
  } catch (error) {
    throw new StartError(`--api ${given}: the code does not run: ${error instanceof Error ? error.message : String(error)}`)
  }
  return module.exports
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.length > 0 && value.every(isItem)
}

function isKind(value: unknown): value is Kind {
  return isLoadable(value) && "resource" in value && "storage" in value && "rules" in value
}

function isBodyType(value: unknown): value is RequestBodyType {
  return isLoadable(value)
}

function isLoadable(value: unknown): value is { kind: unknown; load: unknown } {
  return typeof value === "object" && value !== null && "kind" in value && "load" in value && typeof value.load === "function"
}

function factoriesOf(value: unknown): ApiFolder["behaviours"] {
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, BehaviourFactory & SubresourceBehaviourFactory] => typeof entry[1] === "function"),
  )
}
