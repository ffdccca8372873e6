/**
 * Which names a definition gets. A name belongs to the first definition of a group that asked for it. Rules and texts
 * are those of apiextensions-apiserver (pkg/controller/status).
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { typed } from "../../schema/typed.ts"

/** The names of a group that others have. */
export interface TakenNames {
  /** Plural, singular and short names. */
  readonly resources: ReadonlySet<string>
  /** Kinds and kinds of lists. */
  readonly kinds: ReadonlySet<string>
}

export interface AcceptedNames {
  readonly names: CustomResourceDefinitionNames
  /** Why some are refused. Undefined: all are accepted. */
  readonly conflict?: { readonly reason: string; readonly message: string }
}

/** Decides on the names that a definition asks for. A name that it has already stays its own. Pure. */
export function acceptNames({ spec, status }: CustomResourceDefinition, taken: TakenNames): AcceptedNames {
  const { names: asked } = spec
  const accepted = status.acceptedNames
  const names: CustomResourceDefinitionNames = { ...accepted }
  let conflict: AcceptedNames["conflict"]
  const decide = (field: "plural" | "singular" | "kind" | "listKind", reason: string, used: ReadonlySet<string>): void => {
    const name = asked[field] ?? ""
    if (name !== (accepted[field] ?? "") && used.has(name)) conflict = { reason, message: inUse(name) }
    else names[field] = name
  }
  decide("plural", "PluralConflict", taken.resources)
  decide("singular", "SingularConflict", taken.resources)
  if (!deepEqual(typed(asked.shortNames ?? []), typed(accepted.shortNames ?? []))) {
    const own = new Set(accepted.shortNames)
    const refused = (asked.shortNames ?? []).filter((name) => !own.has(name) && name !== "" && taken.resources.has(name))
    if (refused.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregated(refused.map(inUse)) }
    else replaceList(names, "shortNames", asked.shortNames)
  }
  decide("kind", "KindConflict", taken.kinds)
  decide("listKind", "ListKindConflict", taken.kinds)
  replaceList(names, "categories", asked.categories)
  return conflict === undefined ? { names } : { names, conflict }
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`
}

/** Several faults as one text, as the reference writes them. */
function aggregated(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`
}

function replaceList(names: CustomResourceDefinitionNames, field: "categories" | "shortNames", list: string[] | undefined): void {
  if (list === undefined || list.length === 0) delete names[field]
  else names[field] = list
}
