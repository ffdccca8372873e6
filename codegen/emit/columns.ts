/**
 * `columns.ts`: the Table columns of a kind and the conditions of its rows. A kind without columns shows Name and
 * Created At (specification 2.4).
 */
import type { ColumnModel, FileModel, KindModel } from "../../model/model.ts"
import { Code, literal } from "../print/literal.ts"
import type { EmitContext } from "./context.ts"
import { compileCondition, compileMessage, compileValue, type ExpressionScope } from "./expression.ts"
import { FileBuilder } from "./file-builder.ts"

/** The text of `columns.ts`. */
export function emitColumns(context: EmitContext, file: FileModel, kind: KindModel): FileBuilder {
  const builder = new FileBuilder(context, file, "columns")
  builder.reserve("columns")
  const columns = kind.columns.length === 0 ? defaultColumns(builder) : kind.columns.map((column) => columnCode(builder, kind, column))
  builder.declare({
    declare: "constant",
    name: "columns",
    type: `readonly ${builder.runtimeType("Column")}[]`,
    exported: true,
    value: literal(columns),
  })
  if (kind.completed.length > 0) declareRowConditions(builder, kind)
  return builder
}

function declareRowConditions(builder: FileBuilder, kind: KindModel): void {
  builder.reserve("rowConditions")
  const scope = columnScope
  const lines = kind.completed.map(({ when, reason, textParts }) => {
    const message = compileMessage(builder, textParts, scope)
    return `  { when: ${compileCondition(builder, when, scope)}, reason: ${JSON.stringify(reason)}, message: ${message} },\n`
  })
  const parameters = lines.some((line) => /\bcontext\b/.test(line)) ? "(object, context)" : "(object)"
  builder.declare({
    declare: "constant",
    name: "rowConditions",
    type: builder.runtimeType("RowConditions"),
    exported: true,
    value: `${parameters} => ${builder.runtime("completedConditions")}([\n${lines.join("")}])`,
  })
}

const columnScope: ExpressionScope = {
  self: "object",
  root: "object",
  nowMs: "context.nowMs",
  vendor: "context.vendor",
  cell: "object, context",
}

function columnCode(builder: FileBuilder, _kind: KindModel, column: ColumnModel): { readonly [name: string]: string | number | Code } {
  const value = compileValue(builder, column.value, columnScope)
  const parameters = /\bcontext\b/.test(value) ? "(object, context)" : "(object)"
  return {
    name: column.name,
    type: column.type,
    format: column.format,
    description: column.doc,
    priority: column.priority,
    value: new Code(`${parameters} => ${builder.runtime("cell")}(${value}, ${JSON.stringify(column.type)})`),
  }
}

function defaultColumns(builder: FileBuilder): { readonly [name: string]: string | number | Code }[] {
  const get = builder.runtime("get")
  return [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "Name of the object.",
      priority: 0,
      value: new Code(`(object) => ${builder.runtime("cell")}(${get}(object, "metadata", "name"), "string")`),
    },
    {
      name: "Created At",
      type: "date",
      format: "",
      description: "When the server accepted the object.",
      priority: 0,
      value: new Code(`(object) => ${builder.runtime("timeCell")}(${get}(object, "metadata", "creationTimestamp"))`),
    },
  ]
}
