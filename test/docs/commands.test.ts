/** The commands of the blocks `sh` of the other documents, word for word, each document in a copy of the repository. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { hasProgram, repository } from "../../scripts/freshness.mjs"
import { forNewestEtcd, startEtcd } from "../support/etcd.ts"
import { describeWhere } from "../support/needs.ts"
import { commandsOf, documentOf, runInClone, stopServer } from "./clone.ts"

const timeout = 600_000
const generate = "npm run gen -- --schemas my/schemas --out my/generated"
const generated = { [generate]: ["…", "1 kind from 1 schema file: …"] }
const adding = textOf("docs/ADDING-A-KIND.md")
/** The three blocks of YAML are one file. */
const kettle = [...adding.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, yaml]) => yaml).join("")
const describeKettle = `mkdir -p my/schemas/kitchen.example.com/v1\ncat > my/schemas/kitchen.example.com/v1/kettle.yaml <<'EOF'\n${kettle}EOF`

function textOf(path: string): string {
  return readFileSync(join(repository, path), "utf8")
}

test("docs/ADDING-A-KIND.md", { timeout }, async () => {
  const [scaffold = "", ...others] = commandsOf(adding)
  expect(others).toEqual([generate])
  await runInClone("docs/ADDING-A-KIND.md", documentOf([scaffold, describeKettle, generate], generated))
})

test("docs/DIALECT.md", { timeout }, async () => {
  const commands = commandsOf(textOf("docs/DIALECT.md"))
  expect(commands).toHaveLength(5)
  const [, , fromCrd = "", , toCrd = ""] = commands
  const output = {
    ...generated,
    [fromCrd]: ["…", "wrote my/schemas/kitchen.example.com/v1/kettle.yaml"],
    [toCrd]: ["…", "wrote my/definitions/kettles.kitchen.example.com.yaml"],
  }
  await runInClone("docs/DIALECT.md", documentOf(commands, output))
})

test("docs/OPENAPI.md", { timeout }, async () => {
  const commands = [...commandsOf(textOf("docs/OPENAPI.md")), "find openapi/v3 -name v1.json"]
  const output = { "find openapi/v3 -name v1.json": ["…", "openapi/v3/apis/apps/v1.json"] }
  await runInClone("docs/OPENAPI.md", documentOf(commands, output))
})

test("CONTRIBUTING.md", { timeout }, async () => {
  const profiles = "ls .orch/profile"
  const commands = [...commandsOf(textOf("CONTRIBUTING.md")), stopServer, profiles]
  await runInClone("CONTRIBUTING.md", documentOf(commands, { [profiles]: ["CPU….cpuprofile"] }))
})

describeWhere(hasProgram("kubectl"), "kubectl is not installed")("docs/STORE.md", () => {
  const commands = commandsOf(textOf("docs/STORE.md")).map((command) => command.replace(/^orch-apiserver /, "npm run --silent cli -- "))
  const started = [describeKettle, generate, "npm start -- --api my/generated"]

  test("on one machine", { timeout }, async () => {
    const local = commands.filter((command) => command.startsWith("npm ") && !command.includes("etcd:"))
    const migrates = local.findIndex((command) => command.includes("store migrate"))
    expect(migrates).toBeGreaterThan(2)
    const all = [...started, ...local.slice(0, migrates), stopServer, ...local.slice(migrates)]
    await runInClone("docs/STORE.md", documentOf(all, generated))
  })

  describe("on etcd", () => {
    forNewestEtcd((binary) => {
      test("and back", { timeout }, async () => {
        const etcd = await startEtcd(binary)
        try {
          const copies = commands.filter((command) => command.includes("store copy"))
          const there = copies.map((command) => command.replace(/etcd:\S+/, `etcd:${etcd.url}`))
          expect(there.filter((command, index) => command !== copies[index])).toHaveLength(2)
          const [shown = "", ...others] = commands.filter((command) => command.startsWith("kubectl "))
          expect(others).toEqual([])
          // A server takes the Lease some time after it is ready.
          const holder = `export KUBECONFIG=.orch/admin.kubeconfig\nuntil ${shown} 2>/dev/null | grep -q .; do :; done\n${shown}; echo`
          const serve = `npm start -- --vendor=kubernetes --data-dir=.orch`
          const all = [serve, stopServer, ...there, `${serve} --store-servers=${etcd.url}`, holder]
          await runInClone("docs/STORE.md", documentOf(all, { [holder]: ["…_…"] }))
        } finally {
          await etcd.dispose()
        }
      })
    })
  })
})
