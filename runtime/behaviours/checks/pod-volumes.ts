/**
 * Claims that a pod uses against claims of its ephemeral volumes, which are named `<pod>-<volume>` (catalog
 * validation.yaml: Volume, `persistentVolumeClaim.claimName` and `ephemeral`). Templates have no pod name yet, so only
 * pods are checked.
 */
import type { JsonValue } from "../../base/json.ts"
import { dnsSubdomainFaults } from "../../schema/names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, objectAt, textOf } from "../pods/fields.ts"

/** Called for each pod spec. */
export function podVolumes(spec: JsonValue, context: CheckContext): void {
  const podName = context.root.metadata?.name ?? ""
  if (context.root.kind !== "Pod" || podName === "") return
  const volumes = listOf(spec, "volumes")
  const made = new Set(
    volumes.filter((volume) => volume["ephemeral"] !== undefined).map((volume) => `${podName}-${textOf(volume, "name")}`),
  )
  for (const [index, volume] of volumes.entries()) {
    const claimName = textOf(objectAt(volume, "persistentVolumeClaim"), "claimName")
    if (made.has(claimName)) {
      context.fail(
        "Invalid",
        claimName,
        "must not reference a PVC that gets created for an ephemeral volume",
        `volumes[${index}].persistentVolumeClaim.claimName`,
      )
    }
    if (volume["ephemeral"] === undefined) continue
    const name = textOf(volume, "name")
    const [fault] = dnsSubdomainFaults(`${podName}-${name}`)
    if (fault !== undefined) context.fail("Invalid", name, `PVC name "${podName}-${name}": ${fault}`, `volumes[${index}].name`)
  }
}
