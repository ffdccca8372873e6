/**
 * A manifest of several documents through `kubectl apply`, `create`, `get`, `describe`, `diff`, `replace` and `delete`.
 */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "./cluster.ts"
import { type Kubectl, kubectlFor, kubectlMissing, kubectlSuite, tableOf } from "./kubectl.ts"

const manifest = fileURLToPath(new URL("manifests/guestbook.yaml", import.meta.url))

describe.skipIf(kubectlMissing)(kubectlSuite("a manifest with kubectl"), { timeout: 60_000 }, () => {
  let cluster: Cluster
  let kubectl: Kubectl
  let text: string

  beforeAll(async () => {
    cluster = await startCluster()
    kubectl = kubectlFor(cluster)
    text = await readFile(manifest, "utf8")
  })
  afterAll(() => cluster.remove())

  /** The manifest in a namespace of the test's own. */
  function inNamespace(namespace: string, from = text): string {
    return from.replaceAll(/^( *)(name|namespace): guestbook$/gm, `$1$2: ${namespace}`)
  }

  async function piped(input: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await kubectl.attempt([...args, "-f", "-"], { input })
    expect(stderr, args.join(" ")).toBe("")
    expect(code, args.join(" ")).toBe(0)
    return stdout
  }

  it("is applied, applied again without effect, and changed", async () => {
    expect(await kubectl("apply", "-f", manifest)).toBe(
      [
        "namespace/guestbook created",
        "configmap/front created",
        "secret/store created",
        "service/front created",
        "service/store created",
        "deployment.apps/front created",
        "replicationcontroller/store created",
        "",
      ].join("\n"),
    )
    const versions = ["-n", "guestbook", "get", "cm,secret,svc,deploy,rc", "-o", "jsonpath={.items[*].metadata.resourceVersion}"]
    const before = await kubectl(...versions)
    const again = await kubectl("apply", "-f", manifest)
    // kubectl patches stringData each time, because it cannot read it back; on the server nothing changes.
    expect(again.split("\n").filter((line) => !line.endsWith(" unchanged"))).toEqual(["secret/store configured", ""])
    expect(await kubectl(...versions)).toBe(before)
    const changed = text.replace("replicas: 3", "replicas: 4").replace("Welcome, and leave a line", "Hello")
    const third = await piped(changed, "apply")
    expect(third.split("\n").filter((line) => line.endsWith(" configured"))).toEqual([
      "configmap/front configured",
      "secret/store configured",
      "deployment.apps/front configured",
    ])
    expect(await kubectl("-n", "guestbook", "get", "deploy", "front", "-o", "jsonpath={.spec.replicas} {.metadata.generation}")).toBe("4 2")
    expect(await kubectl("-n", "guestbook", "get", "cm", "front", "-o", "jsonpath={.data.greeting}")).toBe("Hello")
  })

  it("removes what a later manifest omits", async () => {
    await piped(inNamespace("less"), "apply")
    await piped(
      inNamespace("less", text.replace(/^ {4}- \{name: metrics, port: 9090.*\n/m, "").replace(/^ {2}greeting: .*\n/m, "")),
      "apply",
    )
    expect(await kubectl("-n", "less", "get", "svc", "front", "-o", "jsonpath={.spec.ports[*].name}")).toBe("http")
    expect(await kubectl("-n", "less", "get", "cm", "front", "-o", "jsonpath={.data.greeting}")).toBe("")
  })

  it("shows what would change, without changing it", async () => {
    await piped(inNamespace("shown"), "apply")
    const changed = inNamespace("shown", text.replace("replicas: 3", "replicas: 5"))
    const { code, stdout } = await kubectl.attempt(["diff", "-f", "-"], { input: changed })
    expect(code).toBe(1)
    expect(stdout).toContain("-  replicas: 3\n+  replicas: 5\n")
    expect(await piped(changed, "apply", "--dry-run=server")).toContain("deployment.apps/front configured (server dry run)")
    expect(await kubectl("-n", "shown", "get", "deploy", "front", "-o", "jsonpath={.spec.replicas}")).toBe("3")
  })

  it("is created, refused a second time, replaced and deleted", async () => {
    expect(await piped(inNamespace("once"), "create")).toContain("deployment.apps/front created")
    const { code, stderr } = await kubectl.attempt(["create", "-f", "-"], { input: inNamespace("once") })
    expect(code).toBe(1)
    expect(stderr).toContain('(AlreadyExists): error when creating "STDIN": deployments.apps "front" already exists')
    expect(await piped(inNamespace("once", text.replace("replicas: 3", "replicas: 1")), "replace")).toContain(
      "deployment.apps/front replaced",
    )
    expect(await kubectl("-n", "once", "get", "deploy", "front", "-o", "jsonpath={.spec.replicas}")).toBe("1")
    const [, ...inside] = inNamespace("once").split(/^---$/m)
    expect(await piped(inside.join("---"), "delete")).toContain('service "front" deleted')
    expect(await kubectl("-n", "once", "get", "cm,secret,svc,deploy,rc", "-o", "name")).toBe("")
    await kubectl("delete", "namespace", "once")
    expect((await kubectl.attempt(["get", "namespace", "once"])).stderr).toBe('Error from server (NotFound): namespaces "once" not found\n')
  })

  it("is printed as tables, including wide ones", async () => {
    await piped(inNamespace("tables"), "apply")
    const rows = tableOf(await kubectl("-n", "tables", "get", "deploy,svc", "-o", "wide"))
    expect(rows).toContainEqual(["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"])
    expect(rows).toContainEqual([
      "deployment.apps/front",
      "0/3",
      "0",
      "0",
      expect.stringMatching(/^\d+s$/),
      "web",
      "registry.example/guestbook:1.4",
      "app=guestbook,tier=front",
    ])
    expect(rows).toContainEqual([
      "service/store",
      "ClusterIP",
      expect.stringMatching(/^10\.0\.0\.\d+$/),
      "<none>",
      "6379/TCP",
      expect.stringMatching(/^\d+s$/),
      "app=guestbook,tier=store",
    ])
    expect(tableOf(await kubectl("-n", "tables", "get", "cm,secret", "-l", "tier=store", "--no-headers"))).toEqual([
      ["secret/store", "Opaque", "1", expect.stringMatching(/^\d+s$/)],
    ])
    expect(
      tableOf(await kubectl("-n", "tables", "get", "svc", "-L", "tier", "--sort-by=.metadata.name", "--no-headers")).map((cells) => [
        cells[0],
        cells.at(-1),
      ]),
    ).toEqual([
      ["front", "front"],
      ["store", "store"],
    ])
  })

  it("is printed as YAML and JSON, and accepted in that form", async () => {
    await piped(inNamespace("texts"), "create")
    const yaml = await kubectl("-n", "texts", "get", "deploy", "front", "-o", "yaml")
    expect(yaml).toContain("\n  progressDeadlineSeconds: 600\n")
    expect(await piped(yaml, "replace")).toBe("deployment.apps/front replaced\n")
    expect(await kubectl("-n", "texts", "get", "deploy", "front", "-o", "yaml")).toBe(yaml)
    const list: { items: { kind: string; metadata: { uid?: string } }[] } = JSON.parse(
      await kubectl("-n", "texts", "get", "cm,deploy", "-o", "json"),
    )
    expect(list.items.map(({ kind }) => kind)).toEqual(["ConfigMap", "Deployment"])
    expect(list.items[1]?.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("is described", async () => {
    await piped(inNamespace("told"), "apply")
    const described = await kubectl("-n", "told", "describe", "cm,secret,svc,deploy,rc")
    for (const words of [
      /greeting:\n----\nWelcome, and leave a line/,
      /password: +28 bytes/,
      /TargetPort: +http\/TCP/,
      /STORE_PASSWORD: +<set to the key 'password' in secret 'store'>/,
      /Pods Status: +0 Running/,
    ]) {
      expect(described).toMatch(words)
    }
    expect(await kubectl("describe", "namespace", "told")).toMatch(/Labels: .*kubernetes\.io\/metadata\.name=told\n[^]*Status: +Active/)
  })
})
