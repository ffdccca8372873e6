/** Access reviews have no metadata but, for some, a namespace (catalog validation.yaml: SubjectAccessReview). */
import type { ObjectMeta } from "../../base/json.ts"
import { defineCheck } from "../../schema/define.ts"

/** Fields of metadata that the server itself sets. */
const ownFields = ["managedFields", "namespace"]

/** Called for each access review. */
export const emptyMetadata = defineCheck<{ metadata?: ObjectMeta }>(({ metadata = {} }, context) => {
  const { managedFields: _own, ...shown } = metadata
  const isEmpty = Object.entries(metadata).every(([name, value]) => ownFields.includes(name) || (value ?? null) === null)
  if (isEmpty) return
  const detail = metadata.namespace === undefined ? "must be empty" : "must be empty except for namespace"
  context.fail("Invalid", shown, detail, "metadata")
})
