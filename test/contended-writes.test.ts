/** Many concurrent writers of one object: each write succeeds, and no client has to try again. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { isObject, type JsonObject } from "../runtime/base/json.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess, type StoreName } from "./support/in-process.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const clients = 16
const rounds = 8

describe.each<StoreName>(["memory", "lmdb"])("on %s", (store) => {
  let server: InProcess
  let client: HttpClient

  beforeEach(async () => {
    server = await startInProcess({ store, vendor: "orch" })
    client = createHttpClient({ protocol: "http2", port: server.port, authority: server.authority })
  })

  afterEach(async () => {
    client.close()
    await server.stop()
  })

  async function ask(
    method: string,
    path: string,
    body: JsonObject,
    contentType = "application/json",
  ): Promise<{ status: number; body: JsonObject }> {
    const { status, body: answer } = await client.send({
      ...{ method, path },
      headers: { "content-type": contentType, authorization: `Bearer ${server.token}` },
      body: Buffer.from(JSON.stringify(body)),
    })
    return { status, body: JSON.parse(answer.toString()) }
  }

  /** Each of the clients sends its requests one after the other. Returns how many requests got which status. */
  async function statuses(
    send: (name: string, path: string) => Promise<{ status: number }>,
    path: string,
  ): Promise<Record<number, number>> {
    const counts: Record<number, number> = {}
    const loop = async (index: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const { status } = await send(`c${index}-${round}`, path)
        counts[status] = (counts[status] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, index) => loop(index)))
    return counts
  }

  it("patches and applies of one object all succeed, and none is lost", async () => {
    await ask("POST", configMaps, { metadata: { name: "a" } })
    const patch = (name: string, path: string): Promise<{ status: number }> =>
      ask("PATCH", path, { data: { [name]: "x" } }, "application/strategic-merge-patch+json")
    expect(await statuses(patch, `${configMaps}/a`)).toEqual({ 200: clients * rounds })
    const apply = (name: string, path: string): Promise<{ status: number }> => {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { [`applied-${name}`]: "x" } }
      return ask("PATCH", `${path}?fieldManager=${name}`, body, "application/apply-patch+yaml")
    }
    expect(await statuses(apply, `${configMaps}/a`)).toEqual({ 200: clients * rounds })
    const { body } = await ask("PATCH", `${configMaps}/a`, {}, "application/merge-patch+json")
    expect(isObject(body["data"]) && Object.keys(body["data"])).toHaveLength(2 * clients * rounds)
  })

  it("writers of a status, and one that deletes the object meanwhile", async () => {
    await ask("POST", "/api/v1/namespaces", { metadata: { name: "n" } })
    const write = (name: string, path: string): Promise<{ status: number }> =>
      ask(
        "PATCH",
        `${path}/status`,
        { status: { conditions: [{ type: name, status: "True", lastTransitionTime: null }] } },
        "application/strategic-merge-patch+json",
      )
    expect(await statuses(write, "/api/v1/namespaces/n")).toEqual({ 200: clients * rounds })
    await ask("POST", configMaps, { metadata: { name: "held", finalizers: ["example.com/held"] } })
    const patch = (name: string, path: string): Promise<{ status: number }> =>
      ask("PATCH", path, { data: { [name]: "x" } }, "application/merge-patch+json")
    const [patches, deletion] = await Promise.all([
      statuses(patch, `${configMaps}/held`),
      ask("DELETE", `${configMaps}/held`, { propagationPolicy: "Background" }),
    ])
    expect(patches).toEqual({ 200: clients * rounds })
    expect(deletion.status).toBe(200)
  })

  it("a stale version is refused at once while others wait", async () => {
    const { body } = await ask("POST", configMaps, { metadata: { name: "a" } })
    const patch = (name: string, path: string): Promise<{ status: number }> =>
      ask("PATCH", path, { data: { [name]: "x" } }, "application/merge-patch+json")
    const all = statuses(patch, `${configMaps}/a`)
    const first = await ask("PUT", `${configMaps}/a`, { ...body, data: { own: "x" } })
    expect([200, 409]).toContain(first.status)
    expect((await ask("PUT", `${configMaps}/a`, { ...body, data: { own: "y" } })).status).toBe(409)
    expect(await all).toEqual({ 200: clients * rounds })
  })
})
