/**
 * How a person runs a command of this program: by the scripts of package.json in a clone, by npx where the package is
 * installed.
 */
import { existsSync } from "node:fs"

/** The commands that have a script of their own name in package.json. */
const scripts: ReadonlySet<string> = new Set(["dev", "gen", "new", "openapi", "convert"])

const source = import.meta.url.endsWith(".ts")

/** Whether this is a clone of the repository; an installed package holds no source of the generator. */
export const isClone = source || existsSync(new URL("../codegen/cli.ts", import.meta.url))

/**
 * Called by texts that name a command, such as `gen` or `store verify`. Returns what to type: `npm run gen -- --check`,
 * `npm run cli -- store verify`, `npx orch-apiserver gen --check`. `rest`: the arguments after the command.
 */
export function programText(command: string, rest = "", clone = isClone): string {
  const after = rest === "" ? "" : ` ${rest}`
  if (!clone) return `npx orch-apiserver ${command}${after}`
  if (command === "serve" || scripts.has(command)) {
    const script = command === "serve" ? "npm start" : `npm run ${command}`
    return rest === "" ? script : `${script} --${after}`
  }
  return `npm run cli -- ${command}${after}`
}
