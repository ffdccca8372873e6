/** The secrets that a CSI driver is handed for a volume (catalog validation.yaml: PersistentVolume). */
import { formatFaults } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { CSIPersistentVolumeSource } from "../../../generated/core/v1/shared/persistent-volume-sources/types.ts"

/** The secret for staging is not checked in the reference. */
const checked = ["controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"] as const
const parts = [
  ["name", "dns-subdomain"],
  ["namespace", "dns-label"],
] as const

/** Called for the source of each volume of a CSI driver. */
export const volumeSecrets = defineCheck<CSIPersistentVolumeSource>((source, context) => {
  for (const field of checked) {
    const reference = source[field]
    if (reference === undefined) continue
    for (const [part, format] of parts) {
      const value = reference[part] ?? ""
      if (value === "") context.fail("Required", undefined, "", `${field}.${part}`)
      else for (const fault of formatFaults(format, value)) context.fail("Invalid", value, fault, `${field}.${part}`)
    }
  }
})
