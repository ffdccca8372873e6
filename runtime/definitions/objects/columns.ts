/**
 * Table columns of custom objects, from `additionalPrinterColumns`. Rules are as in apiextensions-apiserver
 * (pkg/registry/customresource/tableconvertor).
 */
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { isZeroInstant, parseInstant, TimeError } from "../../base/time.ts"
import type { CellContext, Column } from "../../schema/kind.ts"
import { humanDuration } from "../../schema/human-duration.ts"
import { rowCharactersMax } from "../limits.ts"
import { goJson, numberText } from "../../base/go-text.ts"
import { PathFault, Visits, valuesAt } from "./jsonpath/evaluate.ts"
import { parsePath } from "./jsonpath/parse.ts"
import { PathSyntaxError, type Steps } from "./jsonpath/path.ts"
import { isInt64 } from "./numbers.ts"

type ColumnType = Column["type"]

const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object.",
  priority: 0,
  value: (object) => {
    // Begins a new row: the object may have had one before.
    rows.delete(object)
    return object.metadata?.name ?? ""
  },
}

const ageColumn: JsonObject = {
  name: "Age",
  type: "date",
  description: "Time since the object was made.",
  jsonPath: ".metadata.creationTimestamp",
}

/**
 * The columns of a definition's version: Name, then the declared columns, or Age without any. `declared`: the stored
 * `additionalPrinterColumns`. A column whose path cannot be parsed is omitted with all columns after it.
 */
export function columnsOfDefinition(declared: JsonValue | undefined): readonly Column[] {
  const columns: Column[] = [nameColumn]
  const entries = Array.isArray(declared) ? declared.filter(isObject) : []
  for (const entry of entries.length === 0 ? [ageColumn] : entries) {
    const column = columnOf(entry)
    if (column === undefined) break
    columns.push(column)
  }
  return columns
}

function columnOf({ name, type, format, description, priority, jsonPath }: JsonObject): Column | undefined {
  const text = typeof jsonPath === "string" ? jsonPath : ""
  const steps = stepsOf(text)
  if (steps === undefined) return undefined
  const columnType = typeOf(type)
  return {
    name: typeof name === "string" ? name : "",
    type: columnType,
    format: typeof format === "string" ? format : "",
    description:
      typeof description === "string" && description !== ""
        ? description
        : `Custom resource definition column (in JSONPath format): ${text}`,
    priority: typeof priority === "number" ? priority : 0,
    value: (object, context) => cellOf(steps, columnType, object, context),
  }
}

function stepsOf(path: string): Steps | undefined {
  try {
    return parsePath(path)
  } catch (error) {
    if (error instanceof PathSyntaxError) return undefined
    throw error
  }
}

function typeOf(type: JsonValue | undefined): ColumnType {
  return type === "integer" || type === "number" || type === "boolean" || type === "date" ? type : "string"
}

function cellOf(steps: Steps, type: ColumnType, object: ApiObject, context: CellContext): JsonValue {
  const row = rowOf(object)
  const value = firstAt(steps, object, row)
  if (value === undefined) return null
  switch (type) {
    case "string":
      return row.take(value)
    case "boolean":
      return typeof value === "boolean" ? value : null
    case "date":
      return typeof value === "string" ? ageOf(value, context.nowMs) : null
    default:
      if (typeof value !== "number" && typeof value !== "bigint") return null
      return type === "number" ? Number(value) : integerOf(value)
  }
}

/** Work of the columns of one row so far. A definition may have thousands of columns, each of the whole object. */
class Row {
  readonly visits = new Visits()
  private characters = 0

  /** The text of a value; null when the row's cells have reached their limit. */
  take(value: JsonValue): string | null {
    if (this.characters > rowCharactersMax) return null
    const text = textOf(value)
    this.characters += text.length
    return text
  }
}

const rows = new WeakMap<ApiObject, Row>()

/** Cells of a row are made one after the other and share this record. */
function rowOf(object: ApiObject): Row {
  const known = rows.get(object)
  if (known !== undefined) return known
  const row = new Row()
  rows.set(object, row)
  return row
}

function firstAt(steps: Steps, object: ApiObject, { visits }: Row): JsonValue | undefined {
  try {
    return valuesAt(steps, object, visits)[0]
  } catch (error) {
    if (error instanceof PathFault) return undefined
    throw error
  }
}

/** As printed by Go: lists and objects as JSON. */
function textOf(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return value
    case "boolean":
      return String(value)
    case "number":
    case "bigint":
      return numberText(value)
    default:
      return value === null ? "<no value>" : goJson(value)
  }
}

function integerOf(value: number | bigint): number | bigint {
  return isInt64(value) ? value : Math.trunc(Number(value))
}

function ageOf(text: string, nowMs: number): string {
  if (text === "" || text === "null") return "<unknown>"
  try {
    const instant = parseInstant(text)
    return isZeroInstant(instant) ? "<unknown>" : humanDuration(nowMs - instant.seconds * 1000 - instant.nanos / 1e6)
  } catch (error) {
    if (error instanceof TimeError) return "<invalid>"
    throw error
  }
}
