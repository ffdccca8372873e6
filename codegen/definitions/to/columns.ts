/** Columns and selectable fields of a kind as JSONPaths. */
import type { JsonObject } from "../../../runtime/base/json.ts"
import type { ColumnModel, ExpressionTree, KindModel } from "../../../model/model.ts"
import { pathOfTree } from "../expressions/json-path.ts"
import type { Findings } from "../findings.ts"

/** `additionalPrinterColumns`; empty where a definition shows the same by default: name and age. */
export function printerColumns(kind: KindModel, findings: Findings): JsonObject {
  const [first, ...rest] = kind.columns
  if (first === undefined) {
    findings.note(["columns"], "a definition without columns shows name and age")
    return {}
  }
  const isName = pathOfTree(first.value.tree) === ".metadata.name"
  if (!isName) findings.note(["columns"], "the table of a definition begins with the name")
  const columns = (isName ? rest : kind.columns).flatMap((column) => printerColumn(column, findings))
  const [only, ...others] = columns
  if (only === undefined) {
    findings.note(["columns"], "a definition without columns shows the age")
    return {}
  }
  const isAge = others.length === 0 && only.jsonPath === ".metadata.creationTimestamp" && only.name === "Age" && only.priority === undefined
  return isAge ? {} : { additionalPrinterColumns: columns }
}

function printerColumn({ name, type, format, doc, priority, value }: ColumnModel, findings: Findings): JsonObject[] {
  const age = ageOf(value.tree)
  const { path, isWhole } = columnPath(age ?? value.tree)
  if (path === undefined || path === "") {
    findings.lost(["columns", name], `\`${value.text}\` is no path: the column is left out`)
    return []
  }
  if (!isWhole) findings.lost(["columns", name], `\`${value.text}\`: the cell is ${path}, and empty where that is absent`)
  return [
    {
      name,
      type: age === undefined ? type : "date",
      ...(format !== "" && { format }),
      ...(doc !== "" && { description: doc }),
      ...(priority !== 0 && { priority }),
      jsonPath: path,
    },
  ]
}

/** The time whose age a cell shows. */
function ageOf(tree: ExpressionTree): ExpressionTree | undefined {
  return tree.node === "call" && tree.function === "age" ? tree.arguments[0] : undefined
}

/** The path of a cell, without the text that it shows in place of an absent value. */
function columnPath(tree: ExpressionTree): { readonly path: string | undefined; readonly isWhole: boolean } {
  if (tree.node === "binary" && tree.operator === "??") return { path: columnPath(tree.left).path, isWhole: false }
  return { path: pathOfTree(tree), isWhole: true }
}

/** `selectableFields` of a version. */
export function selectableFields(kind: KindModel, findings: Findings): JsonObject {
  const fields = kind.selectable.flatMap(({ name, value }) => {
    const path = pathOfTree(value.tree)
    if (path === `.${name}`) return [{ jsonPath: path }]
    findings.lost(["selectable", name], `\`${value.text}\` is not the path ${name}: it is left out`)
    return []
  })
  return fields.length === 0 ? {} : { selectableFields: fields }
}
