/**
 * Claims that a pod uses against claims of its ephemeral volumes, which are named `<pod>-<volume>` (catalog
 * validation.yaml: Volume, `persistentVolumeClaim.claimName` and `ephemeral`). Templates have no pod name yet, so only
 * pods are checked.
 */
import { dnsSubdomainFaults } from "../../schema/names.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"

/** Called for each pod, not for its spec, which is validated by itself. */
export const podVolumes = defineCheck<Pod>(({ metadata, spec }, context) => {
  const podName = metadata.name ?? ""
  if (podName === "") return
  const { volumes = [] } = spec
  const made = new Set(volumes.filter((volume) => volume.ephemeral !== undefined).map((volume) => `${podName}-${volume.name}`))
  for (const [index, volume] of volumes.entries()) {
    const claimName = volume.persistentVolumeClaim?.claimName ?? ""
    if (made.has(claimName)) {
      context.fail(
        "Invalid",
        claimName,
        "must not reference a PVC that gets created for an ephemeral volume",
        `spec.volumes[${index}].persistentVolumeClaim.claimName`,
      )
    }
    if (volume.ephemeral === undefined) continue
    const { name } = volume
    const [fault] = dnsSubdomainFaults(`${podName}-${name}`)
    if (fault !== undefined) context.fail("Invalid", name, `PVC name "${podName}-${name}": ${fault}`, `spec.volumes[${index}].name`)
  }
})
