/** Performs acts: over HTTP, and by the in-process client. */
import { ApiError } from "../../../runtime/base/errors.ts"
import type { JsonObject } from "../../../runtime/base/json.ts"
import type { ObjectClient } from "../../../runtime/schema/object-client.ts"
import { type HttpAnswer, type HttpClient, readAll } from "../../support/http-client.ts"
import { type Act, actsOn, type Discovered, storedObject } from "./acts.ts"

export interface Answer {
  readonly status: number
  readonly text: string
}

/** Sends an act as the user of the token. Resolves with the head alone of an answer that does not end by itself. */
export async function perform(client: HttpClient, act: Act, token: string): Promise<Answer> {
  const { method, path, contentType, body, isWatch } = act
  const open = await client.open({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, ...(contentType !== undefined && { "content-type": contentType }) },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
  })
  if (isWatch === true && open.status === 200) {
    open.body.on("error", () => undefined)
    open.destroy()
    return { status: open.status, text: "" }
  }
  return { status: open.status, text: (await readAll(open.body)).toString() }
}

/** Performs an act, whose group is neutral, by an operation of the client. Undefined if the client has none for it. */
export async function performInProcess(client: ObjectClient, act: Act): Promise<Answer | undefined> {
  const operation = operationOf(client, act)
  if (operation === undefined) return undefined
  try {
    await operation()
    return { status: 200, text: "" }
  } catch (error) {
    if (error instanceof ApiError) return { status: error.code, text: error.message }
    throw error
  }
}

function operationOf(client: ObjectClient, { way, place: asked, body }: Act): (() => Promise<unknown>) | undefined {
  const place = asked.resource === "namespaces" ? { ...asked, namespace: "" } : asked
  const isPart = place.subresource !== ""
  const sent = body as JsonObject
  const dryRun = true
  const selection = { fieldSelector: `metadata.name=${place.name}` }
  const patch = (type: "json" | "merge" | "strategic") => () => client.patch(place, sent, { type, dryRun })
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    GET: () => client.get(place),
    LIST: () => client.list(place),
    "LIST one": () => client.list(place, selection),
    "LIST everywhere": () => client.list(place),
    WATCH: () => firstOf(client.watch(place, { timeoutSeconds: 1 })),
    "WATCH one": () => firstOf(client.watch(place, { ...selection, timeoutSeconds: 1 })),
    POST: () => (isPart ? client.post(place, sent, { dryRun }) : client.create(place, sent, { dryRun })),
    PUT: () => client.update(place, sent, { dryRun }),
    "PUT missing": () => client.update(place, sent, { dryRun }),
    "PATCH json": patch("json"),
    "PATCH merge": patch("merge"),
    "PATCH strategic": patch("strategic"),
    APPLY: () => client.apply(place, sent, { dryRun, fieldManager: "acts", force: true }),
    "APPLY missing": () => client.apply(place, sent, { dryRun, fieldManager: "acts", force: true }),
    DELETE: () => client.delete(place, { dryRun }),
    "DELETE collection": () => client.deleteCollection(place, { dryRun }),
  }
  return operations[way]
}

/** Leaves a watch after its first event, which may never come for an empty collection. */
async function firstOf(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events) return
}

interface DiscoveryDocument {
  readonly versions?: readonly string[]
  readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
  readonly resources?: readonly Omit<Discovered, "groupVersion">[]
}

/** Stores an object of each stored kind, and finds all acts. Throws if an object cannot be made. */
export async function prepareActs(client: HttpClient, adminToken: string): Promise<readonly Act[]> {
  const ask = (method: string, path: string, body?: JsonObject): Promise<HttpAnswer> =>
    client.send({
      method,
      path,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    })
  const read = async (path: string): Promise<DiscoveryDocument> => JSON.parse((await ask("GET", path)).body.toString())
  await addKinds(ask)
  const { groups = [] } = await read("/apis")
  const versions = ["v1", ...groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))]
  const acts: Act[] = []
  for (const groupVersion of versions) {
    const root = groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`
    const { resources = [] } = await read(root)
    const stored = new Map<string, JsonObject>()
    for (const resource of resources) {
      const discovered = { ...resource, groupVersion }
      const [parent = ""] = resource.name.split("/")
      if (parent === resource.name) stored.set(parent, await store(ask, root, discovered))
      acts.push(...actsOn(discovered, stored.get(parent) ?? {}))
    }
  }
  return acts
}

type Ask = (method: string, path: string, body?: JsonObject) => Promise<HttpAnswer>

/** The stored object; the sent one if the kind is not stored. */
async function store(ask: Ask, root: string, discovered: Discovered): Promise<JsonObject> {
  const object = storedObject(discovered)
  const { namespace, name = "" } = object.metadata as { readonly namespace?: string; readonly name?: string }
  const collection = `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${discovered.name}`
  const made = await ask("POST", collection, object)
  if (made.status !== 201 && made.status !== 405 && made.status !== 409 && made.status !== 404)
    throw new Error(`POST ${collection}: ${made.status} ${made.body}`)
  if (name === "") return object
  const read = await ask("GET", `${collection}/${name}`)
  return read.status === 200 ? JSON.parse(read.body.toString()) : object
}

/** Custom objects of both scopes, with all sub-resources. */
async function addKinds(ask: Ask): Promise<void> {
  const group = "acts.example.com"
  for (const [plural, kind, scope] of [
    ["kettles", "Kettle", "Namespaced"],
    ["urns", "Urn", "Cluster"],
  ] as const) {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
    const subresources = { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } }
    const spec = { group, scope, names: { plural, kind }, versions: [{ name: "v1", served: true, storage: true, schema, subresources }] }
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `${plural}.${group}` }, spec }
    const made = await ask("POST", path, body)
    if (made.status !== 201 && made.status !== 409) throw new Error(`POST ${path}: ${made.status} ${made.body}`)
    while ((await ask("GET", `/apis/${group}/v1/${scope === "Namespaced" ? "namespaces/default/" : ""}${plural}`)).status !== 200)
      await new Promise((resolve) => setImmediate(resolve))
  }
}
