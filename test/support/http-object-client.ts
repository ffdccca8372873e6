/** `ObjectClient` over HTTP, to compare a server's answers with the answers that its own program gets. */
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { ApiError, type Reason } from "../../runtime/base/errors.ts"
import type { ApiObject } from "../../runtime/base/json.ts"
import { queryOf } from "../../runtime/client/in-process-operation.ts"
import type { CollectionPlace, ObjectClient, ObjectList, WatchEvent } from "../../runtime/schema/object-client.ts"
import type { HttpClient } from "./http-client.ts"

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const

/** `userAgent` names the manager of fields. */
export function httpObjectClient(http: HttpClient, { token, userAgent }: { token: string; userAgent: string }): ObjectClient {
  const headers = { authorization: `Bearer ${token}`, "user-agent": userAgent }
  async function send(method: string, path: string, body?: object, contentType = "application/json"): Promise<ApiObject> {
    const answer = await http.send({
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { "content-type": contentType }) },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    })
    const object: ApiObject = JSON.parse(answer.body.toString())
    if (answer.status >= 400) throw errorOf(object)
    return object
  }
  const write =
    (method: string) =>
    (
      place: Place,
      object: object,
      { warn: _warn, signal: _signal, ...options }: { warn?: unknown; signal?: unknown } = {},
    ): Promise<ApiObject> =>
      send(method, pathOf(place, options), object)
  const create = write("POST")
  return {
    create,
    update: write("PUT"),
    get: (place, options) => send("GET", pathOf(place, options)),
    async list(place, options): Promise<ObjectList> {
      const { apiVersion = "", kind = "", items, metadata } = await send("GET", pathOf(place, options))
      // Items over HTTP have no type of their own.
      const typed = (items as ApiObject[]).map((item) => ({ apiVersion, kind: kind.replace(/List$/, ""), ...item }))
      return { items: typed, metadata: metadata as ObjectList["metadata"] }
    },
    watch: (place, options) => watch(http, headers, pathOf(place, { ...options, watch: true })),
    async post(place, body, options) {
      const answer = await create(place, body, options)
      return answer.kind === "Status" ? undefined : answer
    },
    patch(place, patch, { type, ...options } = {}) {
      return send("PATCH", pathOf(place, options), patch, patchTypes[type ?? (Array.isArray(patch) ? "json" : "merge")])
    },
    async apply(place, configuration, options) {
      const { kind, apiVersion } = (await send("GET", pathOf({ ...place, name: place.name }, {})).catch(() => ({}))) as ApiObject
      return send("PATCH", pathOf(place, options), { kind, apiVersion, ...configuration }, "application/apply-patch+yaml")
    },
    async delete(place, { dryRun, ...options } = {}) {
      await send("DELETE", pathOf(place, {}), { ...(dryRun === true && { dryRun: ["All"] }), ...options })
    },
    async deleteCollection(place, { labelSelector, fieldSelector, dryRun: _dryRun, signal: _signal, ...options } = {}) {
      await send("DELETE", pathOf(place, { labelSelector, fieldSelector }), options)
    },
  }
}

type Place = CollectionPlace & { readonly name?: string }

function pathOf({ group, version, namespace, resource, subresource, name = "" }: Place, options: object = {}): string {
  const steps = [group === "" ? `/api/${version}` : `/apis/${group}/${version}`]
  if (namespace !== "") steps.push("namespaces", namespace)
  steps.push(resource)
  if (name !== "") steps.push(name)
  if (subresource !== undefined) steps.push(subresource)
  const query = queryOf(options).toString()
  return steps.join("/") + (query === "" ? "" : `?${query}`)
}

function errorOf({ code, reason, message, details, metadata }: ApiObject): ApiError {
  const list = metadata as { continue?: string } | undefined
  return new ApiError(Number(code), String(reason ?? "") as Reason, String(message), details as ApiError["details"], list?.continue)
}

async function* watch(http: HttpClient, headers: Record<string, string>, path: string): AsyncGenerator<WatchEvent, void, undefined> {
  const answer = await http.open({ method: "GET", path, headers })
  if (answer.status >= 400) throw errorOf(JSON.parse(await text(answer.body)))
  try {
    for await (const line of createInterface({ input: answer.body })) {
      const event: { type: string; object: ApiObject } = JSON.parse(line)
      if (event.type === "ERROR") throw errorOf(event.object)
      yield event as WatchEvent
    }
  } finally {
    answer.destroy()
  }
}
