/** Paths of sub-resources that forward requests to another machine: the node agent, or the object itself. */
import type { Subresource } from "../../runtime/schema/kind.ts"
import type { FieldModel, KindModel, TypeModel } from "../model.ts"
import { upperFirst } from "../names.ts"
import { media } from "./common.ts"
import { operationScope, tagOf } from "./names.ts"
import type { OptionFacts, ParameterName } from "./parameters.ts"
import type { GroupVersionKind, OperationFacts, PathFacts } from "./path-facts.ts"

const ways = {
  log: ["get"],
  attach: ["get", "post"],
  exec: ["get", "post"],
  portforward: ["get", "post"],
  proxy: ["delete", "get", "head", "options", "patch", "post", "put"],
} as const

/**
 * The path of such a sub-resource; proxies also have one with a trailing path. `options`: the type of its query
 * parameters.
 */
export function connectPaths(
  kind: KindModel,
  subresource: Subresource & { readonly connect: NonNullable<Subresource["connect"]> },
  place: { readonly path: string; readonly parameters: readonly ParameterName[]; readonly options: TypeModel },
): PathFacts[] {
  const { connect } = subresource
  const query = connect === "log" ? (["pretty"] as const) : []
  const options = place.options.fields.flatMap(option)
  const at = (path: string, more: readonly ParameterName[], suffix: string): PathFacts => ({
    path,
    parameters: [...place.parameters, ...more, ...query],
    options,
    operations: ways[connect].map((method) => operation(kind, subresource, { method, suffix })),
  })
  const plain = at(place.path, [], "")
  return connect === "proxy" ? [plain, at(`${place.path}/{path}`, ["path"], "WithPath")] : [plain]
}

function option(field: FieldModel): OptionFacts[] {
  if (field.name === "kind" || field.name === "apiVersion") return []
  const type = "list" in field.type ? field.type.list : field.type
  const scalar = "scalar" in type ? type.scalar : "string"
  // As in kube-apiserver, which names no parameter whose Go type is a struct.
  if (scalar === "Time") return []
  const shown = scalar === "boolean" ? "boolean" : scalar.startsWith("int") ? "integer" : "string"
  return [{ name: field.name, in: "query", type: shown, description: field.doc }]
}

function operation(
  kind: KindModel,
  { name, connect, ...subresource }: Subresource,
  { method, suffix }: { readonly method: OperationFacts["method"]; readonly suffix: string },
): OperationFacts {
  const scope = `${operationScope(kind)}${connect === "log" ? "" : upperFirst(method)}${kind.namespaced ? "Namespaced" : ""}`
  const shown: GroupVersionKind = subresource.kind ?? kind
  const { group, version } = shown
  return {
    method,
    operationId: `${connect === "log" ? "read" : "connect"}${scope}${kind.kind}${upperFirst(name)}${suffix}`,
    description:
      connect === "log"
        ? `Read the log of an object of kind ${kind.kind}.`
        : `Pass a request on to the ${name} of an object of kind ${kind.kind}.`,
    tag: tagOf(kind),
    parameters: [],
    responses: [],
    text: connect === "log" ? ["text/plain", ...Object.values(media)] : ["*/*"],
    action: connect === "log" ? "get" : "connect",
    kind: { group, version, kind: shown.kind },
    ...(kind.deprecated !== undefined && { deprecated: true }),
  }
}
