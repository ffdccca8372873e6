/** Definitions and their objects with clients in Go, Python and Java, and with Helm. Each brings the definition. */
import { copyFile, cp, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "../clients/cluster.ts"
import { runCommand } from "../clients/command.ts"
import type { LibraryOptions } from "../../runtime/library.ts"

const definition = fileURLToPath(new URL("../clients/manifests/oven-definition.yaml", import.meta.url))
const { ORCH_GO_CLIENTS: programs, ORCH_PYTHON: python, ORCH_HELM: helm, ORCH_FABRIC8: classPath } = process.env

let cluster: Cluster | undefined

afterEach(() => cluster?.remove())

async function start(options: LibraryOptions = {}): Promise<Cluster> {
  cluster = await startCluster(options)
  return cluster
}

/** Expects a program to end well, with nothing but this on its standard output. */
async function prints(lines: readonly string[], program: string, args: readonly string[], env: Record<string, string> = {}): Promise<void> {
  const { code, stdout, stderr } = await runCommand(program, args, { env })
  expect(stderr).toBe("")
  expect(stdout).toBe(lines.map((line) => `${line}\n`).join(""))
  expect(code).toBe(0)
}

describe.skipIf(programs === undefined)(`definitions with Go${programs === undefined ? " (go is not installed)" : ""}`, () => {
  it.each(["dynamic", "dynamic-latest"])("reach %s: mapper, dynamic client, informer", async (program) => {
    const { kubeconfigFile } = await start({ store: "memory" })
    const parts = ["definition", "REST mapper", "objects", "sub-resources", "pages", "informer"]
    const args = ["-kubeconfig", kubeconfigFile, "-definition", definition]
    await prints(
      parts.map((part) => `${part} works`),
      join(programs ?? "", program),
      args,
    )
  })

  it("reach an operator of controller-runtime, installed as envtest does", async () => {
    const { kubeconfigFile } = await start()
    const parts = ["typed client", "installation", "reconciliation", "refusals", "tear-down"]
    const args = ["-kubeconfig", kubeconfigFile, "-definition", definition]
    await prints(
      parts.map((part) => `${part} works`),
      join(programs ?? "", "customs"),
      args,
    )
  })
})

describe.skipIf(python === undefined)(`definitions with Python${python === undefined ? " (python3 is not installed)" : ""}`, () => {
  const script = (name: string): string => fileURLToPath(new URL(`python/${name}.py`, import.meta.url))

  it("reach CustomObjectsApi and the dynamic client", async () => {
    const { kubeconfigFile } = await start({ store: "memory" })
    const parts = ["definition", "objects", "watched", "found"]
    await prints(
      parts.map((part) => `${part} works`),
      python ?? "",
      [script("definitions"), kubeconfigFile, definition],
    )
  })

  it("reach an operator of kopf", async () => {
    const { kubeconfigFile } = await start()
    const parts = ["creation works", "change works", "deletion works"]
    await prints(parts, python ?? "", [script("ovens"), definition], { KUBECONFIG: kubeconfigFile })
  })
})

describe.skipIf(classPath === undefined)(
  `definitions with fabric8${classPath === undefined ? " (java and maven are not installed)" : ""}`,
  () => {
    it("reach its typed client and its informers", async () => {
      const { kubeconfigFile } = await start({ store: "memory" })
      const args = ["-Dslf4j.internal.verbosity=ERROR", "-cp", classPath ?? "", "Ovens", kubeconfigFile, definition]
      await prints(["definition works", "objects work", "refusals work", "informer works"], "java", args)
    })
  },
)

describe.skipIf(helm === undefined)(`definitions with Helm${helm === undefined ? " (its package could not be installed)" : ""}`, () => {
  it("come with a chart, whose object is installed, upgraded, rolled back and removed", async () => {
    const { folder, kubeconfigFile, client } = await start()
    const chart = join(folder, "bakery")
    await cp(fileURLToPath(new URL("helm/bakery", import.meta.url)), chart, { recursive: true })
    await mkdir(join(chart, "crds"))
    await copyFile(definition, join(chart, "crds", "oven.yaml"))
    const attempt = (...args: readonly string[]) =>
      runCommand(helm ?? "", args, { env: { KUBECONFIG: kubeconfigFile, HOME: join(folder, "home") } })
    const succeed = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await attempt(...args)
      expect(code, stdout + stderr).toBe(0)
      return stdout
    }
    const kind = { group: "bakery.example.com", version: "v1", resource: "ovens", namespace: "default" }
    const spec = async (): Promise<unknown> => (await client.get({ ...kind, name: "tea-house" })).spec

    expect(await succeed("install", "tea-house", chart, "--wait")).toContain("STATUS: deployed")
    expect(await spec()).toEqual({ degrees: 200, door: "40%", replicas: 1, size: "Small" })
    expect(await succeed("upgrade", "tea-house", chart, "--set", "degrees=220,door=null")).toContain("REVISION: 2")
    expect(await spec()).toEqual({ degrees: 220, replicas: 1, size: "Small" })
    // The chart looks this object up in the running server.
    const found = { group: "", version: "v1", resource: "configmaps", namespace: "default", name: "tea-house" }
    expect((await client.get(found)).data).toEqual({ size: "Small" })
    await succeed("rollback", "tea-house", "1")
    expect(await spec()).toEqual({ degrees: 200, door: "40%", replicas: 1, size: "Small" })
    const refused = await attempt("upgrade", "tea-house", chart, "--set", "degrees=290")
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("an oven of size Small does not get that hot")
    expect(await succeed("uninstall", "tea-house", "--wait")).toContain("uninstalled")
    expect((await client.list(kind)).items).toEqual([])
    // Helm keeps definitions, and with them the objects of others.
    const definitions = { group: "apiextensions.orch.io", version: "v1", resource: "customresourcedefinitions", namespace: "" }
    expect((await client.list(definitions)).items).toHaveLength(1)
  })
})
