/** The name of a provisioner, in which the case of letters does not count (catalog validation.yaml: StorageClass). */
import { qualifiedNameFaults } from "../../schema/names.ts"
import { defineCheck } from "../../schema/define.ts"
import type { StorageClass } from "../../../generated/storage.orch.io/v1/storage-class/types.ts"

/** Called for each StorageClass. */
export const classProvisioner = defineCheck<StorageClass>(({ provisioner }, context) => {
  if (provisioner === "") return
  const name = provisioner.toLowerCase()
  for (const fault of qualifiedNameFaults(name)) context.fail("Invalid", name, fault, "provisioner")
})
