/**
 * How a person runs a command of this program: by the scripts of package.json in a clone, by npx where the package is
 * installed. In a folder of a clone `npx orch-apiserver` is the program of its last build, and works as an installed
 * one.
 */
import { existsSync } from "node:fs"

/** The commands that have a script of their own name in package.json. */
const scripts: ReadonlySet<string> = new Set(["dev", "gen", "new", "definitions", "openapi", "convert"])

const source = import.meta.url.endsWith(".ts")

/** An installed package holds no source of the generator. */
const isClone = source || existsSync(new URL("../codegen/cli.ts", import.meta.url))
const runByNpx = /^'?orch-apiserver\b/.test(process.env.npm_lifecycle_script ?? "")

/** Whether the user runs the scripts of package.json. */
export const usesScripts = isClone && !runByNpx

/**
 * Called by texts that name a command, such as `gen` or `store verify`. Returns what to type: `npm run gen -- --check`,
 * `npm run cli -- store verify`, `npx orch-apiserver gen --check`. `rest`: the arguments after the command.
 */
export function programText(command: string, rest = "", scripted = usesScripts): string {
  const after = rest === "" ? "" : ` ${rest}`
  if (!scripted) return `npx orch-apiserver ${command}${after}`
  if (command === "serve" || command === "start" || scripts.has(command)) {
    const script = scripts.has(command) ? `npm run ${command}` : "npm start"
    return rest === "" ? script : `${script} --${after}`
  }
  return `npm run cli -- ${command}${after}`
}
