/** The kinds that the differential asks about, each with a small and a large valid object of the recorded cases. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { bodyOf, type Group, type Step } from "../real-answers/recorded.ts"
import { fieldOf } from "../real-answers/values.ts"
import { type Schema, Schemas } from "./schemas.ts"

export interface Kind {
  /** The group of the recorded cases: `Pod`, `HorizontalPodAutoscaler.v1`. */
  readonly name: string
  /** The path on which it is created. */
  readonly path: string
  readonly bases: readonly [JsonObject, ...JsonObject[]]
  /** Requests that store the objects of the operations. */
  readonly setup: readonly Step[]
  /** The path of the stored object, and the object as it was sent. */
  readonly stored?: { readonly path: string; readonly object: JsonObject; readonly hasStatus: boolean }
  /** Lives may create and delete objects. Objects of some kinds would change how a server treats other requests. */
  readonly mayLive: boolean
  readonly schema: Schema
  readonly schemas: Schemas
}

const changesServers =
  /^(Namespace|APIService|CustomResourceDefinition|FlowSchema|PriorityLevel|.*Webhook|Validating|.*Review|TokenRequest)/

/** Renames, so that objects of this tool can exist beside the objects of the recorded cases. */
const ownNames = <T>(value: T): T => JSON.parse(JSON.stringify(value).replace(/(?<![a-z])rd-/g, "differ-"))

/** `get` reads a document of the real server. */
export async function kindsOf(
  groups: readonly Group[],
  names: readonly string[] | undefined,
  get: (path: string) => Promise<JsonObject>,
): Promise<readonly Kind[]> {
  const documents = new Map<string, Schemas>()
  const kinds: Kind[] = []
  for (const group of groups.filter(({ group: name }) => names === undefined || names.includes(name)).map(ownNames)) {
    const create = group.cases.find(({ id }) => id === `${group.group}/store` || id.startsWith(`${group.group}/create/`))?.steps[0]
    if (create === undefined) continue
    const path = create.p.split("?")[0] ?? ""
    const prefix = /^\/(api\/v1|apis\/[^/]+\/[^/]+)\//.exec(path)?.[1] ?? ""
    const schemas = documents.get(prefix) ?? new Schemas(await get(`/openapi/v3/${prefix}`))
    documents.set(prefix, schemas)
    const kind = kindOf(group, path, schemas, prefix.replace(/^apis?\//, ""))
    if (kind !== undefined) kinds.push(kind)
  }
  return kinds
}

function kindOf(group: Group, path: string, schemas: Schemas, apiVersion: string): Kind | undefined {
  const typed = (object: JsonValue | undefined): JsonObject[] =>
    isObject(object) ? [{ apiVersion, kind: group.group.split(".")[0] ?? "", ...object }] : []
  const [first, ...others] = Object.values(group.bases ?? {}).flatMap(typed)
  const schema = first === undefined ? undefined : schemas.ofKind(apiVersion, String(first["kind"]))
  if (first === undefined || schema === undefined) return undefined
  const storing = group.cases.find(({ id }) => id === `${group.group}/store`)?.steps ?? []
  const [object] = typed(bodyOf(storing[0]?.b, group.bases))
  const name = fieldOf(object, "metadata", "name")
  const generic = `${path.replace(/\/namespaces\/[^/]+\//, "/namespaces/{namespace}/")}/{name}/status`
  const stored = { path: `${path}/${String(name)}`, object: object ?? {}, hasStatus: schemas.serves(generic) }
  return {
    name: group.group,
    path,
    bases: [first, ...others],
    setup: [...(group.setup ?? []), ...storing].map((step) => ({ ...step, b: bodyOf(step.b, group.bases) ?? null })),
    ...(typeof name === "string" && storing.length > 0 && { stored }),
    mayLive: !changesServers.test(group.group),
    schema,
    schemas,
  }
}
