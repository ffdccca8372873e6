/**
 * The old annotation with mount options is refused for volumes that cannot have any (catalog validation.yaml:
 * PersistentVolume).
 */
import { defineCheck } from "../../schema/define.ts"
import type { PersistentVolume } from "../../../generated/core/v1/persistent-volume/types.ts"

const annotation = "volume.beta.orch.io/mount-options"
const mounted = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const

/** Called for each volume. */
export const mountOptions = defineCheck<PersistentVolume>(({ metadata, spec }, context) => {
  const name = context.vendor.domain(annotation)
  if (metadata.annotations?.[name] === undefined || mounted.some((source) => spec[source] !== undefined)) return
  context.fail("Forbidden", undefined, "may not specify mount options for this volume type", `metadata.annotations.${name}`)
})
