/** Finalizers of a namespace have a domain, or are standard ones (catalog validation.yaml: Namespace). */
import { defineCheck } from "../../schema/define.ts"
import type { NamespaceSpec } from "../../../generated/core/v1/namespace/types.ts"

const standard = ["orphan", "foregroundDeletion"]

/** Called for the spec of each namespace. */
export const namespaceFinalizers = defineCheck<NamespaceSpec>(({ finalizers = [] }, context) => {
  for (const finalizer of finalizers) {
    if (context.failures.full) return
    if (finalizer.includes("/") || finalizer === context.vendor.word || standard.includes(finalizer)) continue
    context.fail("Invalid", finalizer, "name is neither a standard finalizer name nor is it fully qualified", "finalizers")
  }
})
