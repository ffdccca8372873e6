/**
 * `npm run dev`: like `npm start`, and restarts when a schema or a source of this repository changes. Options after
 * `--` are passed on. `npm run dev -- --schemas DIR` is `orch-apiserver dev`: it serves the kinds of a user's folder,
 * and again after each change of them.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, watch } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

/** Editors write a file in several steps. */
const settleMs = 50

let server
let pending
let schemasChanged = false
let busy = false

function begin() {
  server = spawn(process.execPath, [join(repository, "scripts/start.mjs"), ...process.argv.slice(2)], { stdio: "inherit" })
}

async function end() {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = new Promise((resolve) => server.once("exit", resolve))
  server.kill("SIGTERM")
  await exited
}

/** A fault in a schema or source does not stop the running server. */
async function again() {
  if (busy) return later(false)
  busy = true
  try {
    if (schemasChanged) {
      schemasChanged = false
      const generated = spawnSync(process.execPath, ["--import", "tsx", "runtime/main.ts", "gen"], { cwd: repository, stdio: "inherit" })
      if (generated.status !== 0) return
    }
    await buildBundle()
    await end()
    begin()
  } catch {
    console.error("not restarted: the sources do not build")
  } finally {
    busy = false
  }
}

function later(schemas) {
  schemasChanged ||= schemas
  clearTimeout(pending)
  pending = setTimeout(again, settleMs)
}

const watched = new Set()

/** Watches each folder separately: watching a whole tree at once misses files that editors replace. */
function watchFolder(folder, schemas) {
  if (watched.has(folder)) return
  watched.add(folder)
  watch(folder, (_event, file) => {
    watchBelow(folder, schemas)
    if (file !== null && /\.(ya?ml|ts)$/.test(file) && !file.endsWith(".test.ts")) later(schemas)
  }).on("error", () => watched.delete(folder))
  watchBelow(folder, schemas)
}

function watchBelow(folder, schemas) {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) watchFolder(join(folder, entry.name), schemas)
}

function restartOnChange() {
  begin()
  for (const folder of ["schemas", "runtime", "codegen", "cel", "model"]) watchFolder(join(repository, folder), folder === "schemas")
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, async () => {
      await end()
      process.exit(0)
    })
  }
}

requireNode()
installPackages()
if (process.argv.some((argument) => /^--(schemas(=|$)|help$)/.test(argument))) {
  await buildBundle()
  process.argv.splice(2, 0, "dev")
  await import(pathToFileURL(join(repository, "dist/main.js")).href)
} else restartOnChange()
