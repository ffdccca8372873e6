/** The parent of an address, for the Table of addresses (catalog tables.yaml: IPAddress). */
import { defineCell } from "../../schema/define.ts"
import type { IPAddress } from "../../../generated/networking.orch.io/v1alpha1/ip-address/types.ts"

/** Called for each row. */
export const addressParent = defineCell<IPAddress>(({ spec: { parentRef } }) => {
  if (parentRef === undefined) return { text: "<none>" }
  const { group = "", resource = "", namespace = "", name = "" } = parentRef
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase()
  return { text: [kind, ...(namespace === "" ? [] : [namespace]), name].join("/") }
})
