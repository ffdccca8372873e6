/** The object whose keys become variables (catalog validation.yaml: EnvFromSource). */
import { defineCheck } from "../../schema/define.ts"
import { dnsSubdomainFaults } from "../../schema/names.ts"

/** Called for each reference to a ConfigMap or a Secret as a whole. */
export const envFromName = defineCheck<{ readonly name?: string }>(({ name = "" }, context) => {
  if (name === "") context.fail("Required", undefined, "", "name")
  else for (const fault of dnsSubdomainFaults(name)) context.fail("Invalid", name, fault, "name")
})
