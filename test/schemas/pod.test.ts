/** The defaults, updates, warnings and columns of the generated Pod. */
import { describe, expect, test } from "vitest"
import { pod } from "../../generated/core/v1/pod/resource.ts"
import { Failures } from "../../runtime/base/failure.ts"
import { isObject, type ApiObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import {
  container,
  decoded,
  env,
  exec,
  faults,
  first,
  init,
  nodeTerm,
  nodeTerms,
  parts,
  podAffinity,
  podTerm,
  port,
  projected,
  spread,
  vendor,
  volume,
} from "./pods.ts"

describe("defaults", () => {
  function at(object: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
    let value = object
    for (const step of path) value = Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined
    return value
  }

  test("a plain pod", () => {
    const object = decoded({})
    expect(object["spec"]).toEqual({
      containers: [
        {
          name: "a",
          image: "i:1",
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "IfNotPresent",
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
      enableServiceLinks: true,
    })
  })

  test.each<[string, JsonObject, (string | number)[], JsonValue | undefined]>([
    ["latest is always pulled", container({ image: "i:latest" }), ["containers", 0, "imagePullPolicy"], "Always"],
    ["so is no tag", container({ image: "r:5000/i" }), ["containers", 0, "imagePullPolicy"], "Always"],
    ["a digest is not", container({ image: "i@sha256:0" }), ["containers", 0, "imagePullPolicy"], "IfNotPresent"],
    ["the old account", { serviceAccount: "s" }, ["serviceAccountName"], "s"],
    ["the new account", { serviceAccountName: "s", serviceAccount: "t" }, ["serviceAccount"], "s"],
    [
      "requests from limits",
      container({ resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } } }),
      ["containers", 0, "resources", "requests"],
      { cpu: "1", memory: "1Gi" },
    ],
    ["host ports", { hostNetwork: true, ...port({}) }, ["containers", 0, "ports", 0, "hostPort"], 80],
    ["protocol", port({}), ["containers", 0, "ports", 0, "protocol"], "TCP"],
    ["volume without source", volume({}), ["volumes", 0], { name: "v", emptyDir: {} }],
    ["volume with source", volume({ configMap: { name: "c" } }), ["volumes", 0], { name: "v", configMap: { name: "c", defaultMode: 420 } }],
    ["host path type", volume({ hostPath: { path: "/" } }), ["volumes", 0, "hostPath", "type"], ""],
    [
      "token life",
      projected({ serviceAccountToken: { path: "t" } }),
      ["volumes", 0, "projected", "sources", 0, "serviceAccountToken", "expirationSeconds"],
      3600,
    ],
    [
      "probe",
      container({ livenessProbe: { httpGet: { port: 1 } } }),
      ["containers", 0, "livenessProbe"],
      { httpGet: { path: "/", port: 1, scheme: "HTTP" }, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
    ],
    ["grpc service", container({ livenessProbe: { grpc: { port: 1 } } }), ["containers", 0, "livenessProbe", "grpc", "service"], ""],
    [
      "field version",
      env({ fieldRef: { fieldPath: "metadata.name" } }),
      ["containers", 0, "env", 0, "valueFrom", "fieldRef", "apiVersion"],
      "v1",
    ],
    ["no empty names", env({ secretKeyRef: { key: "k" } }), ["containers", 0, "env", 0, "valueFrom", "secretKeyRef"], { key: "k" }],
  ])("%s", (_name, spec, path, expected) => expect(at(decoded(spec)["spec"], ...path)).toEqual(expected))
})

describe("updates", () => {
  const gate = { schedulingGates: [{ name: "g" }] }
  const gated = (more: JsonObject): JsonObject => ({ ...gate, ...more })
  const zone = (...values: string[]): JsonObject => ({ key: "zone", operator: "In", values })

  test.each<[string, JsonObject, JsonObject, ...string[]]>([
    ["image", {}, container({ image: "i:2" })],
    ["image of an init container", init({}), init({ image: "i:2" })],
    ["command", {}, container({ command: ["x"] }), "Forbidden spec"],
    [
      "another container",
      {},
      {
        containers: [
          { name: "a", image: "i:1" },
          { name: "b", image: "i:1" },
        ],
      },
      "Forbidden spec.containers",
    ],
    ["an init container removed", init({}), {}, "Forbidden spec.initContainers"],
    ["node", {}, { nodeName: "n" }, "Forbidden spec"],
    ["deadline set", {}, { activeDeadlineSeconds: 5 }],
    ["deadline lowered", { activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 4 }],
    ["deadline raised", { activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 6 }, "Invalid spec.activeDeadlineSeconds"],
    ["deadline removed", { activeDeadlineSeconds: 5 }, {}, "Invalid spec.activeDeadlineSeconds"],
    ["toleration added", {}, { tolerations: [{ operator: "Exists" }] }],
    ["toleration removed", { tolerations: [{ operator: "Exists" }] }, {}, "Forbidden spec.tolerations"],
    [
      "toleration seconds",
      { tolerations: [{ operator: "Exists", effect: "NoExecute" }] },
      { tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 3 }] },
    ],
    ["broken grace mended", { terminationGracePeriodSeconds: -1 }, { terminationGracePeriodSeconds: 1 }],
    ["grace", {}, { terminationGracePeriodSeconds: 5 }, "Forbidden spec"],
    ["gate removed", gate, {}],
    ["gate added", {}, gate, "Forbidden spec.schedulingGates[0].name"],
    ["node selector", {}, { nodeSelector: { a: "b" } }, "Forbidden spec"],
    ["node selector narrowed while gated", gate, gated({ nodeSelector: { a: "b" } })],
    [
      "node selector changed while gated",
      gated({ nodeSelector: { a: "b" } }),
      gated({ nodeSelector: { a: "c" } }),
      "Invalid spec.nodeSelector",
    ],
    ["node affinity set while gated", gate, gated(nodeTerm({ matchExpressions: [zone("a")] }))],
    [
      "node affinity narrowed",
      gated(nodeTerm({ matchExpressions: [zone("a")] })),
      gated(nodeTerm({ matchExpressions: [zone("a"), { key: "k", operator: "Exists" }] })),
    ],
    [
      "node affinity widened",
      gated(nodeTerm({ matchExpressions: [zone("a")] })),
      gated(nodeTerm({ matchExpressions: [zone("a", "b")] })),
      `Invalid ${nodeTerms}[0]`,
    ],
    [
      "node affinity set while gated, on a stored one without terms",
      gated({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } }),
      gated(nodeTerm({ matchExpressions: [zone("a")] })),
      "Invalid spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
    ],
    ["pod affinity while gated", gate, gated(podAffinity({})), "Forbidden spec"],
  ])("%s", (_name, before, after, ...expected) => expect(faults(decoded(after), decoded(before))).toEqual(expected))

  test("keeps mirror and AppArmor annotations", () => {
    const name = "container.apparmor.security.beta.orch.io/a"
    expect(faults(decoded({}, { annotations: { [name]: "unconfined" } }), decoded({}))).toEqual([`Forbidden metadata.annotations[${name}]`])
  })

  test.each<[string, JsonObject[], JsonObject[], ...string[]]>([
    ["added", [], [{ name: "e", image: "i:1", targetContainerName: "a" }]],
    ["removed", [{ name: "e", image: "i:1" }], [], "Forbidden spec.ephemeralContainers"],
    ["changed", [{ name: "e", image: "i:1" }], [{ name: "e", image: "i:2" }], "Forbidden spec.ephemeralContainers"],
    ["target", [], [{ name: "e", image: "i:1", targetContainerName: "x" }], "NotFound spec.ephemeralContainers[0].targetContainerName"],
    ["name", [], [{ name: "a", image: "i:1" }], "Duplicate spec.ephemeralContainers[0].name"],
    ["ports", [], [{ name: "e", image: "i:1", ports: [{ containerPort: 1 }] }], "Forbidden spec.ephemeralContainers[0].ports"],
    ["probe", [], [{ name: "e", image: "i:1", livenessProbe: exec }], "Forbidden spec.ephemeralContainers[0].livenessProbe"],
    [
      "resources",
      [],
      [{ name: "e", image: "i:1", resources: { limits: { cpu: "1" } } }],
      "Forbidden spec.ephemeralContainers[0].resources",
    ],
  ])("ephemeral container %s", (_name, before, after, ...expected) => {
    expect(faults(decoded({ ephemeralContainers: after }), decoded({ ephemeralContainers: before }), "ephemeralcontainers")).toEqual(
      expected,
    )
  })
})

describe("status", () => {
  const ended = (exitCode: number): JsonObject => ({ containerStatuses: [{ name: "a", state: { terminated: { exitCode } } }] })
  const runs: JsonObject = { containerStatuses: [{ name: "a", state: { running: {} } }] }

  test.each<[string, JsonObject, JsonObject, JsonObject, ...string[]]>([
    ["restart where it may", {}, ended(1), runs],
    ["restart after success", { restartPolicy: "OnFailure" }, ended(0), runs, "Forbidden status.containerStatuses[0].state"],
    ["restart after failure", { restartPolicy: "OnFailure" }, ended(1), runs],
    ["restart never", { restartPolicy: "Never" }, ended(1), runs, "Forbidden status.containerStatuses[0].state"],
    ["class", {}, { qosClass: "Burstable" }, { qosClass: "Guaranteed" }],
    ["addresses", {}, {}, { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] }, "Invalid status.podIPs"],
    ["address", {}, {}, { podIPs: [{ ip: "x" }] }, "Invalid status.podIPs[0]"],
    ["node address", {}, {}, { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.2" }] }, "Invalid status.hostIPs[0].ip"],
    ["new condition type", {}, {}, { conditions: [{ type: "a b", status: "True" }] }, "Invalid metadata.conditions[0].Type"],
    ["old condition type", {}, { conditions: [{ type: "a b", status: "True" }] }, { conditions: [{ type: "a b", status: "False" }] }],
    ["nominated node", {}, {}, { nominatedNodeName: "A" }, "Invalid status.nominatedNodeName"],
  ])("%s", (_name, spec, before, after, ...expected) => {
    expect(faults(decoded(spec, {}, after), decoded(spec, {}, before), "status")).toEqual(expected)
  })
})

describe("warnings", () => {
  function warnings(object: ApiObject, old?: ApiObject): string[] {
    return parts.warnings?.(object, { failures: new Failures(), vendor, ...(old !== undefined && { old }) }) ?? []
  }

  const nothing = "a null labelSelector results in matching no pod"
  const renamed = 'deprecated since v1.14; use "orch.io/arch" instead'
  test.each<[string, JsonObject, ...string[]]>([
    ["none", {}],
    ["node selector", { nodeSelector: { "beta.orch.io/arch": "x" } }, `spec.nodeSelector[beta.orch.io/arch]: ${renamed}`],
    [
      "node affinity",
      nodeTerm({ matchExpressions: [{ key: "beta.orch.io/arch", operator: "Exists" }] }),
      `${nodeTerms}[0].matchExpressions[0].key: beta.orch.io/arch is ${renamed}`,
    ],
    ["pod affinity", podAffinity({}), `${podTerm}.labelSelector: ${nothing}`],
    ["spreading", spread({}), `spec.topologySpreadConstraints[0].labelSelector: ${nothing}`],
    ["alias twice", { hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }] }, 'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"'],
    [
      "pull secrets",
      { imagePullSecrets: [{ name: "s" }, { name: "s" }, {}] },
      'spec.imagePullSecrets[1].name: duplicate name "s"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
    ["old volume", volume({ gitRepo: { repository: "r" } }), "spec.volumes[0].gitRepo: deprecated in v1.11"],
    ["hidden token", projected({ serviceAccountToken: { path: "a/b" } }, { secret: { name: "s", items: [{ key: "k", path: "a" }] } })],
    [
      "part of a byte",
      container({ resources: { requests: { memory: "1m" } } }),
      `${first}.resources.requests[memory]: fractional byte value "1m" is invalid, must be an integer`,
    ],
    [
      "variable twice",
      container({ env: [{ name: "A" }, { name: "A" }] }),
      `${first}.env[1]: hides previous definition of "A", which may be dropped when using apply`,
    ],
    [
      "port twice",
      container({ ports: [{ containerPort: 1 }, { containerPort: 1 }] }),
      `${first}.ports[1]: duplicate port definition with ${first}.ports[0]`,
    ],
    [
      "overlapping ports",
      container({
        ports: [
          { containerPort: 1, hostPort: 1 },
          { containerPort: 1, hostPort: 1, hostIP: "1.1.1.1" },
        ],
      }),
      `${first}.ports[1]: dangerously ambiguous port definition with ${first}.ports[0]`,
    ],
    [
      "address without port",
      port({ hostIP: "1.1.1.1" }),
      `${first}.ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}`,
    ],
    [
      "grace",
      { terminationGracePeriodSeconds: -1 },
      "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
    ],
  ])("%s", (_name, spec, ...expected) => expect(warnings(decoded(spec))).toEqual(expected))

  test.each<[string, JsonObject, ...string[]]>([
    ["scheduler.alpha.orch.io/critical-pod", {}, 'non-functional in v1.16+; use the "priorityClassName" field instead'],
    ["seccomp.security.alpha.orch.io/pod", {}, 'non-functional in v1.27+; use the "seccompProfile" field instead'],
    ["seccomp.security.alpha.orch.io/pod", { securityContext: { seccompProfile: { type: "Unconfined" } } }],
    // A warning about a pod, while the annotation becomes a field.
    ["container.apparmor.security.beta.orch.io/a", {}],
  ])("annotation %s", (name, spec, ...expected) => {
    expect(warnings(decoded(spec, { annotations: { [name]: "unconfined" } }))).toEqual(
      expected.map((text) => `metadata.annotations[${name}]: ${text}`),
    )
  })

  test("warns about a name that is not a label, on creation only", () => {
    const object = decoded({}, { name: "a.b" })
    expect(warnings(object)).toEqual([expect.stringMatching(/^metadata\.name: .*DNS label is recommended/)])
    expect(warnings(object, object)).toEqual([])
  })
})

describe("what is published", () => {
  test("selectable fields", () => {
    const stored = decoded({ nodeName: "n", hostNetwork: true }, {}, { phase: "Running", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] })
    expect(Object.fromEntries(pod.selectable.map(({ name, value }) => [name, value(stored)]))).toEqual({
      "spec.nodeName": "n",
      "spec.restartPolicy": "Always",
      "spec.schedulerName": "default-scheduler",
      "spec.serviceAccountName": "",
      "spec.hostNetwork": "true",
      "status.phase": "Running",
      "status.podIP": "10.0.0.1",
      "status.podIPs": "10.0.0.1,fd00::1",
      "status.nominatedNodeName": "",
    })
  })

  test("columns", () => {
    const object = decoded({}, { creationTimestamp: "2024-05-01T11:00:00Z" }, { phase: "Pending" })
    const cells = parts.columns.map(({ name, value }) => [name, value(object, { nowMs: Date.parse("2024-05-01T12:00:00Z"), vendor })])
    expect(cells).toEqual([
      ["Name", "p"],
      ["Ready", "0/1"],
      ["Status", "Pending"],
      ["Restarts", "0"],
      ["Age", "60m"],
      ["IP", "<none>"],
      ["Node", "<none>"],
      ["Nominated Node", "<none>"],
      ["Readiness Gates", "<none>"],
    ])
  })
})
