/** Every built-in kind through the typed clients of several languages, in all versions that the server can serve. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { type Cluster, startCluster } from "../clients/cluster.ts"
import { runCommand } from "../clients/command.ts"
import { samplesFor } from "./kinds/samples.ts"

const { ORCH_GO_CLIENTS: programs, ORCH_PYTHON: python, ORCH_FABRIC8: classPath } = process.env
const vendor = vendorProfile("kubernetes")
/** Kinds that clients can create. */
const creatable = kinds
  .filter(({ served, verbs, kind }) => served !== false && verbs.includes("create") && kind !== "Binding")
  .map(({ group, version, kind }) => `${vendor.apiVersion(group === "" ? version : `${group}/${version}`)} ${kind}`)
  .toSorted()

/** Versions before v1 without models in the Python library, of release 1.31, and in fabric8. */
const withoutModel = {
  python: [
    ...["IPAddress", "ServiceCIDR"].map((kind) => `networking.k8s.io/v1alpha1 ${kind}`),
    ...["Class", "Claim", "ClaimTemplate", "ClaimParameters", "ClassParameters", "Slice"].map(
      (part) => `resource.k8s.io/v1alpha2 Resource${part}`,
    ),
    "resource.k8s.io/v1alpha2 PodSchedulingContext",
  ],
  fabric8: [
    ...["IPAddress", "ServiceCIDR"].map((kind) => `networking.k8s.io/v1alpha1 ${kind}`),
    ...["", "Binding"].map((part) => `admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicy${part}`),
    "internal.apiserver.k8s.io/v1alpha1 StorageVersion",
    ...["v1beta1", "v1alpha1"].map((version) => `authentication.k8s.io/${version} SelfSubjectReview`),
  ],
}

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster({
    "runtime-config": { "api/all": true },
    "feature-gates": { ClusterTrustBundle: true, RecoverVolumeExpansionFailure: true, VolumeAttributesClass: true },
    // With `api` alone, no other controller takes over the rules of an aggregated role.
    controllers: ["api"],
  })
})
afterAll(() => cluster?.remove())

/** Runs a program with the samples of a run, and returns its report on each kind that went well. */
async function livesOf(run: string, program: string, args: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const samples = join(cluster.folder, `${run}.json`)
  await writeFile(samples, JSON.stringify(samplesFor(run)))
  const { code, stdout, stderr } = await runCommand(program, [...args, samples])
  expect(stderr).toBe("")
  expect(code).toBe(0)
  const lines = stdout.split("\n").filter((line) => line !== "")
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]))
}

/** Expects that the program has been through every kind, except kinds without a model in its library. */
function expectEveryKind(lives: ReadonlyMap<string, string>, missing: readonly string[] = []): void {
  expect([...lives.keys()].toSorted()).toEqual(creatable)
  expect([...lives].flatMap(([kind, life]) => (life === "there is no model" ? [kind] : []))).toEqual(missing)
}

describe.skipIf(programs === undefined)(`typed clients of client-go${programs === undefined ? " (go is not installed)" : ""}`, () => {
  it.each([
    { encoding: "JSON", run: "json", flags: [] },
    { encoding: "the compact encoding", run: "compact", flags: ["-compact"] },
  ])("write, read, watch and delete each kind in $encoding", async ({ run, flags }) => {
    const args = ["-kubeconfig", cluster.kubeconfigFile, ...flags, "-samples"]
    expectEveryKind(await livesOf(run, join(programs ?? "", "kinds"), args))
  })
})

describe.skipIf(python === undefined)(`models of Python${python === undefined ? " (python3 is not installed)" : ""}`, () => {
  it("create, read, patch, list and delete each kind", async () => {
    const script = fileURLToPath(new URL("python/kinds.py", import.meta.url))
    expectEveryKind(await livesOf("python", python ?? "", [script, cluster.kubeconfigFile]), withoutModel.python)
  })
})

describe.skipIf(classPath === undefined)(`models of fabric8${classPath === undefined ? " (java and maven are not installed)" : ""}`, () => {
  it("create, read, edit, list and delete each kind", { timeout: 600_000 }, async () => {
    const args = ["-Dslf4j.internal.verbosity=ERROR", "-cp", classPath ?? "", "Kinds", cluster.kubeconfigFile]
    expectEveryKind(await livesOf("fabric8", "java", args), withoutModel.fabric8)
  })
})
