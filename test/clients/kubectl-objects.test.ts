/**
 * Common actions on single objects with kubectl: label, annotate, scale, patch, edit, watch, wait, delete, and its
 * generators.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "./cluster.ts"
import { type Kubectl, kubectlFor, kubectlMissing, kubectlSuite, tableOf } from "./kubectl.ts"

describe.skipIf(kubectlMissing)(kubectlSuite("objects with kubectl"), { timeout: 60_000 }, () => {
  let cluster: Cluster
  let kubectl: Kubectl

  beforeAll(async () => {
    cluster = await startCluster()
    kubectl = kubectlFor(cluster)
    await kubectl("create", "deployment", "web", "--image=registry.example/web:1", "--replicas=2")
  })
  afterAll(() => cluster.remove())

  /** The text of an object's field. */
  function field(object: string, path: string): Promise<string> {
    return kubectl("get", object, "-o", `jsonpath={${path}}`)
  }

  async function stderrOf(...args: readonly string[]): Promise<string> {
    const { code, stderr } = await kubectl.attempt(args)
    expect(code, args.join(" ")).toBe(1)
    return stderr
  }

  it("are created by its generators", async () => {
    const made = [
      await kubectl("create", "namespace", "made"),
      await kubectl("-n", "made", "create", "configmap", "settings", "--from-literal=a=1", "--from-literal=b=2"),
      await kubectl("-n", "made", "create", "secret", "generic", "keys", "--from-literal=token=abc"),
      await kubectl(
        "-n",
        "made",
        "create",
        "secret",
        "docker-registry",
        "pull",
        "--docker-server=registry.example",
        "--docker-username=u",
        "--docker-password=p",
      ),
      await kubectl("-n", "made", "create", "serviceaccount", "robot"),
      await kubectl("-n", "made", "create", "deployment", "api", "--image=registry.example/api:2"),
      await kubectl("-n", "made", "create", "service", "clusterip", "inner", "--tcp=80:8080"),
      await kubectl("-n", "made", "create", "service", "nodeport", "outer", "--tcp=80:8080", "--node-port=30123"),
      await kubectl("-n", "made", "create", "service", "loadbalancer", "balanced", "--tcp=80"),
      await kubectl("-n", "made", "create", "service", "externalname", "away", "--external-name=away.example"),
      await kubectl("-n", "made", "expose", "deployment", "api", "--port=80"),
      await kubectl("-n", "made", "run", "job", "--image=registry.example/job:3", "--restart=Never", "--labels=run=job"),
    ]
    expect(made.join("")).toBe(
      [
        "namespace/made created",
        "configmap/settings created",
        "secret/keys created",
        "secret/pull created",
        "serviceaccount/robot created",
        "deployment.apps/api created",
        "service/inner created",
        "service/outer created",
        "service/balanced created",
        "service/away created",
        "service/api exposed",
        "pod/job created",
        "",
      ].join("\n"),
    )
    const services = tableOf(await kubectl("-n", "made", "get", "services", "--no-headers"))
    expect(services.map(([name, type, , external, ports]) => [name, type, external, ports])).toEqual([
      ["api", "ClusterIP", "<none>", "80/TCP"],
      ["away", "ExternalName", "away.example", "<none>"],
      ["balanced", "LoadBalancer", "<pending>", expect.stringMatching(/^80:3\d{4}\/TCP$/)],
      ["inner", "ClusterIP", "<none>", "80/TCP"],
      ["outer", "NodePort", "<none>", "80:30123/TCP"],
    ])
    expect(
      await kubectl(
        "-n",
        "made",
        "get",
        "pods",
        "-l",
        "run=job",
        "--field-selector=status.phase=Pending",
        "-o",
        "jsonpath={.items[*].status.qosClass}",
      ),
    ).toBe("BestEffort")
    expect(await kubectl("get", "pods", "-A", "--no-headers")).toMatch(/^made +job +0\/1 +Pending +0 /)
  })

  it("are labelled and annotated", async () => {
    await kubectl("create", "configmap", "tagged")
    expect(await kubectl("label", "configmap", "tagged", "color=red")).toBe("configmap/tagged labeled\n")
    expect(await stderrOf("label", "configmap", "tagged", "color=blue")).toContain("--overwrite is false")
    await kubectl("label", "--overwrite", "configmap", "tagged", "color=blue")
    expect(await kubectl("get", "cm", "-l", "color in (blue,green)", "-o", "name")).toBe("configmap/tagged\n")
    expect(await kubectl("annotate", "configmap", "tagged", "note=Read me")).toMatch(/^configmap\/tagged annotate/)
    expect(await field("configmap/tagged", ".metadata.annotations.note")).toBe("Read me")
    await kubectl("annotate", "configmap", "tagged", "note-")
    expect(await field("configmap/tagged", ".metadata.annotations")).toBe("")
    expect(await stderrOf("label", "configmap", "tagged", "color=-wrong-")).toMatch(/invalid label value|Invalid value/)
  })

  it("are scaled", async () => {
    expect(await kubectl("scale", "deployment", "web", "--replicas=5")).toBe("deployment.apps/web scaled\n")
    expect(await kubectl("scale", "deployment", "web", "--current-replicas=5", "--replicas=1")).toBe("deployment.apps/web scaled\n")
    expect(await field("deployment/web", ".spec.replicas")).toBe("1")
    expect(await stderrOf("scale", "deployment", "web", "--current-replicas=9", "--replicas=2")).toContain(
      "Expected replicas to be 9, was 1",
    )
  })

  it("are patched in three ways", async () => {
    await kubectl("create", "deployment", "patched", "--image=registry.example/web:1")
    const patch = (type: string, body: unknown): Promise<string> =>
      kubectl("patch", "deployment", "patched", `--type=${type}`, "-p", JSON.stringify(body))
    const sidecar = { name: "log", image: "registry.example/log:1" }
    expect(await patch("strategic", { spec: { template: { spec: { containers: [sidecar] } } } })).toBe("deployment.apps/patched patched\n")
    expect(await field("deployment/patched", ".spec.template.spec.containers[*].name")).toBe("log web")
    await patch("merge", { spec: { paused: true, template: { spec: { containers: [sidecar] } } } })
    expect(await field("deployment/patched", ".spec.template.spec.containers[*].name")).toBe("log")
    await patch("json", [
      { op: "test", path: "/spec/paused", value: true },
      { op: "replace", path: "/spec/replicas", value: 4 },
    ])
    expect(await field("deployment/patched", ".spec.replicas")).toBe("4")
    expect(await patch("merge", { spec: { replicas: 4 } })).toBe("deployment.apps/patched patched (no change)\n")
    expect(
      await stderrOf("patch", "deployment", "patched", "--type=json", "-p", '[{"op":"test","path":"/spec/replicas","value":9}]'),
    ).toContain("The request is invalid")
    expect(await stderrOf("patch", "deployment", "patched", "--type=merge", "-p", '{"spec":{"replicas":-1}}')).toBe(
      'The Deployment "patched" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
    )
    expect(await kubectl("set", "image", "deployment/patched", "log=registry.example/log:2")).toBe(
      "deployment.apps/patched image updated\n",
    )
  })

  it("are edited", async () => {
    await kubectl("create", "configmap", "edited", "--from-literal=word=before")
    const edit = async (editor: string): Promise<string> => {
      const { stdout, stderr } = await kubectl.attempt(["edit", "configmap", "edited"], { env: { KUBE_EDITOR: editor } })
      return stdout + stderr
    }
    expect(await edit("sed -i s/before/after/")).toBe("configmap/edited edited\n")
    expect(await field("configmap/edited", ".data.word")).toBe("after")
    expect(await edit("true")).toBe("Edit cancelled, no changes made.\n")
  })

  it("are watched", async () => {
    const watch = kubectl.start("get", "namespaces", "--watch", "--output-watch-events")
    await watch.until((seen) => /^ADDED +default /m.test(seen))
    await kubectl("create", "namespace", "seen")
    await kubectl("label", "namespace", "seen", "looked=yes")
    await kubectl("delete", "namespace", "seen")
    const seen = await watch.until((text) => /^DELETED +seen /m.test(text))
    await watch.end()
    const events = tableOf(seen)
      .filter(([, name]) => name === "seen")
      .map(([type, , status]) => `${type} ${status}`)
    expect(events).toEqual(["ADDED Active", "MODIFIED Active", "MODIFIED Terminating", "DELETED Terminating"])
  })

  it("are waited for", async () => {
    await kubectl("create", "deployment", "awaited", "--image=registry.example/web:1")
    // No controller runs here, so the test acts as one.
    const status = {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "Up",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
          lastUpdateTime: "2026-01-01T00:00:00Z",
        },
      ],
    }
    const rollout = kubectl.start("rollout", "status", "deployment/awaited")
    await rollout.until((text) => text.includes("Waiting for deployment"))
    await report("deployments", "awaited", status)
    expect(await rollout.until((text) => text.includes("rolled out"))).toContain('deployment "awaited" successfully rolled out\n')
    await rollout.end()
    expect(await kubectl("wait", "--for=condition=Available", "deployment/awaited")).toBe("deployment.apps/awaited condition met\n")
    expect(tableOf(await kubectl("get", "deployment", "awaited", "--no-headers"))[0]?.slice(0, 4)).toEqual(["awaited", "1/1", "1", "1"])
    expect(await kubectl("rollout", "pause", "deployment/awaited")).toBe("deployment.apps/awaited paused\n")
    expect(await kubectl("rollout", "resume", "deployment/awaited")).toBe("deployment.apps/awaited resumed\n")
  })

  /** Writes a status as a controller does; kubectl supports this only since 1.24. */
  async function report(resource: string, name: string, status: unknown): Promise<void> {
    const path = `/apis/apps/v1/namespaces/default/${resource}/${name}`
    const object = JSON.parse(await kubectl("get", "--raw", path))
    const { code, stderr } = await kubectl.attempt(["replace", "--raw", `${path}/status`, "-f", "-"], {
      input: JSON.stringify({ ...object, status }),
    })
    expect(code, stderr).toBe(0)
  }

  it("are deleted by name, by label and all at once", async () => {
    await kubectl("create", "namespace", "gone")
    for (const name of ["one", "two", "three"]) await kubectl("-n", "gone", "create", "configmap", name)
    await kubectl("-n", "gone", "label", "configmap", "two", "which=two")
    expect(await kubectl("-n", "gone", "delete", "configmap", "one")).toContain('configmap "one" deleted')
    expect(await kubectl("-n", "gone", "delete", "configmap", "-l", "which=two")).toContain('configmap "two" deleted')
    expect(await kubectl("-n", "gone", "delete", "configmap", "--all")).toContain('configmap "three" deleted')
    expect((await kubectl.attempt(["-n", "gone", "get", "configmap"])).stderr).toBe("No resources found in gone namespace.\n")
    expect(await stderrOf("-n", "gone", "delete", "configmap", "one")).toBe('Error from server (NotFound): configmaps "one" not found\n')
    expect(await kubectl("-n", "gone", "delete", "configmap", "one", "--ignore-not-found")).toBe("")
    await kubectl("-n", "gone", "run", "short", "--image=registry.example/job:3")
    expect(await kubectl("delete", "namespace", "gone")).toContain('namespace "gone" deleted')
    expect(await kubectl("get", "pods", "-A", "--field-selector=metadata.namespace=gone", "-o", "name")).toBe("")
  })

  it("that are nodes are cordoned, tainted and drained", async () => {
    const { code } = await kubectl.attempt(["create", "-f", "-"], { input: "apiVersion: v1\nkind: Node\nmetadata: {name: left}\n" })
    expect(code).toBe(0)
    expect(await kubectl("cordon", "left")).toBe("node/left cordoned\n")
    expect(await kubectl("taint", "node", "left", "reserved=yes:NoSchedule")).toBe("node/left tainted\n")
    expect(tableOf(await kubectl("get", "node", "left", "--no-headers"))[0]?.slice(0, 3)).toEqual([
      "left",
      "Unknown,SchedulingDisabled",
      "<none>",
    ])
    expect(await kubectl("drain", "left")).toMatch(/node\/left (drained|evicted)/)
    expect(await kubectl("uncordon", "left")).toBe("node/left uncordoned\n")
    expect(await kubectl("describe", "node", "left")).toMatch(/Taints: +reserved=yes:NoSchedule/)
  })
})
