/** Checks the keywords of one field together: constants that can be read, bounds that can be met. */
import type { JsonValue } from "../../runtime/base/json.ts"
import { durationFault } from "../../runtime/base/duration.ts"
import { parseQuantity } from "../../runtime/base/quantity.ts"
import { parseInstant } from "../../runtime/base/time.ts"
import type { FieldModel, TypeRefModel } from "../../model/model.ts"
import type { Block } from "./block.ts"
import type { SourceFile } from "./source.ts"
import { isScalar, itemType, shownType } from "./type-text.ts"

/** Called once per field whose type is known, after each keyword was checked alone. */
export function checkMeaning(model: FieldModel, block: Block, source: SourceFile): void {
  const report: Report = (word, found, expected) => source.report(block.start(word), { found, expected })
  for (const word of ["minimum", "maximum"] as const) {
    const bound = model[word]
    if (bound === undefined || !isScalar(model.type, "int32", "int64")) continue
    if (Number.isFinite(bound) && !Number.isInteger(bound)) report(word, `${word} ${bound} of whole numbers`, "a whole number")
    else if (isScalar(model.type, "int32") && Math.abs(bound) > 2 ** 31 && Number.isFinite(bound))
      report(word, `${word} ${bound} of an int32`, "a number of 32 bits, or type: int64")
  }
  if (/^\/.*\/[gimsuy]+$/.test(model.pattern ?? ""))
    report("pattern", `the pattern ${model.pattern}`, "the pattern alone; (?i) at its beginning ignores case")
  if (model.nullable === true) checkNullable(model, report)
  checkKeys(model, block, source, report)
}

/** Null is a third state beside absent and the values; these keywords leave no room for it. */
function checkNullable({ inline, pointer, keepEmpty, nonEmpty, requiredOn }: FieldModel, report: Report): void {
  if (!pointer) report("pointer", "pointer: false beside nullable", "no pointer: nullable implies pointer: true")
  if (inline) report("nullable", "nullable on an inline field, which is no value of its own", "a field that is not inline")
  if (keepEmpty) report("keepEmpty", "keepEmpty beside nullable: absent would be null", "one of keepEmpty, nullable")
  if (nonEmpty) report("nonEmpty", "nonEmpty beside nullable: null is empty", "required: true, or one of nonEmpty, nullable")
  if (requiredOn !== undefined) report("requiredOn", "requiredOn beside nullable: null is empty", "one of requiredOn, nullable")
}

/** Reports at the value of a keyword. */
type Report = (word: string, found: string, expected: string) => void

/** Describes a valid constant text of `type`; undefined when `value` can be read. */
export function textFault(type: TypeRefModel, value: JsonValue): string | undefined {
  if (typeof value !== "string" || !("scalar" in type)) return undefined
  if (type.scalar === "Quantity" && !readable(() => parseQuantity(value))) return 'a quantity, such as "500m" or "1Gi"'
  if (type.scalar === "Duration" && durationFault(value) !== undefined) return 'a duration, such as "90s" or "1h30m"'
  if (type.scalar === "Time" && !readable(() => parseInstant(value))) return 'a time, such as "2024-01-31T12:00:00Z"'
  if (type.scalar === "MicroTime" && !readable(() => parseInstant(value, "MicroTime")))
    return 'a time, such as "2024-01-31T12:00:00.000000Z"'
  if (type.scalar === "bytes" && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) return "base64"
  return undefined
}

function readable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

function checkKeys(model: FieldModel, block: Block, source: SourceFile, report: Report): void {
  const item = itemType(model.type)
  if (model.listType === "map" && block.get("mapKeys")?.node === "list" && block.items("mapKeys").length === 0)
    source.report(block.start("mapKeys"), { found: "mapKeys without a field", expected: "the fields that tell items apart: [name]" })
  if (model.listType === "set" && item !== undefined && "ref" in item)
    source.report(block.start("listType"), {
      found: `listType set on a list of ${item.ref}`,
      expected: "listType: map with mapKeys for structs, set for scalars",
    })
  if (model.patch?.includes("merge") === true && item !== undefined && !("scalar" in item) && !("ref" in item))
    report("patchStrategy", `patchStrategy merge on a list of ${shownType(item)}`, "replace: such items have no key to merge by")
  if (
    model.patch?.includes("merge") === true &&
    model.mergeKey === undefined &&
    item !== undefined &&
    "ref" in item &&
    !block.has("mergeKey")
  )
    source.report(block.start("patchStrategy"), {
      found: `patchStrategy merge without mergeKey on a list of ${item.ref}`,
      expected: "mergeKey: the field that tells items apart",
    })
}
