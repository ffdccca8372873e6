/** The Python client on which most Python operators are built. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "../clients/cluster.ts"
import { runCommand } from "../clients/command.ts"

const python = process.env.ORCH_PYTHON
const why = python === undefined ? " (python3 is not installed)" : ""

describe.skipIf(python === undefined)(`the Python client${why}`, () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster?.remove())

  it("creates, replaces, patches, watches, pages, applies, and is refused", async () => {
    const script = fileURLToPath(new URL("python/client.py", import.meta.url))
    const { code, stdout, stderr } = await runCommand(python ?? "", [script, cluster.kubeconfigFile])
    expect(stderr).toBe("")
    expect(code).toBe(0)
    expect(stdout).toBe(["typed", "watched", "paged", "refused", "applied"].map((part) => `${part} works\n`).join(""))
  })

  it("lists the namespaces as docs/CLIENTS.md says", async () => {
    const page = await readFile(new URL("../../docs/CLIENTS.md", import.meta.url), "utf8")
    const [, program = ""] = /^```python\n([^]*?)^```/m.exec(page) ?? []
    await mkdir(join(cluster.folder, ".orch-kubernetes"))
    await writeFile(join(cluster.folder, ".orch-kubernetes/admin.kubeconfig"), cluster.kubeconfig)
    const { stdout, stderr } = await runCommand(python ?? "", ["-c", program], { cwd: cluster.folder })
    expect([stdout, stderr]).toEqual(["['default', 'kube-node-lease', 'kube-public', 'kube-system']\n", ""])
  })
})
