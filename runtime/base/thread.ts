/** Starts worker threads of this program, from built code as well as from sources. */
import { fileURLToPath, pathToFileURL } from "node:url"
import { Worker, type WorkerOptions } from "node:worker_threads"

export interface ThreadOptions extends Omit<WorkerOptions, "eval"> {
  /** The thread's module, a source file. */
  readonly source: URL
  /** Name of the module's bundle, which the production build puts next to the chunk that contains this module. */
  readonly bundle: string
}

/** Called by the module that communicates with the thread. Resolves once loading of its code has begun. */
export async function startThread({ source, bundle, ...options }: ThreadOptions): Promise<Worker> {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL(bundle, import.meta.url), options)
  const code = bundles.get(source.href) ?? bundleFromSource(fileURLToPath(source))
  bundles.set(source.href, code)
  return new Worker(await code, { ...options, eval: true })
}

/** By module. */
const bundles = new Map<string, Promise<string>>()

/**
 * Under vitest and tsx only: node's worker threads do not read TypeScript, and loading tsx in each would take five
 * times as long as this one build per process.
 */
async function bundleFromSource(path: string): Promise<string> {
  const { build } = await import("esbuild")
  const banner = { js: `require = require("node:module").createRequire(${JSON.stringify(path)});` }
  const define = { "import.meta.url": JSON.stringify(pathToFileURL(path).href) }
  const result = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    packages: "external",
    banner,
    define,
  })
  return result.outputFiles[0]?.text ?? ""
}
