/** Namespaces in flow schemas (catalog validation.yaml: FlowSchema). */
import { defineCheck } from "../../schema/define.ts"
import { dnsLabelFaults } from "../../schema/names.ts"

/** Called for each rule about resources. The schema requires that there is a namespace. */
export const flowNamespaces = defineCheck<{ namespaces?: string[] | null }>((rule, context) => {
  const namespaces = rule.namespaces ?? []
  if (namespaces.includes("*")) {
    if (namespaces.length > 1) context.fail("Invalid", namespaces, "if '*' is present, must not specify other namespaces", "namespaces")
    return
  }
  for (const [index, namespace] of namespaces.entries()) {
    for (const fault of dnsLabelFaults(namespace))
      context.fail("Invalid", namespace, `each member of this list must be '*' or a DNS-1123 label; ${fault}`, `namespaces[${index}]`)
  }
})
