/**
 * The commands of the README, word for word, in a copy of the repository: those of its first part, which starts a
 * server, talks to it, and adds a kind.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { hasProgram, repository } from "../../scripts/freshness.mjs"
import { describeWhere } from "../support/needs.ts"
import { runDocument } from "./document.ts"
import { freePort } from "./session.ts"

/** What is expected of a command besides that it succeeds. */
const output: Readonly<Record<string, readonly string[]>> = {
  "kubectl --kubeconfig .orch/admin.kubeconfig get namespaces": ["NAME …", "…", "kube-system …"],
  "npm run gen -- --schemas my/schemas --out my/generated": ["…", "1 kind from 1 schema file: …"],
  "kubectl get kettles": ["NAME …", "tea …"],
}

/** The commands of the blocks `sh` before the end of the first part, each with the lines that belong to it. */
function commandsOf(readme: string): readonly string[] {
  const [part = ""] = readme.split("## Beyond the API")
  const commands: string[] = []
  for (const [, indent = "", block = ""] of part.matchAll(/^( *)```sh\n([^]*?)^ *```/gm)) {
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

/** The commands as a document that is run: a server goes on until the next one. */
function documentOf(commands: readonly string[]): string {
  let isServing = false
  const blocks = commands.flatMap((command) => {
    const shown = `$ ${command.replaceAll("\n", "\n> ")}`
    const isServer = command.startsWith("npm start")
    const end = isServing && (isServer || command.startsWith("rm ")) ? ["```console server", "^C", "…", "```"] : []
    if (end.length > 0) isServing = false
    if (!isServer)
      return [...end, "```console", shown, ...(output[command] ?? ["…"]), ...(output[command] === undefined ? [] : ["…"]), "```"]
    isServing = true
    return [...end, "```console server", shown, "…", "  Serving on …", "```"]
  })
  return [...blocks, ...(isServing ? ["```console server", "^C", "…", "```"] : [])].join("\n")
}

/** All files under version control, with the packages of this repository. */
function cloneTo(folder: string): void {
  mkdirSync(folder)
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: repository })
  execFileSync("xargs", ["-0", "cp", "--parents", "-t", folder], { cwd: repository, input: files })
  symlinkSync(realpathSync(join(repository, "node_modules")), join(folder, "node_modules"))
}

describeWhere(hasProgram("kubectl") && hasProgram("git"), "kubectl or git is not installed")("README.md", () => {
  test("does what it says", { timeout: 600_000 }, async () => {
    // `npm test` is what runs this.
    const commands = commandsOf(readFileSync(join(repository, "README.md"), "utf8")).filter((command) => command !== "npm test")
    expect(Object.keys(output).filter((command) => !commands.includes(command))).toEqual([])
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "readme-")))
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
    await runDocument(documentOf(commands), { path: "README.md", folder: work, env, port })
  })
})
