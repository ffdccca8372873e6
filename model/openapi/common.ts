/** Parts that the documents of both versions share. */
import type { JsonObject } from "../../runtime/base/json.ts"
import type { KindModel } from "../model.ts"
import { extension } from "./extensions.ts"
import { definitionName } from "./names.ts"
import type { OptionFacts, ParameterName } from "./parameters.ts"
import type { OperationFacts, PathFacts } from "./path-facts.ts"
import type { OpenApiSource } from "./source.ts"

/** The API release whose facts the schemas state. */
const release = "v1.30.0"

/** The head of every document. */
export const info: JsonObject = {
  title: "orch-apiserver",
  description:
    "The objects of a cluster: each kind is created, read, changed, watched and deleted below the path of its group and version.",
  version: release,
}

/** The media types of objects. */
export const media = { json: "application/json", yaml: "application/yaml", compact: "application/vnd.orch.protobuf" }

/** The media types of patches, which name the kind of patch. */
const patchMedia = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
]

/** The patch types that need no schema. */
const customPatchMedia = patchMedia.filter((type) => !type.includes("strategic"))

/** Returns whether an operation's objects have the protobuf media type. Called once per document. */
export function compactOperations({ kinds, hasCompactForm }: OpenApiSource): (operation: OperationFacts) => boolean {
  const plain = new Set(kinds.filter((kind: KindModel) => !hasCompactForm(kind)).map((kind) => definitionName(kind, kind.kind)))
  return ({ kind }) => kind === undefined || !plain.has(definitionName(kind, kind.kind))
}

/** Returns the media types of a body, in order of preference. */
export function bodyMedia({ body }: OperationFacts, compact: boolean): readonly string[] {
  if (body?.patch === true) return body.strategic === false ? customPatchMedia : patchMedia
  if (body?.anyMedia === true) return ["*/*"]
  return [media.json, media.yaml, ...(compact ? [media.compact] : [])]
}

/** Returns the media types of an answer, in order of preference. */
export function answerMedia(operation: OperationFacts, compact: boolean): readonly string[] {
  if (operation.text !== undefined) return operation.text
  if (operation.produces !== undefined) return operation.produces
  const streams = operation.stream === true ? [`${media.json};stream=watch`, ...(compact ? [`${media.compact};stream=watch`] : [])] : []
  return [media.json, media.yaml, ...(compact ? [media.compact] : []), ...streams]
}

/** The texts of status codes. */
export const codeTexts = { 200: "OK", 201: "Created", 202: "Accepted", 401: "Unauthorized" } as const

/** Returns the beginning of an operation. */
export function operationHead({ tag, description, operationId, deprecated }: OperationFacts): JsonObject {
  return { tags: [tag], description, operationId, ...(deprecated === true && { deprecated: true }) }
}

/** Returns the extensions of an operation. */
export function operationTail({ action, kind }: OperationFacts): JsonObject {
  return {
    ...(action !== undefined && { [`${extension}action`]: action }),
    ...(kind !== undefined && { [`${extension}group-version-kind`]: { group: kind.group, kind: kind.kind, version: kind.version } }),
  }
}

/** How a client identifies itself. */
export const tokenScheme: JsonObject = { description: "A bearer token.", type: "apiKey", name: "authorization", in: "header" }

/** How one version of the documents writes the parts of a path. */
export interface PathWriter {
  readonly operation: (facts: OperationFacts) => JsonObject
  readonly parameter: (name: ParameterName) => JsonObject
  readonly option: (facts: OptionFacts) => JsonObject
}

/** Returns the paths of a document. Parameters that all operations of a path have are stated once, beside them. */
export function pathItems(paths: readonly PathFacts[], write: PathWriter): JsonObject {
  return Object.fromEntries(
    paths.map(({ path, operations, parameters, options = [] }) => {
      const shared = operations[0]?.parameters.filter((name) => operations.every((one) => one.parameters.includes(name))) ?? []
      const own = operations.map((facts) => ({ ...facts, parameters: facts.parameters.filter((name) => !shared.includes(name)) }))
      const all = [...options.map(write.option), ...[...parameters, ...shared].map(write.parameter)]
      return [
        path,
        {
          ...Object.fromEntries(own.map((facts) => [facts.method, write.operation(facts)])),
          ...(all.length > 0 && { parameters: all }),
        },
      ]
    }),
  )
}

/** Returns the tags of all operations, sorted. */
export function tagsOf(paths: readonly PathFacts[]): JsonObject[] {
  const names = new Set(paths.flatMap(({ operations }) => operations.map(({ tag }) => tag)))
  return [...names].sort().map((name) => ({ name }))
}
