/**
 * Assigns names to definitions. A name belongs to the first definition of a group that asked for it. Rules and texts
 * are as in apiextensions-apiserver (pkg/controller/status).
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { KindTable } from "../../registry/kinds.ts"
import type { Kind } from "../../schema/kind.ts"
import { typed } from "../../schema/typed.ts"

/** Names of a group that are in use. */
export interface TakenNames {
  /** Plural, singular and short names. */
  readonly resources: ReadonlySet<string>
  /** Kinds and kinds of lists. */
  readonly kinds: ReadonlySet<string>
}

/** The names of several definitions, and of kinds present at the start. */
export function takenNames(definitions: Iterable<CustomResourceDefinitionNames>, fixed: readonly Kind[] = []): TakenNames {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const { plural, singular = "", shortNames = [], kind, listKind = "" } of definitions) {
    for (const each of [plural, singular, ...shortNames]) if (each !== "") resources.add(each)
    for (const each of [kind, listKind]) if (each !== "") kinds.add(each)
  }
  for (const kind of fixed) {
    for (const each of [kind.resource, kind.singular, ...kind.shortNames]) resources.add(each)
    kinds.add(kind.kind).add(kind.listKind)
  }
  return { resources, kinds }
}

/** The kinds of a group that were present at the start. `group`: as in a definition. */
export function fixedKinds({ kinds, vendor }: { readonly kinds: KindTable; readonly vendor: Vendor }, group: string): readonly Kind[] {
  const neutral = vendor.neutralGroup(group)
  if (!kinds.hasFixedGroup(neutral)) return []
  return kinds.all().filter((kind) => kind.group === neutral && kind.custom === undefined)
}

export interface AcceptedNames {
  readonly names: CustomResourceDefinitionNames
  /** Why some names are refused. Undefined: all are accepted. */
  readonly conflict?: { readonly reason: string; readonly message: string }
}

/** Decides on the names that a definition asks for. It keeps names that it already has. Pure. */
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
