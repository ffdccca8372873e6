/** The result that the place of an expression expects: a condition, a cell, the value of a field, a text. */
import type { CelType } from "../../cel/index.ts"
import { parseDuration } from "../../runtime/base/duration.ts"
import type { JsonValue } from "../../runtime/base/json.ts"
import { parseQuantity } from "../../runtime/base/quantity.ts"
import { parseInstant } from "../../runtime/base/time.ts"
import type { Scalar } from "../../runtime/schema/shape.ts"
import type { ColumnModel, ExpressionTree } from "../model.ts"
import { type Checked, type Checker, type ValueInfo, valueTree } from "./checked.ts"
import { isCondition, reportCondition } from "./operators.ts"
import { shown } from "./trees.ts"
import { isAssignableTo } from "./library.ts"
import { isScalarType, isSimple, itemType, typePhrase, typeText, valueType } from "./types.ts"
import { checkMember, results } from "./words.ts"

/** `what` names the place in diagnostics: `a rule`. */
export type Expectation =
  | { readonly want: "condition"; readonly what: string }
  | { readonly want: "cell"; readonly type: ColumnModel["type"] }
  | { readonly want: "text"; readonly what: string }
  | { readonly want: "anything" }
  | {
      readonly want: "field"
      readonly path: string
      readonly info: ValueInfo
      readonly scalar?: Scalar | undefined
      readonly force: boolean
    }

/** Reports a result that does not fit. Returns the tree, with a conversion where the field needs one. */
export function checkResult(value: Checked, at: ExpressionTree, expectation: Expectation, checker: Checker): ExpressionTree {
  switch (expectation.want) {
    case "condition":
      if (at.node === "literal" && typeof at.value === "boolean")
        checker.report(at, { found: `${shown(at)} as ${expectation.what}`, expected: "a condition on the object" })
      if (!isCondition(value)) reportCondition(value, at, checker, expectation.what)
      return value.tree
    case "cell":
      checkCell(value, at, expectation.type, checker)
      return value.tree
    case "text":
      checkText(value, at, expectation.what, checker)
      return value.tree
    case "anything":
      return value.tree
    case "field":
      return checkField(value, at, expectation, checker)
  }
}

function checkText({ type }: Checked, at: ExpressionTree, what: string, checker: Checker): void {
  if (isScalarType(type)) return
  checker.report(at, { found: `${shown(at)}, ${typePhrase(type)}, as ${what}`, expected: `a text or a number${textHint(type, shown(at))}` })
}

function textHint(type: CelType, text: string): string {
  if (type.kind === "list")
    return itemType(type).kind === "struct" ? `, such as size(${text})` : `, such as ${text}.join(", ") or size(${text})`
  if (type.kind === "map") return `, such as formatLabels(${text}) or size(${text})`
  return type.kind === "struct" ? ", such as one of its fields" : ""
}

const cellTypes: Readonly<Record<ColumnModel["type"], { readonly fits: (type: CelType) => boolean; readonly title: string }>> = {
  string: { fits: isScalarType, title: "a text or a number" },
  integer: { fits: (type) => isSimple(type, "int", "uint", "dyn"), title: "an int" },
  number: { fits: (type) => isSimple(type, "int", "uint", "double", "dyn"), title: "a number" },
  boolean: { fits: (type) => isSimple(type, "bool", "dyn"), title: "a bool" },
  date: { fits: (type) => isSimple(type, "timestamp", "dyn"), title: "a timestamp" },
}

function checkCell({ type }: Checked, at: ExpressionTree, column: ColumnModel["type"], checker: Checker): void {
  const cell = cellTypes[column]
  if (cell.fits(type)) return
  const text = shown(at)
  checker.report(at, {
    found: `${text}, ${typePhrase(type)}, in a column of type ${column}`,
    expected: `${cell.title}${cellHint(type, column, text)}`,
  })
}

function cellHint(type: CelType, column: ColumnModel["type"], text: string): string {
  if (column === "string") return textHint(type, text)
  if (column === "date") return isSimple(type, "string") ? `, such as time(${text}); ages are texts: type: string` : ""
  if (column === "boolean") return isSimple(type, "int", "string") ? `, such as ${text} == ...` : ""
  if (type.kind === "list" || type.kind === "map") return `, such as size(${text})`
  if (isSimple(type, "double", "string", "intOrString", "quantity", "duration"))
    return `, such as ${column === "integer" ? "int" : "double"}(${text})${isSimple(type, "string") ? ", or type: string" : ""}`
  return ", or type: string"
}

const int32Max = 2 ** 31

function checkField(value: Checked, at: ExpressionTree, expectation: Expectation & { want: "field" }, checker: Checker): ExpressionTree {
  const { info, path, scalar, force } = expectation
  const text = shown(at)
  if (isSimple(value.type, "null")) {
    if (!force)
      checker.report(at, { found: `null for ${path}, which sets nothing`, expected: "a value, or force: true to remove the field" })
    return value.tree
  }
  const fault = literalFault(at, info.type, scalar)
  if (fault !== undefined) {
    checker.report(at, { found: `${text} for ${path}, ${typePhrase(info.type)}`, expected: fault })
    return value.tree
  }
  if (!assignable(value.type, info.type, at)) {
    checker.report(at, {
      found: `${text}, ${typePhrase(value.type)}, for ${path}`,
      expected: `${typePhrase(info.type)}${fieldHint(value.type, info.type, text)}`,
    })
    return value.tree
  }
  for (const literal of results(at)) checkMember(checker, literal, info.words, path)
  return storedForm(value, scalar)
}

/** Literals of special texts are parsed now; int32 literals are checked for their range. */
function literalFault(at: ExpressionTree, type: CelType, scalar: Scalar | undefined): string | undefined {
  if (at.node !== "literal") return undefined
  const { value } = at
  if (scalar === "int32" && typeof value === "number" && (value < -int32Max || value >= int32Max)) return "a number of 32 bits"
  if (typeof value !== "string") return undefined
  const readable = (read: () => unknown): boolean => {
    try {
      read()
      return true
    } catch {
      return false
    }
  }
  if (isSimple(type, "quantity") && !readable(() => parseQuantity(value))) return 'a quantity, such as "500m" or "1Gi"'
  if (isSimple(type, "duration") && !readable(() => parseDuration(value))) return 'a duration, such as "90s" or "1h30m"'
  if (isSimple(type, "timestamp") && !readable(() => parseInstant(value))) return 'a time, such as "2024-01-31T12:00:00Z"'
  return undefined
}

/** A literal text may stand for a Quantity, Duration or time; a computed text may not, because it was not parsed. */
function assignable(from: CelType, to: CelType, at: ExpressionTree): boolean {
  if (isSimple(to, "quantity", "duration", "timestamp", "bytes") && isSimple(from, "string"))
    return results(at).length > 0 && results(at).every((one) => isText(one.node === "literal" ? one.value : undefined))
  if (isSimple(to, "quantity") && isSimple(from, "int", "double", "intOrString")) return true
  if (to.kind === "struct" && from.kind === "map") return isSimple(valueType(from), "dyn")
  return isAssignableTo(to, from)
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === "string"
}

function fieldHint(from: CelType, to: CelType, text: string): string {
  if (isSimple(to, "int") && isSimple(from, "double", "string", "duration", "quantity")) return `: int(${text})`
  if (isSimple(to, "string") && isScalarType(from)) return `: string(${text})`
  if (isSimple(to, "quantity", "duration") && isSimple(from, "string")) return `: ${typeText(to)}(${text})`
  if (isSimple(to, "timestamp") && isSimple(from, "string")) return `: time(${text})`
  if (to.kind === "list" && isAssignableTo(itemType(to), from)) return `: [${text}]`
  return ""
}

/** Times are written in the form of their field. */
function storedForm(value: Checked, scalar: Scalar | undefined): ExpressionTree {
  const isTime = isSimple(value.type, "timestamp") && (scalar === "Time" || scalar === "MicroTime")
  if (!isTime) return value.tree
  return { node: "convert", to: scalar === "Time" ? "time" : "microTime", list: false, of: valueTree(value) }
}
