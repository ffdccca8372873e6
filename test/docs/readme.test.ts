/**
 * The commands of the README's first part, word for word, in a copy of the repository. They start a server, talk to it,
 * and add a kind.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { hasProgram, repository } from "../../scripts/freshness.mjs"
import { describeWhere } from "../support/needs.ts"
import { commandsOf, documentOf, runInClone } from "./clone.ts"

/** Expected output of a command, besides that it succeeds. */
const output: Readonly<Record<string, readonly string[]>> = {
  "kubectl --kubeconfig .orch-kubernetes/admin.kubeconfig get namespaces": ["NAME …", "…", "kube-system …"],
  "npm run gen -- --schemas my/schemas --out my/generated": ["…", "1 kind from 1 schema file: …"],
  "kubectl get kettles": ["NAME …", "tea …"],
  "kubectl get teapots": ["NAME          CUPS", "brown-betty   6"],
  "kubectl explain teapot.spec.cups": ["…", "FIELD: cups <integer>", "…", "    How many cups it holds."],
}

describeWhere(hasProgram("kubectl") && hasProgram("git"), "kubectl or git is not installed")("README.md", () => {
  test("does what it says", { timeout: 600_000 }, async () => {
    const [part = ""] = readFileSync(join(repository, "README.md"), "utf8").split("## Testing controllers and clients")
    // `npm test` runs this test.
    const commands = commandsOf(part).filter((command) => command !== "npm test")
    expect(Object.keys(output).filter((command) => !commands.includes(command))).toEqual([])
    await runInClone("README.md", documentOf(commands, output))
  })
})
