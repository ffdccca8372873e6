/** Reads of kubectl about the server itself: resources, versions, documentation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "./cluster.ts"
import { type Kubectl, kubectlFor, kubectlMissing, kubectlSuite, tableOf } from "./kubectl.ts"

describe.skipIf(kubectlMissing)(kubectlSuite("discovery with kubectl"), { timeout: 60_000 }, () => {
  let cluster: Cluster
  let kubectl: Kubectl

  beforeAll(async () => {
    cluster = await startCluster({ store: "memory" })
    kubectl = kubectlFor(cluster)
  })
  afterAll(() => cluster.remove())

  /** Without line breaks, which differ between releases. */
  async function explained(...args: readonly string[]): Promise<string> {
    return (await kubectl("explain", ...args)).replaceAll(/\s+/g, " ")
  }

  it("lists resources", async () => {
    const lines = (await kubectl("api-resources", "--no-headers"))
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/))
    expect(lines).toContainEqual(["configmaps", "cm", "v1", "true", "ConfigMap"])
    expect(lines).toContainEqual(["deployments", "deploy", "apps/v1", "true", "Deployment"])
    expect(lines).toContainEqual(["namespaces", "ns", "v1", "false", "Namespace"])
    expect(lines).toContainEqual(["events", "ev", "events.k8s.io/v1", "true", "Event"])
    const names = await kubectl("api-resources", "--namespaced=false", "--verbs=list,watch", "-o", "name")
    expect(names.split("\n")).toEqual(expect.arrayContaining(["namespaces", "nodes"]))
    expect(names).not.toContain("configmaps")
  })

  it("lists versions", async () => {
    const versions = (await kubectl("api-versions")).trim().split("\n")
    expect(versions).toEqual([...versions].sort())
    expect(versions).toEqual(expect.arrayContaining(["apps/v1", "coordination.k8s.io/v1", "events.k8s.io/v1", "v1"]))
  })

  it("shows its version", async () => {
    const { serverVersion }: { serverVersion: Record<string, string> } = JSON.parse(await kubectl("version", "-o", "json"))
    expect(serverVersion).toMatchObject({ major: "1", minor: "30", gitVersion: expect.stringMatching(/^v1\.30\.\d+\+orch/) })
  })

  it("explains fields in this project's words", async () => {
    expect(await explained("pod.spec.containers")).toContain("One container of a pod: an image, how to run it and what it may use.")
    // The text of a field, then the further text of its type.
    expect(await explained("pod.spec.affinity.podAffinity")).toContain(
      "DESCRIPTION: Rules that place the pod close to certain other pods. FIELDS:",
    )
    expect(await explained("pod.spec.containers.livenessProbe")).toContain(
      "is healthy. A health check of a container: what to do, how often, and how many answers decide. FIELDS:",
    )
    expect(await explained("service.spec.clusterIP")).toContain("The main address inside the cluster.")
    expect(await explained("deploy")).toContain("Keeps a number of equal pods running")
    const fields = await kubectl("explain", "replicationcontroller.spec", "--recursive")
    expect(fields).toMatch(/\n +template\s+<.*>\n[^]*\n +spec\s+<.*>\n[^]*\n +containers\s+<\[\]/)
    const unknown = await kubectl.attempt(["explain", "pod.spec.nothing"])
    expect(unknown.stderr).toContain('field "nothing" does not exist')
  })

  it("serves non-resource paths", async () => {
    expect(await kubectl("get", "--raw", "/readyz")).toBe("ok")
    expect(await kubectl("cluster-info")).toContain(`is running at ${cluster.url}`)
  })

  it("accepts short names, singulars and full names", async () => {
    for (const name of ["ns", "namespace", "namespaces", "namespaces.v1."])
      expect(tableOf(await kubectl("get", name, "default", "--no-headers"))[0]?.[0]).toBe("default")
    expect((await kubectl.attempt(["get", "nothings"])).stderr).toBe('error: the server doesn\'t have a resource type "nothings"\n')
    expect(await kubectl("get", "deployments.v1.apps,events.v1.events.k8s.io", "-A", "-o", "name")).toBe("")
  })

  it("refuses fields that a schema does not have", async () => {
    const input = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd" }, dota: { a: "b" } })
    const { code, stderr } = await kubectl.attempt(["create", "-f", "-"], { input })
    expect(code).toBe(1)
    expect(stderr).toMatch(/unknown field "dota"/)
  })
})
