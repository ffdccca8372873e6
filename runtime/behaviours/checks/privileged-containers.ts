/** Containers with the rights of their node need `--allow-privileged` (catalog validation.yaml: SecurityContext). */
import { defineCheck } from "../../schema/define.ts"
import type { SecurityContext } from "../../../generated/core/v1/shared/security-context/types.ts"

/** Called for the security context of each container, of pods and of templates. */
export const privilegedContainers = defineCheck<SecurityContext>(({ privileged }, context) => {
  if (privileged === true && !context.allowsPrivileged) context.fail("Forbidden", undefined, "disallowed by cluster policy", "privileged")
})
