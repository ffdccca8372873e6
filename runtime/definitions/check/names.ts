/** Names of a definition: group, scope, and the names in `spec.names` and `status.acceptedNames`. */
import type { Failures } from "../../base/failure.ts"
import { dns1035LabelFaults, dnsSubdomainFaults } from "../../schema/names.ts"
import type { DefinitionNames, DefinitionSpec } from "./definition-spec.ts"

export function checkGroup(group: string, failures: Failures): void {
  const field = "spec.group"
  if (group === "") return failures.add({ type: "Required", field, detail: "" })
  const faults = dnsSubdomainFaults(group)
  if (faults.length > 0) failures.add({ type: "Invalid", field, value: group, detail: faults.join(",") })
  else if (!group.includes(".")) failures.add({ type: "Invalid", field, value: group, detail: "should be a domain with at least one dot" })
}

/** Reports a missing or unsupported text. */
export function checkOneOf(field: string, value: string, supported: readonly string[], failures: Failures): void {
  if (value === "") failures.add({ type: "Required", field, detail: "" })
  else if (!supported.includes(value)) failures.add({ type: "NotSupported", field, value, detail: "", supported })
}

/** Checks `spec.names`, which must be complete: `names.singular` and `names.listKind` have defaults. */
export function checkSpecNames(spec: DefinitionSpec, failures: Failures): void {
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (spec.names[name] === "") failures.add({ type: "Required", field: `spec.names.${name}`, detail: "" })
  }
  checkNames(spec.names, "spec.names", failures)
}

/** Checks the names that are present. `path`: `spec.names` or `status.acceptedNames`. */
export function checkNames(names: DefinitionNames, path: string, failures: Failures): void {
  checkLabel(`${path}.plural`, names.plural, failures)
  checkLabel(`${path}.singular`, names.singular, failures)
  checkKind(`${path}.kind`, names.kind, failures)
  checkKind(`${path}.listKind`, names.listKind, failures)
  checkLabels(`${path}.shortNames`, names.shortNames, failures)
  if (names.kind !== "" && names.kind === names.listKind) {
    const detail = "kind and listKind may not be the same"
    failures.add({ type: "Invalid", field: `${path}.listKind`, value: names.listKind, detail })
  }
  checkLabels(`${path}.categories`, names.categories, failures)
}

function checkLabel(field: string, value: string, failures: Failures): void {
  if (value === "") return
  const faults = dns1035LabelFaults(value)
  if (faults.length > 0) failures.add({ type: "Invalid", field, value, detail: faults.join(",") })
}

function checkKind(field: string, value: string, failures: Failures): void {
  if (value === "") return
  const faults = dns1035LabelFaults(value.toLowerCase())
  if (faults.length === 0) return
  failures.add({ type: "Invalid", field, value, detail: `may have mixed case, but should otherwise match: ${faults.join(",")}` })
}

function checkLabels(path: string, values: readonly string[], failures: Failures): void {
  for (const [index, value] of values.entries()) {
    if (failures.full) return
    const faults = dns1035LabelFaults(value)
    if (faults.length > 0) failures.add({ type: "Invalid", field: `${path}[${index}]`, value, detail: faults.join(",") })
  }
}
