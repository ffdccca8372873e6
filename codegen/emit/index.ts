/**
 * Emits the text of every generated file from the model. Pure: the same model and options give the same texts, in the
 * same order.
 *
 *     <file>/types.ts shape.ts defaults.ts validate.ts      for every schema file; empty ones are omitted
 *     <file>/columns.ts convert.ts resource.ts handlers.ts  for kinds
 *     bootstrap/<name>.ts                                   for every file of manifests
 *     proto/<package path>/<name>.proto                     for every group and version
 *     openapi/v2.json openapi/v3/<path>.json api.ts index.ts  for the whole
 */
import type { FileModel, Model } from "../../model/model.ts"
import { emitApi } from "./api.ts"
import { emitBootstrap } from "./bootstrap.ts"
import { emitColumns } from "./columns.ts"
import { type EmitContext, emitContext } from "./context.ts"
import { emitConvert, isConverted } from "./convert.ts"
import { emitDefaults } from "./defaults.ts"
import type { FileBuilder } from "./file-builder.ts"
import { emitHandlers } from "./handlers.ts"
import { emitIndex } from "./kind-index.ts"
import { documentPaths, emitOpenApi } from "./openapi.ts"
import type { EmitOptions } from "./options.ts"
import { emitProto } from "./proto.ts"
import { emitResource } from "./resource.ts"
import { emitShape } from "./shape.ts"
import { emitTypes } from "./types.ts"
import { emitValidate } from "./validate.ts"

export { type EmitOptions, packageOptions, repositoryOptions } from "./options.ts"

/**
 * Called by `gen` with a checked model. Returns the text of each file by its path below the out folder, sorted by path.
 */
export function emit(model: Model, options: EmitOptions): ReadonlyMap<string, string> {
  const context = emitContext(model, options)
  const texts = new Map<string, string>()
  for (const file of model.files) {
    if (!options.emitted.has(file.path)) continue
    for (const builder of parts(context, file)) if (!builder.empty) texts.set(builder.path, builder.print())
  }
  for (const file of model.bootstrap) texts.set(`${file.path}.ts`, emitBootstrap(context, file))
  const documents = emitOpenApi(context)
  for (const [path, text] of [...documents, ...emitProto(context)]) texts.set(path, text)
  texts.set("api.ts", emitApi(context))
  texts.set("index.ts", emitIndex(context, documentPaths(documents)))
  return new Map([...texts].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

function parts(context: EmitContext, file: FileModel): FileBuilder[] {
  const shared = [emitTypes, emitShape, emitDefaults, emitValidate].map((part) => part(context, file))
  const kind = context.model.kinds.find((one) => one.file === file.path)
  if (kind === undefined) return shared
  return [
    ...shared,
    emitColumns(context, file, kind),
    emitResource(context, file, kind),
    ...(kind.served === false ? [] : [emitHandlers(context, file, kind)]),
    ...(isConverted(kind) ? [emitConvert(context, file, kind)] : []),
  ]
}
