/** `convert.ts`: conversion to the stored form and back, for a kind that is stored as another kind. */
import type { FileModel, KindModel } from "../../model/model.ts"
import { type Literal, literal } from "../print/literal.ts"
import type { EmitContext } from "./context.ts"
import { FileBuilder } from "./file-builder.ts"

/** Whether the kind is stored in another form than its own. */
export function isConverted({ storage, group, version, kind, conversion }: KindModel): boolean {
  return storage.group !== group || storage.version !== version || storage.kind !== kind || conversion !== undefined
}

/** The text of `convert.ts`. A named conversion runs after the renames, in both directions. */
export function emitConvert(context: EmitContext, file: FileModel, kind: KindModel): FileBuilder {
  const builder = new FileBuilder(context, file, "convert")
  builder.reserve("toStored", "fromStored")
  const renames = kind.conversion?.rename ?? []
  const behaviour = kind.conversion?.behaviour
  const converted = builder.runtime("converted")
  const stored = [apiVersion(kind.storage), kind.storage.kind].map((word) => JSON.stringify(word)).join(", ")
  const own = [apiVersion(kind), kind.kind].map((word) => JSON.stringify(word)).join(", ")
  const there = `${converted}(object, ${stored}, ${moves(renames.map(({ here, stored: to }) => ({ from: here, to })))})`
  const back = `${converted}(object, ${own}, ${moves(renames.map(({ here, stored: from }) => ({ from, to: here })))})`
  const object = builder.runtimeType("ApiObject")
  const finished = (by: string, made: string): string =>
    behaviour === undefined ? made : `${builder.runtime(by)}(${builder.behaviour("conversions", behaviour)}, ${made}, object, context)`
  const parameters = [`object: ${object}`, ...(behaviour === undefined ? [] : [`context: ${builder.runtimeType("ConversionContext")}`])]
  builder.declare({
    declare: "function",
    name: "toStored",
    parameters,
    returns: object,
    body: [`return ${finished("toStoredBy", there)}`],
  })
  builder.declare({
    declare: "function",
    name: "fromStored",
    parameters,
    returns: object,
    body: [`return ${finished("fromStoredBy", back)}`],
  })
  return builder
}

function moves(list: readonly { readonly [end: string]: Literal }[]): string {
  return literal(list)
}

function apiVersion({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`
}
