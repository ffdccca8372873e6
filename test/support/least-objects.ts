/** The least fields that a client must send to create an object of each built-in kind, besides its name. */
import type { JsonObject } from "../../runtime/base/json.ts"

const containers = [{ name: "c", image: "i" }]
const template = { metadata: { labels: { a: "b" } }, spec: { containers } }
const selected = { spec: { selector: { matchLabels: { a: "b" } }, template } }
const jobTemplate = { template: { spec: { restartPolicy: "Never", containers } } }

/** Made once with openssl: an elliptic key, CN=alice. */
const request = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIHaMIGBAgEAMB8xDTALBgNVBAoMBGRldnMxDjAMBgNVBAMMBWFsaWNlMFkwEwYH",
  "KoZIzj0CAQYIKoZIzj0DAQcDQgAEaWECJhgBFGLMfPwKDjNaFYIQaeIyC+PZ6VYq",
  "nJvCPvd0TIMGtuq1kHErkgbjcton4lPk4kgeHnXdBgE6tfxHxaAAMAoGCCqGSM49",
  "BAMCA0gAMEUCIHN+zvHAsDQqrlaQTMooGgeDQ4dKSDRvj+D7QKrqZOVKAiEAmemy",
  "HkeCYTZsOPQlG0yKnw5wizfOxDMn12vAgnzYxQ0=",
  "-----END CERTIFICATE REQUEST-----",
].join("\n")

/** Certificate of the same key, for a hundred years. */
const certificate = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBeDCCAR2gAwIBAgIUXB8w5MKlfmxsA+hK9Vb1ROa1U/0wCgYIKoZIzj0EAwIw",
  "EDEOMAwGA1UEAwwFYWxpY2UwIBcNMjYxMTI3MTAyNjM5WhgPMjEyNjExMDMxMDI2",
  "MzlaMBAxDjAMBgNVBAMMBWFsaWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
  "aWECJhgBFGLMfPwKDjNaFYIQaeIyC+PZ6VYqnJvCPvd0TIMGtuq1kHErkgbjcton",
  "4lPk4kgeHnXdBgE6tfxHxaNTMFEwHQYDVR0OBBYEFKdrk+aqF7tPZaowZFMIZM50",
  "uTX0MB8GA1UdIwQYMBaAFKdrk+aqF7tPZaowZFMIZM50uTX0MA8GA1UdEwEB/wQF",
  "MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAMvcMHNyaNa42p5EpGgl76RvAieqdwGi",
  "fLmvTRlfo5eDAiEAjImDRhfmZz0qvPt4tdYkTTR8ZY464WuMoYqLdnkgVqw=",
  "-----END CERTIFICATE-----",
].join("\n")

/** Least objects by kind; for events by group as well. A missing kind needs a name alone. */
export const leastObjects: Readonly<Record<string, JsonObject>> = {
  Pod: { spec: { containers } },
  PodTemplate: { template },
  Service: { spec: { ports: [{ port: 80 }] } },
  Deployment: selected,
  DaemonSet: selected,
  ReplicaSet: selected,
  StatefulSet: selected,
  ReplicationController: { spec: { selector: { a: "b" }, template } },
  ControllerRevision: { data: { a: 1 } },
  Job: { spec: jobTemplate },
  CronJob: { spec: { schedule: "0 0 * * *", jobTemplate: { spec: jobTemplate } } },
  PersistentVolume: { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], nfs: { server: "s", path: "/" } } },
  PersistentVolumeClaim: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  HorizontalPodAutoscaler: { spec: { scaleTargetRef: { kind: "Deployment", name: "a" }, maxReplicas: 1 } },
  CertificateSigningRequest: {
    spec: { request: Buffer.from(request).toString("base64"), signerName: "example.com/a", usages: ["any"] },
  },
  ClusterTrustBundle: { spec: { trustBundle: certificate } },
  IPAddress: { metadata: { name: "10.0.0.1" }, spec: { parentRef: { resource: "services", name: "a" } } },
  ServiceCIDR: { spec: { cidrs: ["10.1.0.0/16"] } },
  StorageVersionMigration: { spec: { resource: { version: "v1", resource: "secrets" } } },
  StorageVersion: { metadata: { name: "apps.deployments" }, spec: {} },
  VolumeAttributesClass: { driverName: "disks.example.com", parameters: { a: "b" } },
  ResourceClaim: { spec: { resourceClassName: "a" } },
  ResourceClaimTemplate: { spec: { spec: { resourceClassName: "a" } } },
  ResourceClass: { driverName: "disks.example.com" },
  ResourceSlice: { driverName: "disks.example.com" },
  PodSchedulingContext: { spec: {} },
  StorageClass: { provisioner: "example.com/disk" },
  CSIStorageCapacity: { storageClassName: "a" },
  VolumeAttachment: { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } },
  EndpointSlice: { addressType: "IPv4" },
  RuntimeClass: { handler: "a" },
  Ingress: { spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } } },
  IngressClass: { spec: { controller: "example.com/a" } },
  RoleBinding: { roleRef: { kind: "Role", name: "a" } },
  ClusterRoleBinding: { roleRef: { kind: "ClusterRole", name: "a" } },
  CustomResourceDefinition: {
    metadata: { name: "as.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "as", kind: "A" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: "catch-all" } } },
  PriorityLevelConfiguration: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
  APIService: {
    metadata: { name: "v1.elsewhere.example.com" },
    spec: { group: "elsewhere.example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 },
  },
  ValidatingAdmissionPolicy: {
    spec: {
      matchConstraints: { resourceRules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }] },
      validations: [{ expression: "true" }],
    },
  },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: "a", validationActions: ["Deny"] } },
  "v1 Event": { involvedObject: { namespace: "default" } },
  "events Event": {
    regarding: { namespace: "default" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/a",
    reportingInstance: "i",
    action: "A",
    reason: "R",
    type: "Normal",
  },
}
