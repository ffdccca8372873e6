/** Parts of a version besides its schema: deprecation, sub-resources and printer columns. */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import type { DefinitionVersion } from "./definition-spec.ts"
import { optionalText, text } from "./schema-props.ts"

const columnTypes = ["boolean", "date", "integer", "number", "string"]
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"]
const warningBytesMax = 256

/** Checks `deprecationWarning`, which becomes the text of a header. */
export function checkDeprecation({ deprecated, deprecationWarning: warning }: DefinitionVersion, path: string, failures: Failures): void {
  if (warning === undefined) return
  for (const detail of deprecated ? warningFaults(warning) : ["can only be set for deprecated versions"]) {
    failures.add({ type: "Invalid", field: `${path}.deprecationWarning`, value: warning, detail })
  }
}

/** Characters that are not printable; the ASCII space is the only printable space. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

function warningFaults(warning: string): string[] {
  const faults: string[] = []
  if (Buffer.byteLength(warning) > warningBytesMax) faults.push(`must be <= ${warningBytesMax} characters long`)
  if (warning === "") faults.push("must not be an empty string")
  const at = warning.search(unprintable)
  if (at >= 0) {
    const index = Buffer.byteLength(warning.slice(0, at))
    faults.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
  }
  return faults
}

/** Checks the paths of the scale sub-resource. */
export function checkSubresources(subresources: JsonObject | undefined, path: string, failures: Failures): void {
  const scale = subresources?.scale
  if (!isObject(scale)) return
  const replicas = [
    ["specReplicasPath", ".spec."],
    ["statusReplicasPath", ".status."],
  ] as const
  for (const [name, root] of replicas) {
    const value = text(scale[name])
    const field = `${path}.scale.${name}`
    if (value === "") failures.add({ type: "Required", field, detail: "" })
    else checkPathUnder(value, field, [root], `should be a json path under ${root.slice(0, -1)}`, failures)
  }
  const selector = optionalText(scale.labelSelectorPath) ?? ""
  if (selector === "") return
  const detail = "should be a json path under either .spec or .status"
  checkPathUnder(selector, `${path}.scale.labelSelectorPath`, [".spec.", ".status."], detail, failures)
}

function checkPathUnder(value: string, field: string, roots: readonly string[], detail: string, failures: Failures): void {
  if (!checkSimplePath(value, field, failures)) return
  if (!roots.some((root) => value.startsWith(root))) failures.add({ type: "Invalid", field, value, detail })
}

/** The only rule for a non-empty path. Whether it leads anywhere shows with each object. */
function checkSimplePath(value: string, field: string, failures: Failures): boolean {
  if (value.startsWith(".")) return true
  failures.add({ type: "Invalid", field, value, detail: "must be a simple json path starting with ." })
  return false
}

/** Checks `additionalPrinterColumns`. `path`: path of the list. */
export function checkColumns(columns: readonly JsonObject[], path: string, failures: Failures): void {
  for (const [index, column] of columns.entries()) {
    if (failures.full) return
    checkColumn(column, `${path}[${index}]`, failures)
  }
}

function checkColumn(column: JsonObject, path: string, failures: Failures): void {
  const [type, format, jsonPath] = [text(column.type), text(column.format), text(column.jsonPath)]
  const required = (name: string, detail: string): void => failures.add({ type: "Required", field: `${path}.${name}`, detail })
  const wrongTypeDetail = `must be one of ${columnTypes.join(",")}`
  if (text(column.name) === "") required("name", "")
  if (type === "") required("type", wrongTypeDetail)
  else if (!columnTypes.includes(type)) failures.add({ type: "Invalid", field: `${path}.type`, value: type, detail: wrongTypeDetail })
  if (format !== "" && !columnFormats.includes(format)) {
    failures.add({ type: "Invalid", field: `${path}.format`, value: format, detail: `must be one of ${columnFormats.join(",")}` })
  }
  if (jsonPath === "") required("JSONPath", "")
  else checkSimplePath(jsonPath, `${path}.JSONPath`, failures)
}
