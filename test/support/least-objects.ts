/** The least that a client must send to create an object of each built-in kind, besides its name. */
import type { JsonObject } from "../../runtime/base/json.ts"

const containers = [{ name: "c", image: "i" }]
const template = { metadata: { labels: { a: "b" } }, spec: { containers } }
const selected = { spec: { selector: { matchLabels: { a: "b" } }, template } }
const jobTemplate = { template: { spec: { restartPolicy: "Never", containers } } }

/** By kind; events by group as well. A kind that is missing needs a name alone. */
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
