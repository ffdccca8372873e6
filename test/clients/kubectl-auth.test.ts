/** Questions of kubectl about authentication and authorization. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "./cluster.ts"
import { type Kubectl, kubectlFor, kubectlMissing, kubectlSuite } from "./kubectl.ts"

describe.skipIf(kubectlMissing)(kubectlSuite("authorization with kubectl"), { timeout: 60_000 }, () => {
  let cluster: Cluster
  let kubectl: Kubectl

  beforeAll(async () => {
    cluster = await startCluster({ store: "memory" })
    kubectl = kubectlFor(cluster)
  })
  afterAll(() => cluster.remove())

  it("says what the user may do", async () => {
    expect((await kubectl("auth", "can-i", "create", "pods", "-n", "default")).trim()).toBe("yes")
    expect((await kubectl("auth", "can-i", "get", "/metrics")).trim()).toBe("yes")
    expect(await kubectl("auth", "can-i", "--list")).toMatch(/\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/)
  })

  it("says who the user is", async () => {
    const { status }: { status: object } = JSON.parse(await kubectl("auth", "whoami", "-o", "json"))
    expect(status).toMatchObject({ userInfo: { groups: ["system:masters", "system:authenticated"] } })
    expect(await kubectl("auth", "whoami")).toMatch(/ATTRIBUTE\s+VALUE\s+Username\s+\S+/)
  })

  it("says what a reviewed token is, and shows the priority levels and flow schemas", async () => {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "nobody's" } }
    const { stdout } = await kubectl.attempt(["create", "-f", "-", "-o", "json"], { input: JSON.stringify(review) })
    expect(JSON.parse(stdout)).toMatchObject({ status: { error: "invalid bearer token" } })
    expect(await kubectl("get", "prioritylevelconfigurations")).toMatch(/catch-all\s+Limited\s+5\s+<none>/)
    expect(await kubectl("get", "flowschemas", "exempt")).toMatch(/exempt\s+exempt\s+1\s+<none>\s+\S+\s+False/)
  })
})
