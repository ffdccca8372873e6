/** A copy of the repository, in which the commands that documents show in blocks `sh` are run word for word. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { repository } from "../../scripts/freshness.mjs"
import { runDocument } from "./document.ts"
import { freePort } from "./session.ts"

/** The commands of the blocks `sh` of a text, each with its further lines. Comments after them are left out. */
export function commandsOf(text: string): readonly string[] {
  const commands: string[] = []
  for (const [, indent = "", block = ""] of text.matchAll(/^( *)```sh\n([^]*?)^ *```/gm)) {
    let inDocument = false
    for (const line of block.split("\n").map((one) => one.slice(indent.length).replace(/ {2,}# .*$/, ""))) {
      if (inDocument) commands.push(`${commands.pop()}\n${line}`)
      else if (line !== "") commands.push(line)
      if (/<<EOF$/.test(line)) inDocument = true
      else if (line === "EOF") inDocument = false
    }
  }
  return commands
}

/** Ends the server of the second terminal. */
export const stopServer = "^C"

/**
 * The commands as a document to run. `output`: the expected output of a command, besides that it succeeds. A server
 * goes on until the next one, `stopServer`, or a command that removes its folder.
 */
export function documentOf(commands: readonly string[], output: Readonly<Record<string, readonly string[]>>): string {
  let isServing = false
  const blocks = commands.flatMap((command) => {
    const shown = `$ ${command.replaceAll("\n", "\n> ")}`
    const isServer = /^npm start|^node .*dist\/main\.js/.test(command)
    const end =
      isServing && (isServer || command === stopServer || command.startsWith("rm ")) ? ["```console server", "^C", "…", "```"] : []
    if (end.length > 0) isServing = false
    if (command === stopServer) return end
    if (!isServer)
      return [...end, "```console", shown, ...(output[command] ?? ["…"]), ...(output[command] === undefined ? [] : ["…"]), "```"]
    isServing = true
    return [...end, "```console server", shown, "…", "  Serving on …", "```"]
  })
  return [...blocks, ...(isServing ? ["```console server", "^C", "…", "```"] : [])].join("\n")
}

/** Runs a document in a new copy of the repository. Resolves when the last command has done what the document says. */
export async function runInClone(path: string, document: string): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "clone-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [home, work] = [join(folder, "home"), join(folder, "work")]
  mkdirSync(home)
  cloneTo(work)
  const port = await freePort()
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    HOME: home,
    ORCH_SECURE_PORT: String(port),
    NO_COLOR: "1",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  }
  await runDocument(document, { path, folder: work, env, port })
  return work
}

/** All files under version control, with the packages of this repository. */
function cloneTo(folder: string): void {
  mkdirSync(folder)
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: repository })
  execFileSync("xargs", ["-0", "cp", "--parents", "-t", folder], { cwd: repository, input: files })
  symlinkSync(realpathSync(join(repository, "node_modules")), join(folder, "node_modules"))
}
