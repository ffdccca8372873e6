/** Checks what the keywords of one field mean together: constants that can be read, bounds that can be met. */
import type { JsonValue } from "../../runtime/base/json.ts"
import { durationFault } from "../../runtime/base/duration.ts"
import { parseQuantity } from "../../runtime/base/quantity.ts"
import { parseInstant } from "../../runtime/base/time.ts"
import { compilePattern } from "../../runtime/schema/expression.ts"
import { checkFormat, formatNames } from "../../runtime/schema/formats.ts"
import type { FieldModel } from "../../model/model.ts"
import type { Block } from "./block.ts"
import type { SourceFile } from "./source.ts"
import { isScalar, itemType } from "./type-text.ts"

/** Called once per field whose type is known, after each keyword was checked alone. */
export function checkMeaning(model: FieldModel, block: Block, source: SourceFile): void {
  const report = (word: string, found: string, expected: string): void => source.report(block.start(word), { found, expected })
  const fault = model.default === undefined ? undefined : defaultFault(model, model.default)
  if (fault !== undefined) report("default", `the default ${JSON.stringify(model.default)}`, fault)
  for (const word of ["minimum", "maximum"] as const) {
    const bound = model[word]
    if (bound === undefined || !isScalar(model.type, "int32", "int64")) continue
    if (Number.isFinite(bound) && !Number.isInteger(bound)) report(word, `${word} ${bound} of whole numbers`, "a whole number")
    else if (isScalar(model.type, "int32") && Math.abs(bound) > 2 ** 31 && Number.isFinite(bound))
      report(word, `${word} ${bound} of an int32`, "a number of 32 bits, or type: int64")
  }
  if (/^\/.*\/[gimsuy]+$/.test(model.pattern ?? ""))
    report("pattern", `the pattern ${model.pattern}`, "the pattern alone; (?i) at its beginning ignores case")
  checkKeys(model, block, source)
}

/** A default that its own field would refuse. Lengths, numbers and enums are checked beside the keywords. */
function defaultFault({ type, pattern, format }: FieldModel, value: JsonValue): string | undefined {
  if (typeof value !== "string" || !("scalar" in type)) return undefined
  if (type.scalar === "Quantity" && !readable(() => parseQuantity(value))) return 'a quantity, such as "500m" or "1Gi"'
  if (type.scalar === "Duration" && durationFault(value) !== undefined) return 'a duration, such as "90s" or "1h30m"'
  if (type.scalar === "Time" && !readable(() => parseInstant(value))) return 'a time, such as "2024-01-31T12:00:00Z"'
  if (type.scalar === "MicroTime" && !readable(() => parseInstant(value, "MicroTime")))
    return 'a time, such as "2024-01-31T12:00:00.000000Z"'
  if (type.scalar === "bytes" && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) return "base64"
  if (pattern !== undefined && matches(pattern, value) === false) return `a text that the pattern ${pattern} finds`
  if (format !== undefined && formatNames.includes(format) && checkFormat(format, value) !== undefined)
    return `a text of the format ${format}`
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

/** Undefined for a pattern that is none, which is reported. */
function matches(pattern: string, value: string): boolean | undefined {
  try {
    return compilePattern(pattern)(value)
  } catch {
    return undefined
  }
}

function checkKeys(model: FieldModel, block: Block, source: SourceFile): void {
  const item = itemType(model.type)
  if (model.listType === "map" && block.get("mapKeys")?.node === "list" && block.items("mapKeys").length === 0)
    source.report(block.start("mapKeys"), { found: "mapKeys without a field", expected: "the fields that tell items apart: [name]" })
  if (model.listType === "set" && item !== undefined && "ref" in item)
    source.report(block.start("listType"), {
      found: `listType set on a list of ${item.ref}`,
      expected: "listType: map with mapKeys for structs, set for scalars",
    })
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
