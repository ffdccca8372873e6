/** The generated Pod: what is filled in, what is refused and how each fault is called. */
import { describe, expect, test } from "vitest"
import { deployment } from "../../generated/apps/v1/deployment/resource.ts"
import { pod } from "../../generated/core/v1/pod/resource.ts"
import { Failures } from "../../runtime/kit/failure.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../runtime/kit/json.ts"
import { normalize } from "../../runtime/kit/normalize.ts"
import { vendorProfile } from "../../runtime/vendor.ts"

const vendor = vendorProfile("orch")
const parts = await pod.load()
const deploymentParts = await deployment.load()

/** A pod as it stands after decoding and defaulting. */
function decoded(spec: JsonObject, metadata: JsonObject = {}, status?: JsonObject): ApiObject {
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n", ...metadata }, spec: { containers: [{ name: "a", image: "i:1" }], ...spec }, ...(status !== undefined && { status }) }
  const { object } = normalize(parts.shape, body)
  parts.applyDefaults(object, { vendor })
  return object
}

function faults(object: ApiObject, old?: ApiObject, subresource?: string): string[] {
  const failures = new Failures()
  parts.validate(object, { failures, vendor, ...(old !== undefined && { old }), ...(subresource !== undefined && { subresource }) })
  return failures.list.map((failure) => `${failure.type} ${failure.field}`)
}

const container = (more: JsonObject): JsonObject => ({ containers: [{ name: "a", image: "i:1", ...more }] })
const init = (more: JsonObject): JsonObject => ({ initContainers: [{ name: "i", image: "i:1", ...more }] })
const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: "v", ...source }] })
const env = (valueFrom: JsonObject, value = ""): JsonObject => container({ env: [{ name: "E", valueFrom, value }] })
const mounts = (more: JsonObject, withContainer: JsonObject = {}): JsonObject => ({ ...volume({}), ...container({ volumeMounts: [{ name: "v", mountPath: "/m", ...more }], ...withContainer }) })
const port = (more: JsonObject): JsonObject => container({ ports: [{ containerPort: 80, ...more }] })
const projected = (...sources: JsonObject[]): JsonObject => ({ serviceAccountName: "s", ...volume({ projected: { sources } }) })
const podAffinity = (term: JsonObject): JsonObject => ({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", ...term }] } } })
const nodeTerm = (term: JsonObject): JsonObject => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } } })
const spread = (more: JsonObject): JsonObject => ({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule", ...more }] })
const nodeTerms = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
const podTerm = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
const first = "spec.containers[0]"
const exec = { exec: { command: ["x"] } }

/** A spec beside one good container, and every fault it has. */
const wrong: [string, JsonObject, ...string[]][] = [
  ["no containers", { containers: [] }, "Required spec.containers"],
  ["no name", { containers: [{ image: "i:1" }] }, `Required ${first}.name`],
  ["name is no label", { containers: [{ name: "A_b", image: "i:1" }] }, `Invalid ${first}.name`],
  ["no image", { containers: [{ name: "a" }] }, `Required ${first}.image`],
  ["blank around image", container({ image: " i:1" }), `Invalid ${first}.image`],
  ["name twice", { containers: [{ name: "a", image: "i" }, { name: "a", image: "i" }] }, "Duplicate spec.containers[1].name"],
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
  ["dns policy None without servers", { dnsPolicy: "None" }, "Required spec.dnsConfig.nameservers"],
  ["four name servers", { dnsConfig: { nameservers: ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"] } }, "Invalid spec.dnsConfig.nameservers"],
  ["name server is no address", { dnsConfig: { nameservers: ["x"] } }, "Invalid spec.dnsConfig.nameservers[0]"],
  ["search path", { dnsConfig: { searches: ["a.b.", "_x_"] } }, "Invalid spec.dnsConfig.searches"],
  ["dns option without name", { dnsConfig: { options: [{ value: "1" }] } }, "Required spec.dnsConfig.options[0].name"],
  ["deadline", { activeDeadlineSeconds: 0 }, "Invalid spec.activeDeadlineSeconds"],
  ["host name", { hostname: "a.b" }, "Invalid spec.hostname"],
  ["sub-domain", { subdomain: "A" }, "Invalid spec.subdomain"],
  ["node name", { nodeName: "A" }, "Invalid spec.nodeName"],
  ["runtime class", { runtimeClassName: "A" }, "Invalid spec.runtimeClassName"],
  ["preemption", { preemptionPolicy: "Sometimes" }, "NotSupported spec.preemptionPolicy"],
  ["node selector key", { nodeSelector: { "a b": "c" } }, "Invalid spec.nodeSelector"],
  ["process namespaces", { shareProcessNamespace: true, hostPID: true }, "Invalid spec.shareProcessNamespace"],
  ["host alias", { hostAliases: [{ ip: "x", hostnames: ["a", "_"] }] }, "Invalid spec.hostAliases[0].ip", "Invalid spec.hostAliases[0].hostnames[1]"],
  ["readiness gate", { readinessGates: [{ conditionType: "a b" }] }, "Invalid spec.readinessGates[0].conditionType"],
  ["gates and a node", { schedulingGates: [{ name: "g" }], nodeName: "n" }, "Forbidden spec.nodeName"],
  ["gate twice", { schedulingGates: [{ name: "g" }, { name: "g" }] }, "Duplicate spec.schedulingGates[1].name"],
  ["overhead", { overhead: { pens: "1" } }, "Invalid spec.overhead[pens]"],
  // tolerations
  ["toleration of everything", { tolerations: [{ operator: "Equal" }] }, "Invalid spec.tolerations[0].operator"],
  ["toleration operator", { tolerations: [{ key: "k", operator: "Like" }] }, "NotSupported spec.tolerations[0].operator"],
  ["toleration value with Exists", { tolerations: [{ key: "k", operator: "Exists", value: "v" }] }, "Invalid spec.tolerations[0].operator"],
  ["toleration seconds", { tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 1 }] }, "Invalid spec.tolerations[0].effect"],
  ["toleration effect", { tolerations: [{ key: "k", operator: "Exists", effect: "Some" }] }, "NotSupported spec.tolerations[0].effect"],
  // ports
  ["no port", port({ containerPort: 0 }), `Required ${first}.ports[0].containerPort`],
  ["port range", port({ containerPort: 70000 }), `Invalid ${first}.ports[0].containerPort`],
  ["host port range", port({ hostPort: 70000 }), `Invalid ${first}.ports[0].hostPort`],
  ["port name", port({ name: "A" }), `Invalid ${first}.ports[0].name`],
  ["protocol", port({ protocol: "ICMP" }), `NotSupported ${first}.ports[0].protocol`],
  ["port name twice", container({ ports: [{ name: "x", containerPort: 1 }, { name: "x", containerPort: 2 }] }), `Duplicate ${first}.ports[1].name`],
  ["host port twice", container({ ports: [{ hostPort: 1, containerPort: 1 }, { hostPort: 1, containerPort: 2 }] }), `Duplicate ${first}.ports[1].hostPort`],
  ["host network port", { hostNetwork: true, ...port({ hostPort: 81 }) }, `Invalid ${first}.ports[0].hostPort`],
  // environment
  ["variable without name", container({ env: [{ value: "x" }] }), `Required ${first}.env[0].name`],
  ["variable name", container({ env: [{ name: "1=", value: "x" }] }), `Invalid ${first}.env[0].name`],
  ["value and source", env({ fieldRef: { fieldPath: "metadata.name" } }, "x"), `Invalid ${first}.env[0].valueFrom`],
  ["no source", env({}), `Invalid ${first}.env[0].valueFrom`],
  ["two sources", env({ fieldRef: { fieldPath: "metadata.name" }, secretKeyRef: { name: "s", key: "k" } }), `Invalid ${first}.env[0].valueFrom`],
  ["field path", env({ fieldRef: { fieldPath: "spec.hostname" } }), `NotSupported ${first}.env[0].valueFrom.fieldRef.fieldPath`],
  ["no field path", env({ fieldRef: {} }), `Required ${first}.env[0].valueFrom.fieldRef.fieldPath`],
  ["resource", env({ resourceFieldRef: { resource: "limits.pens" } }), `NotSupported ${first}.env[0].valueFrom.resourceFieldRef.resource`],
  ["divisor", env({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }), `Invalid ${first}.env[0].valueFrom.resourceFieldRef.divisor`],
  ["config map without name and key", env({ configMapKeyRef: {} }), `Required ${first}.env[0].valueFrom.configMapKeyRef.key`, `Required ${first}.env[0].valueFrom.configMapKeyRef.name`],
  ["secret key", env({ secretKeyRef: { name: "s", key: "a/b" } }), `Invalid ${first}.env[0].valueFrom.secretKeyRef.key`],
  ["no envFrom source", container({ envFrom: [{}] }), `Invalid ${first}.envFrom[0]`],
  ["two envFrom sources", container({ envFrom: [{ configMapRef: { name: "c" }, secretRef: { name: "s" } }] }), `Invalid ${first}.envFrom[0]`],
  ["envFrom without name", container({ envFrom: [{ secretRef: {} }] }), `Required ${first}.envFrom[0].secretRef.name`],
  ["envFrom prefix", container({ envFrom: [{ prefix: "1", secretRef: { name: "s" } }] }), `Invalid ${first}.envFrom[0].prefix`],
  // mounts and devices
  ["mount of nothing", mounts({ name: "w" }), `NotFound ${first}.volumeMounts[0].name`],
  ["mount without path", mounts({ mountPath: "" }), `Required ${first}.volumeMounts[0].mountPath`],
  ["mount twice", { ...volume({}), ...container({ volumeMounts: [{ name: "v", mountPath: "/m" }, { name: "v", mountPath: "/m" }] }) }, `Invalid ${first}.volumeMounts[1].mountPath`],
  ["sub-path", mounts({ subPath: "/a/../b" }), `Invalid ${first}.volumeMounts[0].subPath`, `Invalid ${first}.volumeMounts[0].subPath`],
  ["two sub-paths", mounts({ subPath: "a", subPathExpr: "b" }), `Invalid ${first}.volumeMounts[0].subPathExpr`],
  ["propagation", mounts({ mountPropagation: "Both" }), `NotSupported ${first}.volumeMounts[0].mountPropagation`],
  ["propagation without privilege", mounts({ mountPropagation: "Bidirectional" }), `Forbidden ${first}.volumeMounts[0].mountPropagation`],
  ["device of an empty directory", { ...volume({}), ...container({ volumeDevices: [{ name: "v", devicePath: "/d" }] }) }, `Invalid ${first}.volumeDevices[0].name`],
  ["device path", { ...volume({ persistentVolumeClaim: { claimName: "c" } }), ...container({ volumeDevices: [{ name: "v", devicePath: "/d/../e" }] }) }, `Invalid ${first}.volumeDevices[0].devicePath`],
  // probes and hooks
  ["probe without action", container({ livenessProbe: {} }), `Required ${first}.livenessProbe`],
  ["probe with two actions", container({ livenessProbe: { ...exec, grpc: { port: 1 } } }), `Forbidden ${first}.livenessProbe.grpc`],
  ["probe without command", container({ readinessProbe: { exec: {} } }), `Required ${first}.readinessProbe.exec.command`],
  ["probe port", container({ readinessProbe: { httpGet: { port: 0 } } }), `Invalid ${first}.readinessProbe.httpGet.port`],
  ["probe port name", container({ readinessProbe: { tcpSocket: { port: "8080" } } }), `Invalid ${first}.readinessProbe.tcpSocket.port`],
  ["grpc port", container({ readinessProbe: { grpc: { port: 0 } } }), `Invalid ${first}.readinessProbe.grpc.port`],
  ["scheme", container({ readinessProbe: { httpGet: { port: 1, scheme: "FTP" } } }), `NotSupported ${first}.readinessProbe.httpGet.scheme`],
  ["header", container({ readinessProbe: { httpGet: { port: 1, httpHeaders: [{ name: "a b", value: "" }] } } }), `Invalid ${first}.readinessProbe.httpGet.httpHeaders[0].name`],
  ["negative period", container({ readinessProbe: { ...exec, periodSeconds: -1 } }), `Invalid ${first}.readinessProbe.periodSeconds`],
  ["liveness successes", container({ livenessProbe: { ...exec, successThreshold: 2 } }), `Invalid ${first}.livenessProbe.successThreshold`],
  ["startup successes", container({ startupProbe: { ...exec, successThreshold: 2 } }), `Invalid ${first}.startupProbe.successThreshold`],
  ["grace of readiness", container({ readinessProbe: { ...exec, terminationGracePeriodSeconds: 1 } }), `Invalid ${first}.readinessProbe.terminationGracePeriodSeconds`],
  ["grace of liveness", container({ livenessProbe: { ...exec, terminationGracePeriodSeconds: 0 } }), `Invalid ${first}.livenessProbe.terminationGracePeriodSeconds`],
  ["hook without action", container({ lifecycle: { preStop: {} } }), `Required ${first}.lifecycle.preStop`],
  ["long sleep", container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }), `Invalid ${first}.lifecycle.preStop.sleep.seconds`],
  // resources
  ["resource name", container({ resources: { limits: { pens: "1" } } }), `Invalid ${first}.resources.limits[pens]`, `Invalid ${first}.resources.requests[pens]`],
  ["negative", container({ resources: { requests: { cpu: "-1" } } }), `Invalid ${first}.resources.requests[cpu]`],
  ["request above limit", container({ resources: { limits: { cpu: "1" }, requests: { cpu: "1100m" } } }), `Invalid ${first}.resources.requests`],
  ["part of a device", container({ resources: { limits: { "a.b/gpu": "500m" } } }), `Invalid ${first}.resources.limits[a.b/gpu]`, `Invalid ${first}.resources.requests[a.b/gpu]`],
  ["device without limit", container({ resources: { requests: { "a.b/gpu": "1" } } }), `Required ${first}.resources.limits`],
  ["device request below limit", container({ resources: { limits: { "a.b/gpu": "2" }, requests: { "a.b/gpu": "1" } } }), `Invalid ${first}.resources.requests`],
  ["huge pages alone", container({ resources: { limits: { "hugepages-2Mi": "4Mi" } } }), `Forbidden ${first}.resources`],
  ["broken huge page", container({ resources: { limits: { cpu: "1", "hugepages-2Mi": "3Mi" } } }), `Invalid ${first}.resources.limits[hugepages-2Mi]`, `Invalid ${first}.resources.requests[hugepages-2Mi]`],
  // security
  ["user", container({ securityContext: { runAsUser: -1 } }), `Invalid ${first}.securityContext.runAsUser`],
  ["group of the pod", { securityContext: { fsGroup: 4294967296 } }, "Invalid spec.securityContext.fsGroup"],
  ["more groups", { securityContext: { supplementalGroups: [1, -1] } }, "Invalid spec.securityContext.supplementalGroups[1]"],
  ["privileged without escalation", container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }), `Invalid ${first}.securityContext`],
  ["administrator without escalation", container({ securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } } }), `Invalid ${first}.securityContext`],
  ["seccomp type", { securityContext: { seccompProfile: { type: "Mine" } } }, "NotSupported spec.securityContext.seccompProfile.type"],
  ["no seccomp type", { securityContext: { seccompProfile: {} } }, "Required spec.securityContext.seccompProfile.type"],
  ["no seccomp file", { securityContext: { seccompProfile: { type: "Localhost" } } }, "Required spec.securityContext.seccompProfile.localhostProfile"],
  ["needless seccomp file", { securityContext: { seccompProfile: { type: "Unconfined", localhostProfile: "x" } } }, "Invalid spec.securityContext.seccompProfile.localhostProfile"],
  ["blank apparmor profile", { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "x " } } }, "Invalid spec.securityContext.appArmorProfile.localhostProfile"],
  ["change policy", { securityContext: { fsGroupChangePolicy: "Never" } }, "NotSupported spec.securityContext.fsGroupChangePolicy"],
  ["sysctl name", { securityContext: { sysctls: [{ name: "A", value: "1" }] } }, "Invalid spec.securityContext.sysctls[0].name"],
  ["sysctl twice", { securityContext: { sysctls: [{ name: "net.a", value: "1" }, { name: "net/a", value: "1" }] } }, "Duplicate spec.securityContext.sysctls[1].name"],
  ["sysctl of the node", { hostNetwork: true, securityContext: { sysctls: [{ name: "net.a", value: "1" }] } }, "Invalid spec.securityContext.sysctls[0].name"],
  ["windows user", { securityContext: { windowsOptions: { runAsUserName: "a\\b\\c" } } }, "Invalid spec.securityContext.windowsOptions.runAsUserName"],
  ["host process without host network", { securityContext: { windowsOptions: { hostProcess: true } } }, "Invalid spec.hostNetwork"],
  ["host process of the pod only", { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } }, ...container({ securityContext: { windowsOptions: { hostProcess: false } } }) }, `Invalid ${first}.securityContext.windowsOptions.hostProcess`],
  ["operating system", { os: { name: "beos" } }, "NotSupported spec.os.name"],
  ["no operating system", { os: {} }, "Required spec.os.name"],
  ["windows options on linux", { os: { name: "linux" }, securityContext: { windowsOptions: {} } }, "Forbidden spec.securityContext.windowsOptions"],
  ["linux fields on windows", { os: { name: "windows" }, hostPID: true, ...container({ securityContext: { privileged: true } }) }, "Forbidden spec.hostPID", `Forbidden ${first}.securityContext.privileged`],
  // affinity and spreading
  ["no node terms", { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } }, `Required ${nodeTerms}`],
  ["node values with Exists", nodeTerm({ matchExpressions: [{ key: "k", operator: "Exists", values: ["v"] }] }), `Forbidden ${nodeTerms}[0].matchExpressions[0].values`],
  ["no node values", nodeTerm({ matchExpressions: [{ key: "k", operator: "In" }] }), `Required ${nodeTerms}[0].matchExpressions[0].values`],
  ["two node values with Gt", nodeTerm({ matchExpressions: [{ key: "k", operator: "Gt", values: ["1", "2"] }] }), `Required ${nodeTerms}[0].matchExpressions[0].values`],
  ["node operator", nodeTerm({ matchExpressions: [{ key: "k", operator: "Like" }] }), `NotSupported ${nodeTerms}[0].matchExpressions[0].operator`],
  ["node field", nodeTerm({ matchFields: [{ key: "metadata.uid", operator: "In", values: ["x"] }] }), `Invalid ${nodeTerms}[0].matchFields[0].key`],
  ["node field name", nodeTerm({ matchFields: [{ key: "metadata.name", operator: "In", values: ["_"] }] }), `Invalid ${nodeTerms}[0].matchFields[0].values[0]`],
  ["weight", { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] } } }, "Invalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight"],
  ["no topology key", podAffinity({ topologyKey: "" }), `Required ${podTerm}.topologyKey`],
  ["namespaces", podAffinity({ namespaces: ["A"] }), `Invalid ${podTerm}.namespaces[0]`],
  ["label keys without selector", podAffinity({ matchLabelKeys: ["a"] }), `Forbidden ${podTerm}.matchLabelKeys`],
  ["skew", spread({ maxSkew: 0 }), "Invalid spec.topologySpreadConstraints[0].maxSkew"],
  ["unsatisfiable", spread({ whenUnsatisfiable: "Wait" }), "NotSupported spec.topologySpreadConstraints[0].whenUnsatisfiable"],
  ["fewest domains", spread({ minDomains: 0 }), "Invalid spec.topologySpreadConstraints[0].minDomains"],
  ["domains without need", spread({ whenUnsatisfiable: "ScheduleAnyway", minDomains: 1 }), "Invalid spec.topologySpreadConstraints[0].minDomains"],
  ["node policy", spread({ nodeTaintsPolicy: "Maybe" }), "NotSupported spec.topologySpreadConstraints[0].nodeTaintsPolicy"],
  ["spread label keys", spread({ labelSelector: { matchLabels: { a: "b" } }, matchLabelKeys: ["a"] }), "Invalid spec.topologySpreadConstraints[0].matchLabelKeys"],
  ["constraint twice", { topologySpreadConstraints: [1, 2].map((maxSkew) => ({ maxSkew, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" })) }, "Duplicate spec.topologySpreadConstraints[1]"],
  // volumes
  ["volume without name", { volumes: [{ emptyDir: {} }] }, "Required spec.volumes[0].name"],
  ["volume twice", { volumes: [{ name: "v" }, { name: "v" }] }, "Duplicate spec.volumes[1].name"],
  ["two sources of a volume", volume({ emptyDir: {}, nfs: { server: "s", path: "/p" } }), "Forbidden spec.volumes[0].nfs"],
  ["medium", volume({ emptyDir: { medium: "Tape" } }), "NotSupported spec.volumes[0].emptyDir.medium"],
  ["host path", volume({ hostPath: { path: "/a/../b", type: "Link" } }), "NotSupported spec.volumes[0].hostPath.type", "Invalid spec.volumes[0].hostPath.path"],
  ["secret without name", volume({ secret: {} }), "Required spec.volumes[0].secret.secretName"],
  ["mode", volume({ secret: { secretName: "s", defaultMode: 512 } }), "Invalid spec.volumes[0].secret.defaultMode"],
  ["item path", volume({ configMap: { name: "c", items: [{ key: "k", path: "../x" }] } }), "Invalid spec.volumes[0].configMap.items[0].path", "Invalid spec.volumes[0].configMap.items[0].path"],
  ["config map without name", volume({ configMap: {} }), "Required spec.volumes[0].configMap.name"],
  ["claim without name", volume({ persistentVolumeClaim: {} }), "Required spec.volumes[0].persistentVolumeClaim.claimName"],
  ["nfs path", volume({ nfs: { server: "s", path: "p" } }), "Invalid spec.volumes[0].nfs.path"],
  ["iscsi", volume({ iscsi: { targetPortal: "t", iqn: "x", lun: 256, chapAuthSession: true } }), "Invalid spec.volumes[0].iscsi.lun", "Invalid spec.volumes[0].iscsi.iqn", "Required spec.volumes[0].iscsi.secretRef"],
  ["iscsi initiator", volume({ iscsi: { targetPortal: "t".repeat(63), iqn: "iqn.2001-04.com.example", lun: 0, initiatorName: "eui.0123456789abcdef" } }), "TooLong spec.volumes[0].iscsi.targetPortal"],
  ["fibre channel", volume({ fc: { targetWWNs: ["a"] } }), "Required spec.volumes[0].fc.lun"],
  ["flocker", volume({ flocker: {} }), "Required spec.volumes[0].flocker"],
  ["azure disk", volume({ azureDisk: { diskName: "d", diskURI: "ftp://x" } }), "NotSupported spec.volumes[0].azureDisk.diskURI"],
  ["quobyte", volume({ quobyte: { registry: "r", volume: "v", tenant: "t".repeat(65) } }), "Invalid spec.volumes[0].quobyte.registry", "Required spec.volumes[0].quobyte.tenant"],
  ["flex option", volume({ flexVolume: { driver: "d", options: { "x.orch.io/a": "b" } } }), "Invalid spec.volumes[0].flexVolume.options"],
  ["csi driver", volume({ csi: { driver: "a_b" } }), "Invalid spec.volumes[0].csi.driver"],
  ["csi secret", volume({ csi: { driver: "d", nodePublishSecretRef: {} } }), "Required spec.volumes[0].csi.nodePublishSecretRef.name"],
  ["no claim template", volume({ ephemeral: {} }), "Required spec.volumes[0].ephemeral.volumeClaimTemplate"],
  [
    "claim template",
    volume({ ephemeral: { volumeClaimTemplate: { metadata: { name: "x" }, spec: { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"], resources: { requests: { storage: "0" } } } } } }),
    "Forbidden spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes",
    "Invalid spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]",
    "Forbidden spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name",
  ],
  ["downward file", volume({ downwardAPI: { items: [{ path: "p" }] } }), "Required spec.volumes[0].downwardAPI.items[0]"],
  ["downward field", volume({ downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "status.podIP" } }] } }), "NotSupported spec.volumes[0].downwardAPI.items[0].fieldRef.fieldPath"],
  ["downward container", volume({ downwardAPI: { items: [{ path: "p", resourceFieldRef: { resource: "limits.cpu" } }] } }), "Required spec.volumes[0].downwardAPI.items[0].resourceFieldRef.containerName"],
  ["two projections in one", projected({ secret: { name: "s" }, configMap: { name: "c" } }), "Forbidden spec.volumes[0].projected.sources[0].configMap"],
  ["projected secret", projected({ secret: {} }), "Required spec.volumes[0].projected.sources[0].secret.name"],
  ["token life", projected({ serviceAccountToken: { path: "t", expirationSeconds: 1 } }), "Invalid spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds"],
  ["projected path twice", projected({ serviceAccountToken: { path: "t" } }, { secret: { name: "s", items: [{ key: "k", path: "t" }] } }), "Invalid spec.volumes[0].projected.sources[1]"],
  ["token of nobody", volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }), "Forbidden spec.volumes[0].projected.sources[0].serviceAccountToken"],
]

describe("wrong pods", () => {
  test.each<[string, JsonObject, ...string[]]>(wrong)("%s", (_name, spec, ...expected) => expect(faults(decoded(spec)).sort()).toEqual([...expected].sort()))
})

describe("annotations", () => {
  test.each<[string, string, ...string[]]>([
    ["controller.orch.io/pod-deletion-cost", "+1", "Invalid"],
    ["controller.orch.io/pod-deletion-cost", "2147483648", "Invalid"],
    ["controller.orch.io/pod-deletion-cost", "-10"],
    ["orch.io/config.mirror", "x", "Required"],
    ["seccomp.security.alpha.orch.io/pod", "mine", "Invalid"],
    ["seccomp.security.alpha.orch.io/pod", "localhost/a/b"],
    ["container.apparmor.security.beta.orch.io/b", "unconfined", "Invalid"],
    ["container.apparmor.security.beta.orch.io/a", "mine", "Invalid"],
    ["container.apparmor.security.beta.orch.io/a", "runtime/default"],
  ])("%s: %s", (name, value, ...types) => {
    expect(faults(decoded({}, { annotations: { [name]: value } }))).toEqual(types.map((type) => `${type} metadata.annotations[${name}]`))
  })
})

test("a profile that annotation and field call differently", () => {
  const name = "container.apparmor.security.beta.orch.io/a"
  const spec = container({ securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "x" } } })
  expect(faults(decoded(spec, { annotations: { [name]: "localhost/y" } }))).toEqual([`Forbidden ${first}.securityContext.appArmorProfile`])
  expect(faults(decoded(spec, { annotations: { [name]: "localhost/x" } }))).toEqual([])
})

describe("good pods", () => {
  test.each<[string, JsonObject]>([
    ["plain", {}],
    ["sidecar with probe", init({ restartPolicy: "Always", startupProbe: exec })],
    ["host network", { hostNetwork: true, ...port({}) }],
    ["same host port by protocol", container({ ports: [{ hostPort: 1, containerPort: 1 }, { hostPort: 1, containerPort: 1, protocol: "UDP" }] })],
    ["tolerates everything", { tolerations: [{ operator: "Exists" }] }],
    ["label of the pod", env({ fieldRef: { fieldPath: "metadata.labels['a.b/c']" } })],
    ["named port", container({ livenessProbe: { httpGet: { port: "http" } } })],
    ["device", container({ resources: { limits: { "a.b/gpu": "1" } } })],
    ["windows", { os: { name: "windows" }, hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" } } }],
    ["bound claim", { ...volume({ persistentVolumeClaim: { claimName: "c" } }), ...container({ volumeDevices: [{ name: "v", devicePath: "/d" }] }) }],
    ["claim of its own", volume({ ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: "b" } }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } } } })],
    ["trailing dot", { dnsConfig: { searches: ["a.b.", "."] } }],
  ])("%s", (_name, spec) => expect(faults(decoded(spec))).toEqual([]))
})

describe("defaults", () => {
  function at(object: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
    let value = object
    for (const step of path) value = Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined
    return value
  }

  test("a plain pod", () => {
    const object = decoded({})
    expect(object["spec"]).toEqual({
      containers: [{ name: "a", image: "i:1", resources: {}, terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File", imagePullPolicy: "IfNotPresent" }],
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
    ["requests from limits", container({ resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } } }), ["containers", 0, "resources", "requests"], { cpu: "1", memory: "1Gi" }],
    ["host ports", { hostNetwork: true, ...port({}) }, ["containers", 0, "ports", 0, "hostPort"], 80],
    ["protocol", port({}), ["containers", 0, "ports", 0, "protocol"], "TCP"],
    ["volume without source", volume({}), ["volumes", 0], { name: "v", emptyDir: {} }],
    ["volume with source", volume({ configMap: { name: "c" } }), ["volumes", 0], { name: "v", configMap: { name: "c", defaultMode: 420 } }],
    ["host path type", volume({ hostPath: { path: "/" } }), ["volumes", 0, "hostPath", "type"], ""],
    ["token life", projected({ serviceAccountToken: { path: "t" } }), ["volumes", 0, "projected", "sources", 0, "serviceAccountToken", "expirationSeconds"], 3600],
    ["probe", container({ livenessProbe: { httpGet: { port: 1 } } }), ["containers", 0, "livenessProbe"], { httpGet: { path: "/", port: 1, scheme: "HTTP" }, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }],
    ["grpc service", container({ livenessProbe: { grpc: { port: 1 } } }), ["containers", 0, "livenessProbe", "grpc", "service"], ""],
    ["field version", env({ fieldRef: { fieldPath: "metadata.name" } }), ["containers", 0, "env", 0, "valueFrom", "fieldRef", "apiVersion"], "v1"],
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
    ["another container", {}, { containers: [{ name: "a", image: "i:1" }, { name: "b", image: "i:1" }] }, "Forbidden spec.containers"],
    ["an init container less", init({}), {}, "Forbidden spec.initContainers"],
    ["node", {}, { nodeName: "n" }, "Forbidden spec"],
    ["deadline set", {}, { activeDeadlineSeconds: 5 }],
    ["deadline lowered", { activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 4 }],
    ["deadline raised", { activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 6 }, "Invalid spec.activeDeadlineSeconds"],
    ["deadline removed", { activeDeadlineSeconds: 5 }, {}, "Invalid spec.activeDeadlineSeconds"],
    ["toleration added", {}, { tolerations: [{ operator: "Exists" }] }],
    ["toleration removed", { tolerations: [{ operator: "Exists" }] }, {}, "Forbidden spec.tolerations"],
    ["toleration seconds", { tolerations: [{ operator: "Exists", effect: "NoExecute" }] }, { tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 3 }] }],
    ["broken grace mended", { terminationGracePeriodSeconds: -1 }, { terminationGracePeriodSeconds: 1 }],
    ["grace", {}, { terminationGracePeriodSeconds: 5 }, "Forbidden spec"],
    ["gate removed", gate, {}],
    ["gate added", {}, gate, "Forbidden spec.schedulingGates[0]"],
    ["node selector", {}, { nodeSelector: { a: "b" } }, "Forbidden spec"],
    ["node selector narrowed while gated", gate, gated({ nodeSelector: { a: "b" } })],
    ["node selector changed while gated", gated({ nodeSelector: { a: "b" } }), gated({ nodeSelector: { a: "c" } }), "Invalid spec.nodeSelector"],
    ["node affinity set while gated", gate, gated(nodeTerm({ matchExpressions: [zone("a")] }))],
    ["node affinity narrowed", gated(nodeTerm({ matchExpressions: [zone("a")] })), gated(nodeTerm({ matchExpressions: [zone("a"), { key: "k", operator: "Exists" }] }))],
    ["node affinity widened", gated(nodeTerm({ matchExpressions: [zone("a")] })), gated(nodeTerm({ matchExpressions: [zone("a", "b")] })), `Invalid ${nodeTerms}[0]`],
    ["pod affinity while gated", gate, gated(podAffinity({})), "Forbidden spec"],
  ])("%s", (_name, before, after, ...expected) => expect(faults(decoded(after), decoded(before))).toEqual(expected))

  test("mirror and AppArmor annotations stay", () => {
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
    ["resources", [], [{ name: "e", image: "i:1", resources: { limits: { cpu: "1" } } }], "Forbidden spec.ephemeralContainers[0].resources"],
  ])("ephemeral container %s", (_name, before, after, ...expected) => {
    expect(faults(decoded({ ephemeralContainers: after }), decoded({ ephemeralContainers: before }), "ephemeralcontainers")).toEqual(expected)
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
    ["class", {}, { qosClass: "Burstable" }, { qosClass: "Guaranteed" }, "Invalid status.qosClass"],
    ["addresses", {}, {}, { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] }, "Invalid status.podIPs"],
    ["address", {}, {}, { podIPs: [{ ip: "x" }] }, "Invalid status.podIPs[0].ip"],
    ["node address", {}, {}, { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.2" }] }, "Invalid status.hostIPs[0].ip"],
    ["new condition type", {}, {}, { conditions: [{ type: "a b", status: "True" }] }, "Invalid status.conditions[0].type"],
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
    ["node affinity", nodeTerm({ matchExpressions: [{ key: "beta.orch.io/arch", operator: "Exists" }] }), `${nodeTerms}[0].matchExpressions[0].key: beta.orch.io/arch is ${renamed}`],
    ["pod affinity", podAffinity({}), `${podTerm}.labelSelector: ${nothing}`],
    ["spreading", spread({}), `spec.topologySpreadConstraints[0].labelSelector: ${nothing}`],
    ["alias twice", { hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }] }, 'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"'],
    ["pull secrets", { imagePullSecrets: [{ name: "s" }, { name: "s" }, {}] }, 'spec.imagePullSecrets[1].name: duplicate name "s"', 'spec.imagePullSecrets[2].name: invalid empty name ""'],
    ["old volume", volume({ gitRepo: { repository: "r" } }), "spec.volumes[0].gitRepo: deprecated in v1.11"],
    [
      "hidden token",
      projected({ serviceAccountToken: { path: "a/b" } }, { secret: { name: "s", items: [{ key: "k", path: "a" }] } }),
      'spec.volumes[0].projected.sources[1]: overlapping path "a" with "a/b" of spec.volumes[0].projected.sources[0]',
    ],
    ["part of a byte", container({ resources: { requests: { memory: "1m" } } }), `${first}.resources.requests[memory]: fractional byte value "1m" is invalid, must be an integer`],
    ["variable twice", container({ env: [{ name: "A" }, { name: "A" }] }), `${first}.env[1]: hides previous definition of "A", which may be dropped when using apply`],
    ["port twice", container({ ports: [{ containerPort: 1 }, { containerPort: 1 }] }), `${first}.ports[1]: duplicate port definition with ${first}.ports[0]`],
    [
      "overlapping ports",
      container({ ports: [{ containerPort: 1, hostPort: 1 }, { containerPort: 1, hostPort: 1, hostIP: "1.1.1.1" }] }),
      `${first}.ports[1]: overlapping port definition with ${first}.ports[0]`,
    ],
    ["address without port", port({ hostIP: "1.1.1.1" }), `${first}.ports[0]: hostIP set without hostPort: "1.1.1.1"`],
    ["grace", { terminationGracePeriodSeconds: -1 }, "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1."],
  ])("%s", (_name, spec, ...expected) => expect(warnings(decoded(spec))).toEqual(expected))

  test.each<[string, JsonObject, ...string[]]>([
    ["scheduler.alpha.orch.io/critical-pod", {}, 'non-functional in v1.16+; use the "priorityClassName" field instead'],
    ["seccomp.security.alpha.orch.io/pod", {}, 'non-functional in v1.27+; use the "seccompProfile" field instead'],
    ["seccomp.security.alpha.orch.io/pod", { securityContext: { seccompProfile: { type: "Unconfined" } } }],
    ["container.apparmor.security.beta.orch.io/a", {}, 'deprecated since v1.30; use the "appArmorProfile" field instead'],
  ])("annotation %s", (name, spec, ...expected) => {
    expect(warnings(decoded(spec, { annotations: { [name]: "unconfined" } }))).toEqual(expected.map((text) => `metadata.annotations[${name}]: ${text}`))
  })

  test("a name that is no label, on creation only", () => {
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
      ["Name", "p"], ["Ready", "0/1"], ["Status", "Pending"], ["Restarts", "0"], ["Age", "60m"], ["IP", "<none>"], ["Node", "<none>"], ["Nominated Node", "<none>"],
      ["Readiness Gates", "<none>"],
    ])
  })
})

describe("templates", () => {
  function made(spec: JsonObject, metadata: JsonObject = {}): ApiObject {
    const template = { metadata: { labels: { a: "b" }, ...metadata }, spec: { containers: [{ name: "a", image: "i:1" }], ...spec } }
    const { object } = normalize(deploymentParts.shape, { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } })
    deploymentParts.applyDefaults(object, { vendor })
    return object
  }

  test.each<[string, JsonObject, JsonObject, ...string[]]>([
    ["plain", {}, {}],
    ["blank around an image", container({ image: " i " }), {}],
    ["host network without host port", { hostNetwork: true, ...port({}) }, {}],
    ["no container name", { containers: [{ image: "i" }] }, {}, "Required spec.template.spec.containers[0].name"],
    ["ephemeral container", { ephemeralContainers: [{ name: "e", image: "i" }] }, {}, "Forbidden spec.template.spec.ephemeralContainers"],
    ["label", {}, { labels: { a: "b", c: "d e" } }, "Invalid spec.template.metadata.labels"],
    ["annotation key", {}, { annotations: { "a b": "" } }, "Invalid spec.template.metadata.annotations"],
    ["annotations too long", {}, { annotations: { a: "x".repeat(262_144) } }, "TooLong spec.template.metadata.annotations"],
    ["annotation", {}, { annotations: { "controller.orch.io/pod-deletion-cost": "x" } }, "Invalid spec.template.metadata.annotations[controller.orch.io/pod-deletion-cost]"],
  ])("%s", (_name, spec, metadata, ...expected) => {
    const failures = new Failures()
    deploymentParts.validate(made(spec, metadata), { failures, vendor })
    expect(failures.list.map((failure) => `${failure.type} ${failure.field}`)).toEqual(expected)
  })

  test("what only pods have filled in", () => {
    const object = made({ hostNetwork: true, ...container({ ports: [{ containerPort: 80 }], resources: { limits: { cpu: "1" } } }) })
    const text = JSON.stringify(object)
    expect(text).toContain('"terminationMessagePolicy":"File"')
    for (const word of ["hostPort", "requests", "enableServiceLinks"]) expect(text).not.toContain(word)
  })
})
