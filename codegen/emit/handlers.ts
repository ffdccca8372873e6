/** `handlers.ts`: the typed operations of a kind. It states types and sub-resources; all code is in the doorway. */
import type { FileModel, KindModel } from "../../model/model.ts"
import { propertyName } from "../print/print.ts"
import type { EmitContext } from "./context.ts"
import { FileBuilder } from "./file-builder.ts"
import { upperFirst } from "../../model/names.ts"
import { inputName, lowerFirst } from "./names.ts"
import { resourceName } from "./resource.ts"
import { hasInput } from "./types.ts"

type SubresourceModel = KindModel["subresources"][number]

/** The function that makes the operations of a kind, by the name of its record or of its alias. */
export function handlersName(name: string): string {
  return `${lowerFirst(name)}Handlers`
}

/** The type of the operations of a kind. */
export function handlersTypeName(name: string): string {
  return `${upperFirst(name)}Handlers`
}

/** The operations for each verb of a schema. */
const operationsOf: Readonly<Record<string, readonly string[]>> = {
  deletecollection: ["deleteCollection"],
  patch: ["apply", "patch"],
}

const allOperations = ["apply", "create", "delete", "deleteCollection", "get", "list", "patch", "update", "watch"]
const allOfSubresource = ["apply", "create", "get", "patch", "update"]

function operations(verbs: readonly string[]): readonly string[] {
  return verbs.flatMap((verb) => operationsOf[verb] ?? [verb]).toSorted()
}

/** The text of `handlers.ts`. */
export function emitHandlers(context: EmitContext, file: FileModel, kind: KindModel): FileBuilder {
  const builder = new FileBuilder(context, file, "handlers")
  const type = handlersTypeName(kind.kind)
  const make = handlersName(kind.kind)
  builder.reserve("client", type, make)
  const subresources = kind.subresources.filter((one) => one.type !== "connect")
  const { group, version, resource } = kind
  const about = `${resource} of ${group === "" ? version : `${group}/${version}`}`
  builder.declare({ declare: "code", text: interfaceText(builder, kind, { type, about, subresources }) })
  builder.declare({
    declare: "function",
    name: make,
    doc: `Makes the operations on ${about} over a client.`,
    parameters: [`client: ${builder.runtimeType("ObjectClient")}`],
    returns: type,
    body: body(builder, kind, subresources),
  })
  return builder
}

/** An interface has a name of its own in error messages and editors. */
function interfaceText(
  builder: FileBuilder,
  kind: KindModel,
  { type, about, subresources }: { type: string; about: string; subresources: readonly SubresourceModel[] },
): string {
  const members = subresources.flatMap((one) => [
    `  /** Sub-resource \`${one.name}\`. */`,
    `  readonly ${propertyName(memberName(one))}: ${subresourceType(builder, kind, one)}`,
  ])
  const head = `/** Operations on ${about}. */\nexport interface ${type} extends ${kindType(builder, kind)} {`
  return members.length === 0 ? `${head}}` : [head, ...members, "}"].join("\n")
}

function kindType(builder: FileBuilder, kind: KindModel): string {
  if (kind.postsTo !== undefined) return `${builder.runtimeType("PostHandlers")}<${sentType(builder, kind.type)}>`
  const all = `${builder.runtimeType(kind.namespaced ? "NamespacedHandlers" : "ClusterHandlers")}<${typePair(builder, kind.type)}>`
  return picked(all, operations(kind.verbs), allOperations)
}

function subresourceType(builder: FileBuilder, kind: KindModel, one: SubresourceModel): string {
  const all = `${builder.runtimeType(kind.namespaced ? "NamespacedSubresource" : "ClusterSubresource")}<${typePair(builder, bodyType(builder, kind, one))}>`
  return picked(all, operations(one.verbs), allOfSubresource)
}

function picked(type: string, some: readonly string[], all: readonly string[]): string {
  return all.every((name) => some.includes(name)) ? type : `Pick<${type}, ${some.map((name) => JSON.stringify(name)).join(" | ")}>`
}

/** The name of the type of a sub-resource's body: the kind's own, unless the schema states another. */
function bodyType(builder: FileBuilder, kind: KindModel, { kind: posted }: SubresourceModel): string {
  const types = [...builder.context.model.types.values()]
  const found = types.find((one) => one.group === posted?.group && one.version === posted.version && one.localName === posted.kind)
  return found?.name ?? kind.type
}

/** The type that clients may send. */
function sentType(builder: FileBuilder, type: string): string {
  return builder.ofType(type, "types", hasInput(builder.context, type) ? inputName : (name) => name, true)
}

/** The type that the server returns and, where it differs, the one that clients may send. */
function typePair(builder: FileBuilder, type: string): string {
  const returned = builder.ofType(type, "types", (name) => name, true)
  return hasInput(builder.context, type) ? `${returned}, ${sentType(builder, type)}` : returned
}

/** A sub-resource that is called like an operation would hide it. */
function memberName({ name }: SubresourceModel): string {
  return allOperations.includes(name) ? `${name}Subresource` : name
}

function body(builder: FileBuilder, kind: KindModel, subresources: readonly SubresourceModel[]): string[] {
  const record = builder.sibling("resource", resourceName(kind))
  if (kind.postsTo !== undefined) return [`return ${builder.runtime("postHandlers")}<${sentType(builder, kind.type)}>(client, ${record})`]
  const all = `${builder.runtime(kind.namespaced ? "namespacedHandlers" : "clusterHandlers")}<${typePair(builder, kind.type)}>(client, ${record})`
  if (subresources.length === 0) return [`return ${all}`]
  const makeSubresource = builder.runtime(kind.namespaced ? "namespacedSubresource" : "clusterSubresource")
  const members = subresources.map((one) => {
    const made = `${makeSubresource}<${typePair(builder, bodyType(builder, kind, one))}>(client, ${record}, ${JSON.stringify(one.name)})`
    return `  ${propertyName(memberName(one))}: ${made},`
  })
  return ["return {", `  ...${all},`, ...members, "}"]
}
