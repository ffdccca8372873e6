/**
 * The capabilities of this server beyond the API that it serves, for clients that use them where they exist. The names
 * are the same under every vendor. The version of a capability grows when its input or output changes.
 */
import { fieldRequirementsMax, sortedObjectsMax, sortFieldsMax } from "../base/limits.ts"

/** A path that cannot belong to an API group (RFC 8615). */
export const capabilitiesPath = "/.well-known/orch/capabilities"

interface Capability {
  readonly name: string
  readonly version: number
  /** Verbs of collections that support the capability. */
  readonly verbs: readonly string[]
  /** Query parameters; a parameter with a closed set of values lists them. */
  readonly parameters: Readonly<Record<string, readonly string[]>>
  readonly limits?: Readonly<Record<string, number>>
  /** Address of the documentation. */
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

/** Returns the document served at `capabilitiesPath`. */
export function capabilitiesDocument(): Buffer {
  return Buffer.from(`${JSON.stringify({ kind: "Capabilities", version: 1, capabilities }, null, 2)}\n`)
}
