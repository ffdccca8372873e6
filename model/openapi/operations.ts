/** The paths of a kind and their operations, as facts from which both document versions are written. */
import type { Subresource } from "../../runtime/schema/kind.ts"
import type { KindModel, TypeModel } from "../model.ts"
import { upperFirst } from "../names.ts"
import { connectPaths } from "./connect.ts"
import { definitionName, operationScope, patchDefinition, pathPrefix, tagOf } from "./names.ts"
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  type ParameterName,
  patchParameters,
  writeParameters,
} from "./parameters.ts"
import type { GroupVersionKind, OperationFacts, PathFacts } from "./path-facts.ts"

const meta = { group: "meta", version: "v1" }
/** Definition of Status, the response of deletions. */
export const statusDefinition = definitionName(meta, "Status")
const deleteOptions = definitionName(meta, "DeleteOptions")
const watchEvent = definitionName(meta, "WatchEvent")

/** Returns every path of a kind. Called once per emitted kind; `typeOf` finds a type by its group, version and name. */
export function kindPaths(kind: KindModel, typeOf: (named: GroupVersionKind) => TypeModel): PathFacts[] {
  const prefix = pathPrefix(kind)
  const scoped = kind.namespaced ? `${prefix}/namespaces/{namespace}/${kind.resource}` : `${prefix}/${kind.resource}`
  const place: readonly ParameterName[] = kind.namespaced ? ["namespace"] : []
  const paths: PathFacts[] = [
    { path: scoped, parameters: [...place, "pretty"], operations: collectionOperations(kind) },
    { path: `${scoped}/{name}`, parameters: ["name", ...place, "pretty"], operations: objectOperations(kind) },
    ...kind.subresources.flatMap((one) => subresourcePaths(kind, one, { scoped, place, typeOf })),
    ...(kind.namespaced ? [{ path: `${prefix}/${kind.resource}`, parameters: ["pretty"] as const, operations: allNamespaces(kind) }] : []),
    ...watchPaths(kind, prefix, scoped.slice(prefix.length), place),
  ]
  return paths.filter(({ operations }) => operations.length > 0)
}

function idOf(kind: KindModel, verb: string, more = ""): string {
  return `${verb}${operationScope(kind)}${kind.namespaced ? "Namespaced" : ""}${kind.kind}${more}`
}

function own(kind: KindModel): string {
  return definitionName(kind, kind.kind)
}

function gvk({ group, version, kind }: GroupVersionKind): GroupVersionKind {
  return { group, version, kind }
}

/** Parts that all operations on a kind share. `body`: the kind of the bodies, where it is another one. */
function common(kind: KindModel, body: GroupVersionKind = kind): Base {
  return { tag: tagOf(kind), kind: gvk(body), ...(kind.deprecated !== undefined && { deprecated: true }) }
}

function collectionOperations(kind: KindModel): OperationFacts[] {
  const scope = operationScope(kind)
  const operations: OperationFacts[] = []
  const list = definitionName(kind, kind.listKind)
  if (kind.verbs.includes("list")) {
    operations.push({
      ...common(kind),
      method: "get",
      action: "list",
      operationId: idOf(kind, "list"),
      description: `List or watch objects of kind ${kind.kind}.`,
      parameters: listParameters,
      responses: [{ code: 200, schema: list }],
      stream: true,
    })
  }
  if (kind.verbs.includes("create")) {
    const responses = ([200, 201, 202] as const).map((code) => ({ code, schema: own(kind) }))
    operations.push({
      ...common(kind),
      method: "post",
      action: "post",
      operationId: idOf(kind, "create"),
      description: `Create an object of kind ${kind.kind}.`,
      parameters: writeParameters,
      body: bodyOf(own(kind)),
      responses,
    })
  }
  if (kind.verbs.includes("deletecollection")) {
    const operationId = `delete${scope}Collection${kind.namespaced ? "Namespaced" : ""}${kind.kind}`
    operations.push({
      ...common(kind),
      method: "delete",
      action: "deletecollection",
      operationId,
      description: `Delete objects of kind ${kind.kind} that match.`,
      parameters: deleteCollectionParameters,
      body: optionalBody,
      responses: [{ code: 200, schema: statusDefinition }],
    })
  }
  return operations
}

function bodyOf(schema: string): NonNullable<OperationFacts["body"]> {
  return { schema, required: true, patch: false }
}

const optionalBody = { schema: deleteOptions, required: false, patch: false }

function objectOperations(kind: KindModel): OperationFacts[] {
  const operations: OperationFacts[] = []
  const base = common(kind)
  if (kind.verbs.includes("get")) operations.push(read(kind, base, own(kind)))
  if (kind.verbs.includes("update")) operations.push(replace(kind, base, own(kind)))
  if (kind.verbs.includes("delete")) {
    const schema = kind.delete.returns === "object" ? own(kind) : statusDefinition
    operations.push({
      ...base,
      method: "delete",
      action: "delete",
      operationId: idOf(kind, "delete"),
      description: `Delete an object of kind ${kind.kind}.`,
      parameters: deleteParameters,
      body: optionalBody,
      responses: [
        { code: 200, schema },
        { code: 202, schema },
      ],
    })
  }
  if (kind.verbs.includes("patch")) operations.push(patch(kind, base, own(kind)))
  return operations
}

type Base = Pick<OperationFacts, "tag" | "deprecated"> & { readonly kind: GroupVersionKind }

function read(kind: KindModel, base: Base, schema: string, sub = ""): OperationFacts {
  return {
    ...base,
    method: "get",
    action: "get",
    operationId: idOf(kind, "read", upperFirst(sub)),
    description: `Read ${partOf(sub)} object of kind ${kind.kind}.`,
    parameters: [],
    responses: [{ code: 200, schema }],
  }
}

function replace(kind: KindModel, base: Base, schema: string, sub = ""): OperationFacts {
  return {
    ...base,
    method: "put",
    action: "put",
    operationId: idOf(kind, "replace", upperFirst(sub)),
    description: `Replace ${partOf(sub)} object of kind ${kind.kind}.`,
    parameters: writeParameters,
    body: bodyOf(schema),
    responses: [
      { code: 200, schema },
      { code: 201, schema },
    ],
  }
}

function patch(kind: KindModel, base: Base, schema: string, sub = ""): OperationFacts {
  return {
    ...base,
    method: "patch",
    action: "patch",
    operationId: idOf(kind, "patch", upperFirst(sub)),
    description: `Change fields of ${partOf(sub)} object of kind ${kind.kind}.`,
    parameters: patchParameters,
    body: { schema: patchDefinition, required: true, patch: true },
    responses: [
      { code: 200, schema },
      { code: 201, schema },
    ],
  }
}

function partOf(sub: string): string {
  return sub === "" ? "an" : `the ${sub} of an`
}

function subresourcePaths(
  kind: KindModel,
  one: Subresource,
  where: { scoped: string; place: readonly ParameterName[]; typeOf: (named: GroupVersionKind) => TypeModel },
): PathFacts[] {
  const path = `${where.scoped}/{name}/${one.name}`
  const parameters = ["name", ...where.place] as const
  if (one.connect === undefined || one.options === undefined) return [subresourcePath(kind, one, path, [...parameters, "pretty"])]
  return connectPaths(kind, { ...one, connect: one.connect }, { path, parameters, options: where.typeOf(one.options) })
}

function subresourcePath(kind: KindModel, one: Subresource, path: string, parameters: readonly ParameterName[]): PathFacts {
  const body = one.kind ?? kind
  const base = common(kind, body)
  const schema = definitionName(body, body.kind)
  const operations = one.verbs.map((verb): OperationFacts => {
    switch (verb) {
      case "get":
        return read(kind, base, schema, one.name)
      case "update":
        return replace(kind, base, schema, one.name)
      case "patch":
        return patch(kind, base, schema, one.name)
      case "create":
        return {
          ...base,
          method: "post",
          action: "post",
          operationId: idOf(kind, "create", upperFirst(one.name)),
          description: `Create the ${one.name} of an object of kind ${kind.kind}.`,
          parameters: writeParameters,
          body: bodyOf(schema),
          responses: ([200, 201, 202] as const).map((code) => ({ code, schema })),
        }
      case "delete":
        return {
          ...base,
          method: "delete",
          action: "delete",
          operationId: idOf(kind, "delete", upperFirst(one.name)),
          description: `Delete the ${one.name} of an object of kind ${kind.kind}.`,
          parameters: deleteParameters,
          body: optionalBody,
          responses: [{ code: 200, schema: statusDefinition }],
        }
    }
  })
  return { path, parameters, operations }
}

function allNamespaces(kind: KindModel): OperationFacts[] {
  if (!kind.verbs.includes("list")) return []
  const operationId = `list${operationScope(kind)}${upperFirst(kind.kind)}ForAllNamespaces`
  const description = `List or watch objects of kind ${kind.kind} in all namespaces.`
  return [
    {
      ...common(kind),
      method: "get",
      action: "list",
      operationId,
      description,
      parameters: listParameters,
      responses: [{ code: 200, schema: definitionName(kind, kind.listKind) }],
      stream: true,
    },
  ]
}

/** The deprecated watch paths, kept because clients are generated from them. */
function watchPaths(kind: KindModel, prefix: string, scoped: string, place: readonly ParameterName[]): PathFacts[] {
  if (!kind.verbs.includes("watch")) return []
  const scope = operationScope(kind)
  const operation = (operationId: string, action: string): OperationFacts[] => [
    {
      ...common(kind),
      method: "get",
      action,
      operationId,
      description: `Watch objects of kind ${kind.kind}. Deprecated: list with the parameter watch.`,
      parameters: listParameters,
      responses: [{ code: 200, schema: watchEvent }],
      stream: true,
      deprecated: true,
    },
  ]
  const all = {
    path: `${prefix}/watch/${kind.resource}`,
    parameters: ["pretty"] as const,
    operations: operation(`watch${scope}${kind.kind}ListForAllNamespaces`, "watchlist"),
  }
  return [
    { path: `${prefix}/watch${scoped}`, parameters: [...place, "pretty"], operations: operation(idOf(kind, "watch", "List"), "watchlist") },
    {
      path: `${prefix}/watch${scoped}/{name}`,
      parameters: ["name", ...place, "pretty"],
      operations: operation(idOf(kind, "watch"), "watch"),
    },
    ...(kind.namespaced ? [all] : []),
  ]
}
