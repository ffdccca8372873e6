/**
 * `npm run build`: bundles into dist/, writes the generated code as JavaScript and the declarations of the library.
 * `--bundle-only` skips the last two, which `npm start` does not need; `--without-bundle` writes only these two.
 * `--clean` removes the files of earlier builds from dist/: the package holds one build.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build, stop } from "esbuild"
import { repository, stampFile } from "./freshness.mjs"

/**
 * Chunks are written next to the entries: modules expect the package's folder one level above their own. `npm start`
 * goes on as the server, so esbuild's own process ends here.
 */
export async function bundle(folder = join(repository, "dist")) {
  const started = performance.now()
  try {
    await bundleProgram(folder)
  } finally {
    await stop()
  }
  return Math.round(performance.now() - started)
}

/**
 * Libraries of many small files, or of mostly unused code, are part of the bundle: each start loads them with it, and
 * finds and compiles less (100 ms of CPU less, 5 MB less memory). All others are loaded from node_modules.
 */
const bundledLibraries = ["hono", "re2js", "sorted-btree"]

async function bundleProgram(folder) {
  const { dependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"))
  const { outputFiles } = await build({
    absWorkingDir: repository,
    entryPoints: {
      main: "runtime/main.ts",
      library: "runtime/library.ts",
      schema: "runtime/schema/index.ts",
      behaviours: "behaviours-of-kinds",
      "lmdb-worker": "runtime/storage/lmdb/worker.ts",
      "yaml-worker": "runtime/wire/yaml-worker.ts",
    },
    outdir: folder,
    bundle: true,
    write: false,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: Object.keys(dependencies).filter((name) => !bundledLibraries.includes(name)),
    chunkNames: "[name]-[hash]",
    // A process keeps the text of its code, and V8's data about it: 6 MB less. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    logLevel: "warning",
    plugins: [partsOfKinds, behavioursOfKinds],
  })
  writeOutputs(folder, outputFiles)
  writeFileSync(join(folder, "LICENSES.txt"), licensesOf(bundledLibraries))
  writeFileSync(join(folder, basename(stampFile)), `${new Date().toISOString()}\n`)
}

/** Each of these licenses requires its text beside copies of the code. */
function licensesOf(libraries) {
  const texts = libraries.map((name) => `${name}\n\n${readFileSync(join(repository, "node_modules", name, "LICENSE"), "utf8").trim()}\n`)
  return ["The program in this folder contains code of these libraries.\n", ...texts].join("\n")
}

/**
 * Puts the parts of all kinds (shapes, validators, columns, warnings) into one module. The server needs all of them
 * when it fills its caches, and loading hundreds of small files takes far longer than reading their code, which V8
 * compiles on use.
 */
const partsOfKinds = {
  name: "parts-of-kinds",
  setup({ onLoad, onResolve }) {
    const generated = join(repository, "generated")
    const nameOf = (path) => relative(generated, path).replaceAll(/[^a-z0-9]/g, "_")
    const imported = /\bimport\("(\.[a-z0-9/.-]+\.ts)"\)/g
    const kinds = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((path) => basename(path) === "resource.ts")
    const parts = kinds.flatMap((path) => {
      const text = readFileSync(join(generated, path), "utf8")
      return [...text.matchAll(imported)].map(([, part]) => resolve(generated, dirname(path), part))
    })
    onLoad({ filter: /[\\/]generated[\\/].*[\\/]resource\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replaceAll(
        imported,
        (_, part) => `import("parts-of-kinds").then((parts) => parts.${nameOf(resolve(dirname(path), part))})`,
      ),
    }))
    onResolve({ filter: /^parts-of-kinds$/ }, ({ path }) => ({ path, namespace: path }))
    onLoad({ filter: /.*/, namespace: "parts-of-kinds" }, () => ({
      loader: "ts",
      resolveDir: generated,
      contents: [...new Set(parts)].map((path) => `export * as ${nameOf(path)} from ${JSON.stringify(path)}`).join("\n"),
    }))
  },
}

/** Generated code imports behaviours from these. A file exports its name; two folders may have files of one name. */
const behaviourFolders = ["checks", "cells", "conversions", "warnings"]
const nameOfFile = (file) => basename(file, ".ts").replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase())
const exportedName = (folder, file) => `${folder}_${nameOfFile(file)}`

/**
 * dist/behaviours.js: the imports of dist/generated from these folders, out of the chunks that the server runs. It is
 * not an entry of the package: `imports` in package.json names it, so only the package's own modules find it.
 */
const behavioursOfKinds = {
  name: "behaviours-of-kinds",
  setup({ onLoad, onResolve }) {
    const behaviours = join(repository, "runtime/behaviours")
    onResolve({ filter: /^behaviours-of-kinds$/ }, ({ path }) => ({ path, namespace: path }))
    onLoad({ filter: /.*/, namespace: "behaviours-of-kinds" }, () => ({
      loader: "js",
      resolveDir: behaviours,
      // esbuild refuses a file without such an export, which in TypeScript could be a type, and a name exported twice.
      contents: behaviourFolders
        .flatMap((folder) =>
          readdirSync(join(behaviours, folder))
            .filter((file) => /^[a-z0-9-]+\.ts$/.test(file))
            .map((file) => `export { ${nameOfFile(file)} as ${exportedName(folder, file)} } from "./${folder}/${file}"`),
        )
        .join("\n"),
    }))
  },
}

/** Modules that dist/generated shares with the program and imports from there: one copy per package and process. */
const sharedWithProgram = {
  name: "shared-with-program",
  setup({ onLoad, onResolve }) {
    const doorway = join(repository, "runtime/schema/index.ts")
    const file = `"[./]+/runtime/behaviours/(${behaviourFolders.join("|")})/([a-z0-9-]+\\.ts)"`
    const imported = new RegExp(`\\bimport \\{ (\\w+) \\} from ${file}`, "g")
    const loaded = new RegExp(`\\bimport\\(${file}\\)`, "g")
    const toImport = (_, name, folder, file) => `import { ${exportedName(folder, file)} as ${name} } from "#behaviours"`
    const toLoad = (_, folder, file) => `import("#behaviours").then((all) => ({ ${nameOfFile(file)}: all.${exportedName(folder, file)} }))`
    onLoad({ filter: /[\\/]generated[\\/].*\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replaceAll(imported, toImport).replaceAll(loaded, toLoad),
    }))
    onResolve({ filter: /^#behaviours$/ }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /\/runtime\// }, ({ path, resolveDir }) => {
      if (resolve(resolveDir, path) === doorway) return { path: "orch-apiserver/schema", external: true }
      const shared = `the doorway and files in runtime/behaviours/{${behaviourFolders}}`
      return { errors: [{ text: `generated code may import ${shared}; the package would hold a second copy of ${path}` }] }
    })
  },
}

/**
 * dist/generated: the generated code for programs that import `orch-apiserver/generated/...`. Node runs no TypeScript
 * below node_modules.
 */
async function generatedModules() {
  const started = performance.now()
  const outdir = join(repository, "dist/generated")
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: repository,
    entryPoints: ["generated/**/*.ts"],
    outbase: "generated",
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    chunkNames: "shared/[name]-[hash]",
    logLevel: "warning",
    plugins: [sharedWithProgram],
  })
  return Math.round(performance.now() - started)
}

const keptForMs = process.argv.includes("--clean") ? 0 : 24 * 3600 * 1000

/** A running server may still load chunks of an earlier build, so only old ones are removed. */
function writeOutputs(folder, outputs) {
  mkdirSync(folder, { recursive: true })
  const current = new Set(outputs.map(({ path }) => basename(path)))
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!current.has(name) && /\.js(\.map)?$/.test(name) && Date.now() - statSync(path).mtimeMs >= keptForMs) rmSync(path)
  }
  for (const { path, contents } of outputs) if (!/-[A-Z0-9]{8}\.js$/.test(path) || !existsSync(path)) writeFileSync(path, contents)
  // Node's compile cache of the former code (runtime/main.ts).
  rmSync(join(folder, "compiled"), { recursive: true, force: true })
  // npm does this on installation: the first line of the file states how to run node.
  chmodSync(join(folder, "main.js"), 0o755)
}

/** Type declarations for users of the package. `npm run check` checks the types. */
async function declarations() {
  const started = performance.now()
  const folder = join(repository, "dist/types")
  rmSync(folder, { recursive: true, force: true })
  const compiler = spawn(
    process.execPath,
    [join(repository, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json", "--noCheck"],
    { cwd: repository, stdio: "inherit" },
  )
  const [status] = await once(compiler, "close")
  if (status !== 0) process.exit(status ?? 1)
  removeUnreachable(folder)
  return Math.round(performance.now() - started)
}

/** tsc also writes declarations that only implementations import. */
function removeUnreachable(folder) {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const entries = all.filter((path) => path.startsWith(join(folder, "generated")))
  const open = [...entries, ...["library", "schema/index"].map((name) => join(folder, `runtime/${name}.d.ts`))]
  const reached = new Set(open)
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    // Comments contain imports of other files.
    const text = readFileSync(path, "utf8").replaceAll(/\/\*[^]*?\*\//g, "")
    for (const [, name] of text.matchAll(/(?:from|import\(|import)\s*"(\.[^"]+)\.ts"/g)) {
      const target = join(dirname(path), `${name}.d.ts`)
      if (!reached.has(target)) open.push(target)
      reached.add(target)
    }
  }
  for (const path of all) if (!reached.has(path)) rmSync(path)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  // The compiler runs in its own process and takes longest.
  const declared = process.argv.includes("--bundle-only") ? undefined : declarations()
  if (!process.argv.includes("--without-bundle")) console.log(`bundled into dist/ in ${await bundle()} ms`)
  if (declared !== undefined) {
    console.log(`generated modules in dist/generated/ in ${await generatedModules()} ms`)
    console.log(`declarations in dist/types/ in ${await declared} ms`)
  }
}
