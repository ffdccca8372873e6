/** Volumes that the generated Pod refuses, and the reason of each failure. */
import { expect, test } from "vitest"
import type { JsonObject } from "../../runtime/base/json.ts"
import { decoded, faults, projected, volume } from "./pods.ts"

test.each<[string, JsonObject, ...string[]]>([
  ["volume without name", { volumes: [{ emptyDir: {} }] }, "Required spec.volumes[0].name"],
  ["volume twice", { volumes: [{ name: "v" }, { name: "v" }] }, "Duplicate spec.volumes[1].name"],
  ["two sources of a volume", volume({ emptyDir: {}, nfs: { server: "s", path: "/p" } }), "Forbidden spec.volumes[0].nfs"],
  [
    "host path",
    volume({ hostPath: { path: "/a/../b", type: "Link" } }),
    "NotSupported spec.volumes[0].hostPath.type",
    "Invalid spec.volumes[0].hostPath.path",
  ],
  ["secret without name", volume({ secret: {} }), "Required spec.volumes[0].secret.secretName"],
  ["mode", volume({ secret: { secretName: "s", defaultMode: 512 } }), "Invalid spec.volumes[0].secret.defaultMode"],
  [
    "item path",
    volume({ configMap: { name: "c", items: [{ key: "k", path: "../x" }] } }),
    "Invalid spec.volumes[0].configMap.items[0].path",
  ],
  ["config map without name", volume({ configMap: {} }), "Required spec.volumes[0].configMap.name"],
  ["claim without name", volume({ persistentVolumeClaim: {} }), "Required spec.volumes[0].persistentVolumeClaim.claimName"],
  ["nfs path", volume({ nfs: { server: "s", path: "p" } }), "Invalid spec.volumes[0].nfs.path"],
  [
    "iscsi",
    volume({ iscsi: { targetPortal: "t", iqn: "x", lun: 256, chapAuthSession: true } }),
    "Invalid spec.volumes[0].iscsi.lun",
    "Invalid spec.volumes[0].iscsi.iqn",
    "Required spec.volumes[0].iscsi.secretRef",
  ],
  [
    "iscsi initiator",
    volume({ iscsi: { targetPortal: "t".repeat(63), iqn: "iqn.2001-04.com.example", lun: 0, initiatorName: "eui.0123456789abcdef" } }),
    "Invalid spec.volumes[0].name",
  ],
  ["fibre channel", volume({ fc: { targetWWNs: ["a"] } }), "Required spec.volumes[0].fc.lun"],
  ["flocker", volume({ flocker: {} }), "Required spec.volumes[0].flocker"],
  ["azure disk", volume({ azureDisk: { diskName: "d", diskURI: "ftp://x" } }), "NotSupported spec.volumes[0].azureDisk.diskURI"],
  ["quobyte", volume({ quobyte: { registry: "::1", volume: "v" } }), "Invalid spec.volumes[0].quobyte.registry"],
  [
    "tenant of quobyte",
    volume({ quobyte: { registry: "r", volume: "v", tenant: "t".repeat(65) } }),
    "Required spec.volumes[0].quobyte.tenant",
  ],
  [
    "flex option",
    volume({ flexVolume: { driver: "d", options: { "x.orch.io/a": "b" } } }),
    "Invalid spec.volumes[0].flexVolume.options[x.orch.io/a]",
  ],
  ["csi driver", volume({ csi: { driver: "a_b" } }), "Invalid spec.volumes[0].csi.driver"],
  ["csi secret", volume({ csi: { driver: "d", nodePublishSecretRef: {} } }), "Required spec.volumes[0].csi.nodePublishSecretRef.name"],
  ["no claim template", volume({ ephemeral: {} }), "Required spec.volumes[0].ephemeral.volumeClaimTemplate"],
  [
    "claim template",
    volume({
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: "x" },
          spec: { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"], resources: { requests: { storage: "0" } } },
        },
      },
    }),
    "Forbidden spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes",
    "Invalid spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]",
    "Forbidden spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name",
  ],
  ["downward file", volume({ downwardAPI: { items: [{ path: "p" }] } }), "Required spec.volumes[0].downwardAPI"],
  [
    "downward field",
    volume({ downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "status.podIP" } }] } }),
    "NotSupported spec.volumes[0].downwardAPI.fieldRef.fieldPath",
  ],
  [
    "downward container",
    volume({ downwardAPI: { items: [{ path: "p", resourceFieldRef: { resource: "limits.cpu" } }] } }),
    "Required spec.volumes[0].downwardAPI.resourceFieldRef.containerName",
  ],
  [
    "two projections in one",
    projected({ secret: { name: "s" }, configMap: { name: "c" } }),
    "Forbidden spec.volumes[0].projected.sources[0]",
  ],
  ["projected secret", projected({ secret: {} }), "Required spec.volumes[0].projected.sources[0].secret.name"],
  [
    "token life",
    projected({ serviceAccountToken: { path: "t", expirationSeconds: 1 } }),
    "Invalid spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds",
  ],
  [
    "projected path twice",
    projected({ serviceAccountToken: { path: "t" } }, { secret: { name: "s", items: [{ key: "k", path: "t" }] } }),
    "Invalid spec.volumes[0].projected",
  ],
  [
    "token without a service account",
    volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }),
    "Forbidden spec.volumes[0].projected.sources[0].serviceAccountToken",
  ],
])("%s", (_name, spec, ...expected) => expect(faults(decoded(spec)).sort()).toEqual([...expected].sort()))
