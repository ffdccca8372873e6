/** Names that become the host names of pods. */
import { dnsLabelFaults } from "../../schema/names.ts"

/** Returns a warning that begins with `use` when a name is not a DNS label; none for the empty name. */
export function hostNameWarning(name: string, use: string): string[] {
  const faults = name === "" ? [] : dnsLabelFaults(name)
  if (faults.length === 0) return []
  return [`${use}, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`]
}
