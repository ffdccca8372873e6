/**
 * `npm run build`: bundles into dist/ and writes declarations for the library. `--bundle-only` skips the declarations,
 * which `npm start` does not need.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { repository, stampFile } from "./freshness.mjs"

/** Chunks are written next to the entries: modules expect the package's folder one level above their own. */
export async function bundle() {
  const started = performance.now()
  const { outputFiles } = await build({
    absWorkingDir: repository,
    entryPoints: {
      main: "runtime/main.ts",
      library: "runtime/library.ts",
      schema: "runtime/schema/index.ts",
      "lmdb-worker": "runtime/storage/lmdb/worker.ts",
      "yaml-worker": "runtime/wire/yaml-worker.ts",
    },
    outdir: "dist",
    bundle: true,
    write: false,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    chunkNames: "[name]-[hash]",
    sourcemap: true,
    sourcesContent: false,
    logLevel: "warning",
  })
  writeOutputs(outputFiles)
  writeFileSync(join(repository, stampFile), `${new Date().toISOString()}\n`)
  return Math.round(performance.now() - started)
}

const keptForMs = 24 * 3600 * 1000

/** A running server may still load chunks of an earlier build, so only old ones are removed. */
function writeOutputs(outputs) {
  const folder = join(repository, "dist")
  mkdirSync(folder, { recursive: true })
  const current = new Set(outputs.map(({ path }) => basename(path)))
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!current.has(name) && /\.js(\.map)?$/.test(name) && Date.now() - statSync(path).mtimeMs > keptForMs) rmSync(path)
  }
  for (const { path, contents } of outputs) if (!/-[A-Z0-9]{8}\.js$/.test(path) || !existsSync(path)) writeFileSync(path, contents)
  // npm does this on installation: the first line of the file says how to run node.
  chmodSync(join(folder, "main.js"), 0o755)
}

/** Type declarations for users of the package. */
function declarations() {
  const started = performance.now()
  const result = spawnSync(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
    cwd: repository,
    stdio: "inherit",
  })
  if (result.status !== 0) process.exit(result.status ?? 1)
  return Math.round(performance.now() - started)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`bundled into dist/ in ${await bundle()} ms`)
  if (!process.argv.includes("--bundle-only")) console.log(`declarations in dist/types/ in ${declarations()} ms`)
}
