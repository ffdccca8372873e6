/** The commands of docs/CLIENTS.md and its program for JavaScript, word for word, in a copy of the repository. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { hasProgram, repository } from "../../scripts/freshness.mjs"
import { describeWhere } from "../support/needs.ts"
import { commandsOf, documentOf, runInClone } from "./clone.ts"

describeWhere(hasProgram("curl") && hasProgram("git"), "curl or git is not installed")("docs/CLIENTS.md", () => {
  test("does what it says", { timeout: 600_000 }, async () => {
    const text = readFileSync(join(repository, "docs/CLIENTS.md"), "utf8")
    const [start = "", curl = "", openapi = "", types = "", ...others] = commandsOf(text)
    expect(others).toEqual([])
    const [, program = ""] = /^```ts\n([^]*?)^```/m.exec(text) ?? []
    const write = `cat > list.ts <<'EOF'\n${program}EOF`
    const list = "npx tsx list.ts | tr -d '\\n '; echo"
    const count = "grep -c Deployment apps.ts"
    const output = {
      [curl]: ["…", '  "kind": "NamespaceList",'],
      [list]: ["['default','kube-node-lease','kube-public','kube-system']"],
      [count]: ["…"],
    }
    await runInClone("docs/CLIENTS.md", documentOf([start, curl, write, list, openapi, types, count], output))
  })
})
