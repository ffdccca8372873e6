/** Values that the generated Pod refuses, and the reason of each failure. */
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../runtime/base/json.ts"
import {
  container,
  decoded,
  env,
  exec,
  faults,
  first,
  init,
  mounts,
  nodeTerm,
  nodeTerms,
  podAffinity,
  podTerm,
  port,
  spread,
  volume,
} from "./pods.ts"

/** A spec with one valid container, and every failure it causes. */
const wrong: [string, JsonObject, ...string[]][] = [
  ["no containers", { containers: [] }, "Required spec.containers"],
  ["no name", { containers: [{ image: "i:1" }] }, `Required ${first}.name`],
  ["name is no label", { containers: [{ name: "A_b", image: "i:1" }] }, `Invalid ${first}.name`],
  ["no image", { containers: [{ name: "a" }] }, `Required ${first}.image`],
  ["blank around image", container({ image: " i:1" }), `Invalid ${first}.image`],
  [
    "name twice",
    {
      containers: [
        { name: "a", image: "i" },
        { name: "a", image: "i" },
      ],
    },
    "Duplicate spec.containers[1].name",
  ],
  ["name twice over lists", init({ name: "a" }), "Duplicate spec.initContainers[0].name"],
  ["sidecar policy on a main container", container({ restartPolicy: "Always" }), `Forbidden ${first}.restartPolicy`],
  ["other policy on an init container", init({ restartPolicy: "Never" }), "NotSupported spec.initContainers[0].restartPolicy"],
  ["probe on an init container", init({ livenessProbe: exec }), "Forbidden spec.initContainers[0].livenessProbe"],
  ["hook on an init container", init({ lifecycle: { preStop: exec } }), "Forbidden spec.initContainers[0].lifecycle"],
  ["ephemeral container on create", { ephemeralContainers: [{ name: "e", image: "i" }] }, "Forbidden spec.ephemeralContainers"],
  ["pull policy", container({ imagePullPolicy: "Sometimes" }), `NotSupported ${first}.imagePullPolicy`],
  ["message policy", container({ terminationMessagePolicy: "Log" }), `NotSupported ${first}.terminationMessagePolicy`],
  ["restart policy", { restartPolicy: "Maybe" }, "NotSupported spec.restartPolicy"],
  ["dns policy", { dnsPolicy: "Mine" }, "NotSupported spec.dnsPolicy"],
  ["dns policy None without servers", { dnsPolicy: "None" }, "Required spec.dnsConfig"],
  ["four name servers", { dnsConfig: { nameservers: ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"] } }, "Invalid spec.dnsConfig.nameservers"],
  ["name server is no address", { dnsConfig: { nameservers: ["x"] } }, "Invalid spec.dnsConfig.nameservers[0]"],
  ["search path", { dnsConfig: { searches: ["a.b.", "_x_"] } }, "Invalid spec.dnsConfig.searches[1]"],
  ["dns option without name", { dnsConfig: { options: [{ value: "1" }] } }, "Required spec.dnsConfig.options[0]"],
  ["deadline", { activeDeadlineSeconds: 0 }, "Invalid spec.activeDeadlineSeconds"],
  ["host name", { hostname: "a.b" }, "Invalid spec.hostname"],
  ["sub-domain", { subdomain: "A" }, "Invalid spec.subdomain"],
  ["node name", { nodeName: "A" }, "Invalid spec.nodeName"],
  ["runtime class", { runtimeClassName: "A" }, "Invalid spec.runtimeClassName"],
  ["preemption", { preemptionPolicy: "Sometimes" }, "NotSupported spec.preemptionPolicy"],
  ["node selector key", { nodeSelector: { "a b": "c" } }, "Invalid spec.nodeSelector"],
  ["process namespaces", { shareProcessNamespace: true, hostPID: true }, "Invalid spec.securityContext.shareProcessNamespace"],
  [
    "host alias",
    { hostAliases: [{ ip: "x", hostnames: ["a", "_"] }] },
    "Invalid spec.hostAliases[0].ip",
    "Invalid spec.hostAliases[0].hostnames[1]",
  ],
  ["readiness gate", { readinessGates: [{ conditionType: "a b" }] }, "Invalid spec.readinessGates[0].conditionType"],
  ["gates and a node", { schedulingGates: [{ name: "g" }], nodeName: "n" }, "Forbidden spec.nodeName"],
  ["gate twice", { schedulingGates: [{ name: "g" }, { name: "g" }] }, "Duplicate spec.schedulingGates[1]"],
  // Neither a standard resource nor qualified, and no resource of containers.
  ["overhead", { overhead: { pens: "1" } }, "Invalid spec.overhead.limits[pens]", "Invalid spec.overhead.limits[pens]"],
  // tolerations
  ["toleration of everything", { tolerations: [{ operator: "Equal" }] }, "Invalid spec.tolerations[0].operator"],
  ["toleration operator", { tolerations: [{ key: "k", operator: "Like" }] }, "NotSupported spec.tolerations[0].operator"],
  ["toleration value with Exists", { tolerations: [{ key: "k", operator: "Exists", value: "v" }] }, "Invalid spec.tolerations[0].operator"],
  [
    "toleration seconds",
    { tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 1 }] },
    "Invalid spec.tolerations[0].effect",
  ],
  ["toleration effect", { tolerations: [{ key: "k", operator: "Exists", effect: "Some" }] }, "NotSupported spec.tolerations[0].effect"],
  // ports
  ["no port", port({ containerPort: 0 }), `Required ${first}.ports[0].containerPort`],
  ["port range", port({ containerPort: 70000 }), `Invalid ${first}.ports[0].containerPort`],
  ["host port range", port({ hostPort: 70000 }), `Invalid ${first}.ports[0].hostPort`],
  ["port name", port({ name: "A" }), `Invalid ${first}.ports[0].name`, `Invalid ${first}.ports[0].name`],
  ["protocol", port({ protocol: "ICMP" }), `NotSupported ${first}.ports[0].protocol`],
  [
    "port name twice",
    container({
      ports: [
        { name: "x", containerPort: 1 },
        { name: "x", containerPort: 2 },
      ],
    }),
    `Duplicate ${first}.ports[1].name`,
  ],
  [
    "host port twice",
    container({
      ports: [
        { hostPort: 1, containerPort: 1 },
        { hostPort: 1, containerPort: 2 },
      ],
    }),
    `Duplicate ${first}.ports[1].hostPort`,
  ],
  ["host network port", { hostNetwork: true, ...port({ hostPort: 81 }) }, `Invalid ${first}.ports[0].hostPort`],
  // environment
  ["variable without name", container({ env: [{ value: "x" }] }), `Required ${first}.env[0].name`],
  ["variable name", container({ env: [{ name: "1=", value: "x" }] }), `Invalid ${first}.env[0].name`],
  ["value and source", env({ fieldRef: { fieldPath: "metadata.name" } }, "x"), `Invalid ${first}.env[0].valueFrom`],
  ["no source", env({}), `Invalid ${first}.env[0].valueFrom`],
  [
    "two sources",
    env({ fieldRef: { fieldPath: "metadata.name" }, secretKeyRef: { name: "s", key: "k" } }),
    `Invalid ${first}.env[0].valueFrom`,
  ],
  ["field path", env({ fieldRef: { fieldPath: "spec.hostname" } }), `Invalid ${first}.env[0].valueFrom.fieldRef.fieldPath`],
  [
    "field that is not shown",
    env({ fieldRef: { fieldPath: "status.phase" } }),
    `NotSupported ${first}.env[0].valueFrom.fieldRef.fieldPath`,
  ],
  [
    "version of a field",
    env({ fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } }),
    `Invalid ${first}.env[0].valueFrom.fieldRef.fieldPath`,
  ],
  ["key of a label", env({ fieldRef: { fieldPath: "metadata.labels['a b']" } }), `Invalid ${first}.env[0].valueFrom.fieldRef`],
  [
    "key of another field",
    env({ fieldRef: { fieldPath: "spec.containers['a']" } }),
    `Invalid ${first}.env[0].valueFrom.fieldRef.fieldPath`,
  ],
  ["no field path", env({ fieldRef: {} }), `Required ${first}.env[0].valueFrom.fieldRef.fieldPath`],
  ["resource", env({ resourceFieldRef: { resource: "limits.pens" } }), `NotSupported ${first}.env[0].valueFrom.resourceFieldRef.resource`],
  [
    "divisor",
    env({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }),
    `Invalid ${first}.env[0].valueFrom.resourceFieldRef.divisor`,
  ],
  [
    "config map without name and key",
    env({ configMapKeyRef: {} }),
    `Required ${first}.env[0].valueFrom.configMapKeyRef.key`,
    `Invalid ${first}.env[0].valueFrom.configMapKeyRef.name`,
  ],
  ["secret key", env({ secretKeyRef: { name: "s", key: "a/b" } }), `Invalid ${first}.env[0].valueFrom.secretKeyRef.key`],
  ["no envFrom source", container({ envFrom: [{}] }), `Invalid ${first}.envFrom`],
  ["two envFrom sources", container({ envFrom: [{ configMapRef: { name: "c" }, secretRef: { name: "s" } }] }), `Invalid ${first}.envFrom`],
  ["envFrom without name", container({ envFrom: [{ secretRef: {} }] }), `Required ${first}.envFrom[0].secretRef.name`],
  ["envFrom prefix", container({ envFrom: [{ prefix: "1", secretRef: { name: "s" } }] }), `Invalid ${first}.envFrom[0].prefix`],
  // mounts and devices
  ["mount of nothing", mounts({ name: "w" }), `NotFound ${first}.volumeMounts[0].name`],
  ["mount without path", mounts({ mountPath: "" }), `Required ${first}.volumeMounts[0].mountPath`],
  [
    "mount twice",
    {
      ...volume({}),
      ...container({
        volumeMounts: [
          { name: "v", mountPath: "/m" },
          { name: "v", mountPath: "/m" },
        ],
      }),
    },
    `Invalid ${first}.volumeMounts[1].mountPath`,
  ],
  ["sub-path", mounts({ subPath: "/a/../b" }), `Invalid ${first}.volumeMounts.subPath`, `Invalid ${first}.volumeMounts.subPath`],
  ["two sub-paths", mounts({ subPath: "a", subPathExpr: "b" }), `Invalid ${first}.volumeMounts[0].subPathExpr`],
  ["propagation", mounts({ mountPropagation: "Both" }), `NotSupported ${first}.volumeMounts.mountPropagation`],
  ["propagation without privilege", mounts({ mountPropagation: "Bidirectional" }), `Forbidden ${first}.volumeMounts.mountPropagation`],
  [
    "device of an empty directory",
    { ...volume({}), ...container({ volumeDevices: [{ name: "v", devicePath: "/d" }] }) },
    `Invalid ${first}.volumeDevices[0].name`,
  ],
  [
    "device path",
    { ...volume({ persistentVolumeClaim: { claimName: "c" } }), ...container({ volumeDevices: [{ name: "v", devicePath: "/d/../e" }] }) },
    `Invalid ${first}.volumeDevices[0].devicePath`,
  ],
  // probes and hooks
  ["probe without action", container({ livenessProbe: {} }), `Required ${first}.livenessProbe`],
  ["probe with two actions", container({ livenessProbe: { ...exec, grpc: { port: 1 } } }), `Forbidden ${first}.livenessProbe.grpc`],
  ["probe without command", container({ readinessProbe: { exec: {} } }), `Required ${first}.readinessProbe.exec.command`],
  ["probe port", container({ readinessProbe: { httpGet: { port: 0 } } }), `Invalid ${first}.readinessProbe.httpGet.port`],
  ["probe port name", container({ readinessProbe: { tcpSocket: { port: "8080" } } }), `Invalid ${first}.readinessProbe.tcpSocket.port`],
  ["grpc port", container({ readinessProbe: { grpc: { port: 0 } } }), `Invalid ${first}.readinessProbe.grpc.port`],
  ["scheme", container({ readinessProbe: { httpGet: { port: 1, scheme: "FTP" } } }), `NotSupported ${first}.readinessProbe.httpGet.scheme`],
  [
    "header",
    container({ readinessProbe: { httpGet: { port: 1, httpHeaders: [{ name: "a b", value: "" }] } } }),
    `Invalid ${first}.readinessProbe.httpGet.httpHeaders`,
  ],
  ["negative period", container({ readinessProbe: { ...exec, periodSeconds: -1 } }), `Invalid ${first}.readinessProbe.periodSeconds`],
  ["liveness successes", container({ livenessProbe: { ...exec, successThreshold: 2 } }), `Invalid ${first}.livenessProbe.successThreshold`],
  ["startup successes", container({ startupProbe: { ...exec, successThreshold: 2 } }), `Invalid ${first}.startupProbe.successThreshold`],
  [
    "grace of readiness",
    container({ readinessProbe: { ...exec, terminationGracePeriodSeconds: 1 } }),
    `Invalid ${first}.readinessProbe.terminationGracePeriodSeconds`,
  ],
  [
    "grace of liveness",
    container({ livenessProbe: { ...exec, terminationGracePeriodSeconds: 0 } }),
    `Invalid ${first}.livenessProbe.terminationGracePeriodSeconds`,
  ],
  ["hook without action", container({ lifecycle: { preStop: {} } }), `Required ${first}.lifecycle.preStop`],
  ["long sleep", container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }), `Invalid ${first}.lifecycle.preStop.sleep`],
  // resources
  [
    "resource name",
    container({ resources: { limits: { pens: "1" } } }),
    `Invalid ${first}.resources.limits[pens]`,
    `Invalid ${first}.resources.limits[pens]`,
    `Invalid ${first}.resources.requests[pens]`,
    `Invalid ${first}.resources.requests[pens]`,
  ],
  ["negative", container({ resources: { requests: { cpu: "-1" } } }), `Invalid ${first}.resources.requests[cpu]`],
  [
    "request above limit",
    container({ resources: { limits: { cpu: "1" }, requests: { cpu: "1100m" } } }),
    `Invalid ${first}.resources.requests`,
  ],
  [
    "part of a device",
    container({ resources: { limits: { "a.b/gpu": "500m" } } }),
    `Invalid ${first}.resources.limits[a.b/gpu]`,
    `Invalid ${first}.resources.requests[a.b/gpu]`,
  ],
  ["device without limit", container({ resources: { requests: { "a.b/gpu": "1" } } }), `Required ${first}.resources.limits`],
  [
    "device request below limit",
    container({ resources: { limits: { "a.b/gpu": "2" }, requests: { "a.b/gpu": "1" } } }),
    `Invalid ${first}.resources.requests`,
  ],
  ["huge pages alone", container({ resources: { limits: { "hugepages-2Mi": "4Mi" } } }), `Forbidden ${first}.resources`],
  [
    "broken huge page",
    container({ resources: { limits: { cpu: "1", "hugepages-2Mi": "3Mi" } } }),
    `Invalid ${first}.resources.limits[hugepages-2Mi]`,
    `Invalid ${first}.resources.requests[hugepages-2Mi]`,
  ],
  // security
  ["user", container({ securityContext: { runAsUser: -1 } }), `Invalid ${first}.securityContext.runAsUser`],
  ["group of the pod", { securityContext: { fsGroup: 4294967296 } }, "Invalid spec.securityContext.fsGroup"],
  ["more groups", { securityContext: { supplementalGroups: [1, -1] } }, "Invalid spec.securityContext.supplementalGroups[1]"],
  [
    "privileged without escalation",
    container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
    `Invalid ${first}.securityContext`,
  ],
  [
    "administrator without escalation",
    container({ securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } } }),
    `Invalid ${first}.securityContext`,
  ],
  ["seccomp type", { securityContext: { seccompProfile: { type: "Mine" } } }, "NotSupported spec.securityContext.seccompProfile.type"],
  ["no seccomp type", { securityContext: { seccompProfile: {} } }, "Required spec.securityContext.seccompProfile.type"],
  [
    "no seccomp file",
    { securityContext: { seccompProfile: { type: "Localhost" } } },
    "Required spec.securityContext.seccompProfile.localhostProfile",
  ],
  [
    "needless seccomp file",
    { securityContext: { seccompProfile: { type: "Unconfined", localhostProfile: "x" } } },
    "Invalid spec.securityContext.seccompProfile.localhostProfile",
  ],
  [
    "blank apparmor profile",
    { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "x " } } },
    "Invalid spec.securityContext.appArmorProfile.localhostProfile",
  ],
  ["change policy", { securityContext: { fsGroupChangePolicy: "Never" } }, "NotSupported spec.securityContext.fsGroupChangePolicy"],
  ["sysctl name", { securityContext: { sysctls: [{ name: "A", value: "1" }] } }, "Invalid spec.securityContext.sysctls[0].name"],
  [
    "sysctl twice",
    {
      securityContext: {
        sysctls: [
          { name: "net.a", value: "1" },
          { name: "net/a", value: "1" },
        ],
      },
    },
    "Duplicate spec.securityContext.sysctls[1].name",
  ],
  [
    "sysctl of the node",
    { hostNetwork: true, securityContext: { sysctls: [{ name: "net.a", value: "1" }] } },
    "Invalid spec.securityContext.sysctls[0].name",
  ],
  [
    "windows user",
    { securityContext: { windowsOptions: { runAsUserName: "a\\b\\c" } } },
    "Invalid spec.securityContext.windowsOptions.runAsUserName",
  ],
  ["host process without host network", { securityContext: { windowsOptions: { hostProcess: true } } }, "Invalid spec.hostNetwork"],
  [
    "host process of the pod only",
    {
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true } },
      ...container({ securityContext: { windowsOptions: { hostProcess: false } } }),
    },
    `Invalid ${first}.securityContext.windowsOptions.hostProcess`,
  ],
  ["operating system", { os: { name: "beos" } }, "NotSupported spec.os"],
  ["no operating system", { os: {} }, "Required spec.os.name"],
  [
    "windows options on linux",
    { os: { name: "linux" }, securityContext: { windowsOptions: {} } },
    "Forbidden spec.securityContext.windowsOptions",
  ],
  [
    "linux fields on windows",
    { os: { name: "windows" }, hostPID: true, ...container({ securityContext: { privileged: true } }) },
    "Forbidden spec.hostPID",
    `Forbidden ${first}.securityContext.privileged`,
  ],
  // affinity and spreading
  [
    "no node terms",
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    `Required ${nodeTerms}`,
  ],
  [
    "node values with Exists",
    nodeTerm({ matchExpressions: [{ key: "k", operator: "Exists", values: ["v"] }] }),
    `Forbidden ${nodeTerms}[0].matchExpressions[0].values`,
  ],
  ["no node values", nodeTerm({ matchExpressions: [{ key: "k", operator: "In" }] }), `Required ${nodeTerms}[0].matchExpressions[0].values`],
  [
    "two node values with Gt",
    nodeTerm({ matchExpressions: [{ key: "k", operator: "Gt", values: ["1", "2"] }] }),
    `Required ${nodeTerms}[0].matchExpressions[0].values`,
  ],
  [
    "node operator",
    nodeTerm({ matchExpressions: [{ key: "k", operator: "Like" }] }),
    `Invalid ${nodeTerms}[0].matchExpressions[0].operator`,
  ],
  [
    "node field",
    nodeTerm({ matchFields: [{ key: "metadata.uid", operator: "In", values: ["x"] }] }),
    `Invalid ${nodeTerms}[0].matchFields[0].key`,
  ],
  [
    "node field name",
    nodeTerm({ matchFields: [{ key: "metadata.name", operator: "In", values: ["_"] }] }),
    `Invalid ${nodeTerms}[0].matchFields[0].values[0]`,
  ],
  [
    "weight",
    { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] } } },
    "Invalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
  ],
  [
    "no topology key",
    podAffinity({ topologyKey: "" }),
    `Required ${podTerm}.topologyKey`,
    `Invalid ${podTerm}.topologyKey`,
    `Invalid ${podTerm}.topologyKey`,
  ],
  ["namespaces", podAffinity({ namespaces: ["A"] }), `Invalid ${podTerm}.namespace`],
  ["label keys without selector", podAffinity({ matchLabelKeys: ["a"] }), `Forbidden ${podTerm}.matchLabelKeys`],
  ["skew", spread({ maxSkew: 0 }), "Invalid spec.topologySpreadConstraints[0].maxSkew"],
  ["unsatisfiable", spread({ whenUnsatisfiable: "Wait" }), "NotSupported spec.topologySpreadConstraints[0].whenUnsatisfiable"],
  ["fewest domains", spread({ minDomains: 0 }), "Invalid spec.topologySpreadConstraints[0].minDomains"],
  [
    "domains without need",
    spread({ whenUnsatisfiable: "ScheduleAnyway", minDomains: 1 }),
    "Invalid spec.topologySpreadConstraints[0].minDomains",
  ],
  ["node policy", spread({ nodeTaintsPolicy: "Maybe" }), "NotSupported spec.topologySpreadConstraints[0].nodeTaintsPolicy"],
  [
    "spread label keys",
    spread({ labelSelector: { matchLabels: { a: "b" } }, matchLabelKeys: ["a"] }),
    "Invalid spec.topologySpreadConstraints[0].matchLabelKeys[0]",
  ],
  [
    "constraint twice",
    { topologySpreadConstraints: [1, 2].map((maxSkew) => ({ maxSkew, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" })) },
    "Duplicate spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
  ],
  // volumes
]

describe("wrong pods", () => {
  test.each<[string, JsonObject, ...string[]]>(wrong)("%s", (_name, spec, ...expected) =>
    expect(faults(decoded(spec)).sort()).toEqual([...expected].sort()),
  )
})

describe("annotations", () => {
  test.each<[string, string, ...string[]]>([
    ["controller.orch.io/pod-deletion-cost", "+1", "Invalid"],
    ["controller.orch.io/pod-deletion-cost", "2147483648", "Invalid"],
    ["controller.orch.io/pod-deletion-cost", "-10"],
    ["orch.io/config.mirror", "x", "Invalid"],
    ["seccomp.security.alpha.orch.io/pod", "mine", "Invalid"],
    ["seccomp.security.alpha.orch.io/pod", "localhost/a/b"],
    ["container.apparmor.security.beta.orch.io/b", "unconfined", "Invalid"],
    ["container.apparmor.security.beta.orch.io/a", "mine", "Invalid"],
    ["container.apparmor.security.beta.orch.io/a", "runtime/default"],
  ])("%s: %s", (name, value, ...types) => {
    const field = name.startsWith("seccomp.") ? `metadata.annotations.${name}` : `metadata.annotations[${name}]`
    expect(faults(decoded({}, { annotations: { [name]: value } }))).toEqual(types.map((type) => `${type} ${field}`))
  })
})

test("a profile with different values in annotation and field", () => {
  const name = "container.apparmor.security.beta.orch.io/a"
  const spec = container({ securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "x" } } })
  expect(faults(decoded(spec, { annotations: { [name]: "localhost/y" } }))).toEqual([
    `Forbidden ${first}.securityContext.appArmorProfile.type`,
  ])
  expect(faults(decoded(spec, { annotations: { [name]: "localhost/x" } }))).toEqual([])
})

describe("good pods", () => {
  test.each<[string, JsonObject]>([
    ["plain", {}],
    ["sidecar with probe", init({ restartPolicy: "Always", startupProbe: exec })],
    ["host network", { hostNetwork: true, ...port({}) }],
    [
      "same host port by protocol",
      container({
        ports: [
          { hostPort: 1, containerPort: 1 },
          { hostPort: 1, containerPort: 1, protocol: "UDP" },
        ],
      }),
    ],
    ["tolerates everything", { tolerations: [{ operator: "Exists" }] }],
    ["label of the pod", env({ fieldRef: { fieldPath: "metadata.labels['a.b/c']" } })],
    ["named port", container({ livenessProbe: { httpGet: { port: "http" } } })],
    ["device", container({ resources: { limits: { "a.b/gpu": "1" } } })],
    [
      "windows",
      {
        os: { name: "windows" },
        hostNetwork: true,
        securityContext: { windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" } },
      },
    ],
    [
      "bound claim",
      { ...volume({ persistentVolumeClaim: { claimName: "c" } }), ...container({ volumeDevices: [{ name: "v", devicePath: "/d" }] }) },
    ],
    [
      "claim of its own",
      volume({
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { labels: { a: "b" } },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      }),
    ],
    ["trailing dot", { dnsConfig: { searches: ["a.b."] } }],
  ])("%s", (_name, spec) => expect(faults(decoded(spec))).toEqual([]))
})
