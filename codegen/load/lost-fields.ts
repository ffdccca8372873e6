/** Fields of a version that the stored version has no place for: values that clients write there would be lost. */
import type { TypeRefModel } from "../../model/model.ts"
import type { KindContext, KindDeclaration } from "./kind-context.ts"
import type { KnownType, TypeTable } from "./type-table.ts"

/** Names of lost fields in one warning. */
const shownLost = 8

/**
 * Called for each version that is stored as another one. Warns of fields that the stored version has no place for. A
 * named conversion may find a place for each, so with it there is no warning.
 */
export function checkLostFields({ file, source, table, self, stored }: KindContext, target: KindDeclaration): void {
  const conversion = file.block.block("conversion")
  if (conversion?.has("behaviour") === true) return
  const renamed = (conversion?.members("rename") ?? []).map(({ key }) => key)
  const lost = lostFields(table, { here: self, stored }, renamed)
  if (lost.length === 0) return
  const few = lost.slice(0, shownLost).join(", ")
  const all = lost.length > shownLost ? `${few} and ${lost.length - shownLost} more` : few
  const there = `${target.version} ${target.kind}`
  source.warn(file.block.block("storage")?.start("sharedWith") ?? 0, {
    found: `${all} of ${file.version} ${file.kind}, which ${there} does not have: what clients write there is lost`,
    expected: `the same in ${there}, conversion.rename or conversion.behaviour`,
  })
}

interface Versions {
  readonly here: KnownType
  /** Undefined: the stored version has nothing at this place. */
  readonly stored: KnownType
}

/**
 * Returns the fields of one version that the other does not have, outermost first; `[]` are the items of a list or map.
 * `renamed`: paths from the root that `conversion.rename` moves.
 */
function lostFields(table: TypeTable, versions: Versions, renamed: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const lost: string[] = []
  below(versions, "")
  return lost

  function below({ here, stored }: Versions, path: string): void {
    if (here === undefined) return
    const [item, storedItem] = [itemOf(here), stored && itemOf(stored)]
    const isStruct = "ref" in here
    // Values without a type of their own keep all fields; other types are a fault of each value.
    const isOther = stored !== undefined && (isStruct ? !("ref" in stored) : storedItem === undefined)
    if (isOther) return
    if (item !== undefined) return below({ here: item, stored: storedItem }, `${path}[]`)
    if (!isStruct) return
    const there = stored !== undefined && "ref" in stored ? stored.ref : undefined
    const pair = `${here.ref} ${there ?? path}`
    if (here.ref === there || seen.has(pair)) return
    seen.add(pair)
    const fields = there === undefined ? undefined : table.fieldsByName(there)
    for (const [name, { type }] of table.fieldsByName(here.ref)) {
      const at = path === "" ? name : `${path}.${name}`
      if (renamed.includes(at)) continue
      const counterpart = fields?.get(name)
      if (counterpart !== undefined) below({ here: type, stored: counterpart.type }, at)
      else if (renamed.some((one) => one.startsWith(`${at}.`))) below({ here: type, stored: undefined }, at)
      else if (there === undefined || !table.preservesUnknown(there)) lost.push(at)
    }
  }
}

function itemOf(type: TypeRefModel): TypeRefModel | undefined {
  if ("list" in type) return type.list
  if ("map" in type) return type.map
  return "wrappedList" in type ? type.wrappedList : undefined
}
