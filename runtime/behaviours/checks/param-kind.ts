/** The kind of a policy's parameters (catalog validation.yaml: ValidatingAdmissionPolicy). */
import type { ParamKind } from "../../../generated/admissionregistration.orch.io/v1/validating-admission-policy/types.ts"
import { defineCheck } from "../../schema/define.ts"
import { dns1035LabelFaults, dnsSubdomainFaults } from "../../schema/names.ts"

/** Called for each kind of parameters. */
export const paramKind = defineCheck<ParamKind>(({ apiVersion = "", kind = "" }, context) => {
  const invalid = (value: string, detail: string, at: string): void => context.fail("Invalid", value, detail, at)
  if (apiVersion !== "") {
    const parts = apiVersion.split("/")
    const [group, version] = parts.length === 1 ? ["", apiVersion] : parts
    if (parts.length > 2) invalid(apiVersion, `unexpected GroupVersion string: ${apiVersion}`, "apiVersion")
    else {
      const groupFaults = group === undefined || group === "" ? [] : dnsSubdomainFaults(group)
      if (group !== undefined && groupFaults.length > 0) invalid(group, groupFaults.join(","), "apiVersion")
      if (version === undefined || version === "") invalid(apiVersion, "version must be specified", "apiVersion")
      else {
        const faults = dns1035LabelFaults(version)
        if (faults.length > 0) invalid(version, faults.join(","), "apiVersion")
      }
    }
  }
  const faults = kind === "" ? [] : dns1035LabelFaults(kind.toLowerCase())
  if (faults.length > 0) invalid(kind, `may have mixed case, but should otherwise match: ${faults.join(",")}`, "kind")
})
