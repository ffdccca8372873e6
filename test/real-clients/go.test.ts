/** Controllers built on client-go and on controller-runtime, as separate programs. */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "../clients/cluster.ts"
import { runCommand } from "../clients/command.ts"

const programs = process.env.ORCH_GO_CLIENTS
const why = programs === undefined ? " (go is not installed)" : ""

/** Duration of the changes to the operator's shops; longer for manual runs. */
const operatorDuration = process.env.ORCH_OPERATOR_DURATION ?? "15s"

describe.skipIf(programs === undefined)(`programs written in Go${why}`, () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster?.remove())

  async function runGo(name: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runCommand(join(programs ?? "", name), ["-kubeconfig", cluster.kubeconfigFile, ...args])
    expect(stderr).toBe("")
    expect(code).toBe(0)
    return stdout
  }

  it.each([
    { encoding: "JSON", flags: [] },
    { encoding: "the compact encoding", flags: ["-compact"] },
  ])("use shared informers, apply, leader election and the event recorder in $encoding", async ({ flags }) => {
    expect(await runGo("informers", ...flags)).toBe(
      ["informer", "apply", "leader election", "event recorder", "conflict and retry"].map((part) => `${part} works\n`).join(""),
    )
  })

  it("reconcile with finalizers and owned objects, without a lost or doubled event", { timeout: 1_200_000 }, async () => {
    expect(await runGo("operator", "-duration", operatorDuration)).toMatch(/nothing lost, nothing twice\n$/)
  })
})
