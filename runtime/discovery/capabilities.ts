/**
 * What this server can do that the API it serves does not promise: read by clients that would use it where it is there. The names are the
 * product's own under every vendor, and a capability's version grows when it takes or answers something else than before.
 */
import { fieldRequirementsMax, sortedObjectsMax, sortFieldsMax } from "../limits.ts"

/** A path that no API group can have (RFC 8615). */
export const capabilitiesPath = "/.well-known/orch/capabilities"

interface Capability {
  readonly name: string
  readonly version: number
  /** What can be asked for it: verbs of collections. */
  readonly verbs: readonly string[]
  /** Query parameters, and for those with a closed set of values the values. */
  readonly parameters: Readonly<Record<string, readonly string[]>>
  readonly limits?: Readonly<Record<string, number>>
  /** Where it is described. */
  readonly documentation: string
}

const capabilities: readonly Capability[] = [
  {
    name: "list-sort",
    version: 1,
    verbs: ["list"],
    parameters: { sortBy: [] },
    limits: { fields: sortFieldsMax, objectsPerPage: sortedObjectsMax },
    documentation: "docs/LISTS.md#sorting",
  },
  {
    name: "field-selector-extended",
    version: 1,
    verbs: ["deletecollection", "list", "watch"],
    parameters: { fieldSelectorSyntax: ["extended", "plain"], fieldSelector: [] },
    limits: { requirements: fieldRequirementsMax },
    documentation: "docs/LISTS.md#selecting-by-any-field",
  },
  {
    name: "list-count",
    version: 1,
    verbs: ["list"],
    parameters: { count: ["true", "false"] },
    documentation: "docs/LISTS.md#counting",
  },
]

/** The document, as the answer to a GET of its path. */
export function capabilitiesDocument(): Buffer {
  return Buffer.from(`${JSON.stringify({ kind: "Capabilities", version: 1, capabilities }, null, 2)}\n`)
}
