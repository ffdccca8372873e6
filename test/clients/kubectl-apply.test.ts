/**
 * Server-side apply with kubectl: managers, conflicts, force, migration from client-side apply; and deletion with all
 * cascade modes.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "./cluster.ts"
import { type Kubectl, kubectlFor, kubectlMissing, kubectlSuite } from "./kubectl.ts"

interface Owned {
  readonly manager: string
  readonly operation: string
  readonly fieldsV1: Record<string, unknown>
}

describe.skipIf(kubectlMissing)(kubectlSuite("server-side apply with kubectl"), { timeout: 60_000 }, () => {
  let cluster: Cluster
  let kubectl: Kubectl

  beforeAll(async () => {
    cluster = await startCluster()
    kubectl = kubectlFor(cluster)
  })
  afterAll(() => cluster.remove())

  function configMap(name: string, data: Record<string, string>): string {
    return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })
  }

  function apply(input: string, ...flags: readonly string[]) {
    return kubectl.attempt(["apply", ...flags, "-f", "-"], { input })
  }

  async function owners(object: string): Promise<readonly Owned[]> {
    // Releases before 1.21 always show managed fields and do not have the flag.
    const shown = await kubectl.attempt(["get", object, "-o", "json", "--show-managed-fields"])
    return JSON.parse(shown.code === 0 ? shown.stdout : await kubectl("get", object, "-o", "json")).metadata.managedFields
  }

  it("creates, changes, leaves alone and removes", async () => {
    expect((await apply(configMap("life", { a: "1", b: "1" }), "--server-side")).stdout).toBe("configmap/life serverside-applied\n")
    const before = await kubectl("get", "configmap", "life", "-o", "jsonpath={.metadata.resourceVersion}")
    await apply(configMap("life", { a: "1", b: "1" }), "--server-side")
    expect(await kubectl("get", "configmap", "life", "-o", "jsonpath={.metadata.resourceVersion}")).toBe(before)
    await apply(configMap("life", { a: "2" }), "--server-side")
    expect(await kubectl("get", "configmap", "life", "-o", "jsonpath={.data}")).toBe('{"a":"2"}')
    expect(await owners("configmap/life")).toMatchObject([
      { manager: "kubectl", operation: "Apply", fieldsV1: { "f:data": { "f:a": {} } } },
    ])
  })

  it("reports conflicts with other managers, and takes fields by force", async () => {
    await apply(configMap("contested", { a: "1" }), "--server-side", "--field-manager=first")
    const refused = await apply(configMap("contested", { a: "2" }), "--server-side", "--field-manager=second")
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('"first"')
    expect(refused.stderr).toContain(".data.a")
    const forced = await apply(configMap("contested", { a: "2" }), "--server-side", "--field-manager=second", "--force-conflicts")
    expect(forced.stdout).toBe("configmap/contested serverside-applied\n")
    expect((await owners("configmap/contested")).map(({ manager }) => manager)).toEqual(["second"])
  })

  it("shows what it would do, without doing it", async () => {
    await apply(configMap("shown", { a: "1" }), "--server-side")
    const dry = await apply(configMap("shown", { a: "2" }), "--server-side", "--dry-run=server")
    expect(dry.stdout).toMatch(/^configmap\/shown serverside-applied \((server )?dry run\)/)
    const diff = await kubectl.attempt(["diff", "--server-side", "-f", "-"], { input: configMap("shown", { a: "3" }) })
    expect(diff.code).toBe(1)
    expect(diff.stdout).toContain('+  a: "3"')
    expect(await kubectl("get", "configmap", "shown", "-o", "jsonpath={.data.a}")).toBe("1")
  })

  it("takes over what was applied client-side", async () => {
    expect((await apply(configMap("moved", { a: "1", b: "1" }))).stdout).toBe("configmap/moved created\n")
    const moved = await apply(configMap("moved", { a: "2" }), "--server-side")
    expect(moved.stderr).not.toContain("conflict")
    expect(moved.code).toBe(0)
    expect(await kubectl("get", "configmap", "moved", "-o", "jsonpath={.data.a}")).toBe("2")
  })

  it.each([
    { cascade: "background", left: [] },
    { cascade: "foreground", left: [] },
    { cascade: "orphan", left: ["configmap/orphan-child"] },
  ])("deletes with --cascade=$cascade", async ({ cascade, left }) => {
    await kubectl("create", "configmap", `${cascade}-owner`)
    const uid = await kubectl("get", "configmap", `${cascade}-owner`, "-o", "jsonpath={.metadata.uid}")
    const child = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: `${cascade}-child`,
        labels: { cascade },
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: `${cascade}-owner`, uid, blockOwnerDeletion: true }],
      },
    }
    expect((await kubectl.attempt(["create", "-f", "-"], { input: JSON.stringify(child) })).code).toBe(0)
    await kubectl("delete", "configmap", `${cascade}-owner`, `--cascade=${cascade}`)
    if (left.length === 0) await kubectl.attempt(["wait", "--for=delete", `configmap/${cascade}-child`, "--timeout=30s"])
    expect((await kubectl("get", "configmap", "-l", `cascade=${cascade}`, "-o", "name")).split("\n").filter(Boolean)).toEqual(left)
    if (left.length > 0) expect(await kubectl("get", ...left, "-o", "jsonpath={.metadata.ownerReferences}")).toBe("")
  })
})
