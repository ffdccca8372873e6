/** The largest objects in real use pass every limit, in every encoding and by every verb. */
import { beforeAll, expect, it, onTestFinished } from "vitest"
import { kinds } from "../generated/index.ts"
import { codecOfKind } from "../runtime/encoding/protobuf/codec.ts"
import type { ApiObject } from "../runtime/base/json.ts"
import { documentValuesMax, objectFieldsMax, yamlBodyBytesMax } from "../runtime/base/limits.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"
import { openRegistry } from "./support/open-registry.ts"

const mediaTypes = { json: "application/json", yaml: "application/yaml", compact: "application/vnd.kubernetes.protobuf" } as const
type Media = keyof typeof mediaTypes

let server: InProcess
let client: HttpClient
beforeAll(async () => {
  server = await startInProcess({ store: "memory", vendor: "kubernetes" })
  client = createHttpClient({ protocol: "http2", port: server.port, authority: server.authority })
  return async () => {
    client.close()
    await server.stop()
  }
})

function send(method: string, path: string, body?: Buffer, contentType?: string): ReturnType<HttpClient["send"]> {
  const headers = { authorization: `Bearer ${server.token}`, ...(contentType !== undefined && { "content-type": contentType }) }
  return client.send({ method, path, headers, ...(body !== undefined && { body }) })
}

const endpoints: ApiObject = {
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "large", namespace: "default" },
  subsets: [
    {
      addresses: Array.from({ length: 5000 }, (_, index) => ({
        ip: `10.0.${Math.floor(index / 250)}.${(index % 250) + 1}`,
        nodeName: `node-${index % 500}`,
        targetRef: {
          kind: "Pod",
          namespace: "default",
          name: `pod-${index}`,
          uid: `0b9c1d9e-8f5e-4b61-9f36-${String(index).padStart(12, "0")}`,
        },
      })),
      ports: [{ port: 80, protocol: "TCP" }],
    },
  ],
}

const configMap: ApiObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "large", namespace: "default", annotations: { long: "x".repeat(255 * 1024) } },
  data: { one: "x".repeat(700 * 1024), two: "y".repeat(300 * 1024) },
}

async function encoded(object: ApiObject, media: Media): Promise<Buffer> {
  if (media !== "compact") return Buffer.from(JSON.stringify(object))
  const { apiVersion = "", kind = "" } = object
  const found = kinds.find((one) => one.kind === kind && one.group === "")
  if (found === undefined) throw new Error(`there is no ${kind}`)
  return codecOfKind(await found.load()).encodeEnvelope(object, { apiVersion, kind })
}

it.each([
  ["endpoints", "json", endpoints],
  ["endpoints", "yaml", endpoints],
  ["endpoints", "compact", endpoints],
  ["configmaps", "json", configMap],
  ["configmaps", "compact", configMap],
] as const)("the largest real %s is accepted as %s", async (resource, media, object) => {
  const collection = `/api/v1/namespaces/default/${resource}`
  const path = `${collection}/large`
  onTestFinished(async () => {
    await send("DELETE", path)
  })
  const body = await encoded(object, media)
  if (media === "yaml") expect(body.length).toBeLessThan(yamlBodyBytesMax)
  expect((await send("POST", collection, body, mediaTypes[media])).status).toBe(201)
  expect((await send("PUT", path, body, mediaTypes[media])).status).toBe(200)
  const stored = await send("GET", path)
  expect((await send("PUT", path, stored.body, mediaTypes.json)).status).toBe(200)
  const json = await encoded(object, "json")
  for (const type of ["merge-patch", "strategic-merge-patch"])
    expect((await send("PATCH", path, json, `application/${type}+json`)).status).toBe(200)
  const label = Buffer.from('[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]')
  expect((await send("PATCH", path, label, "application/json-patch+json")).status).toBe(200)
  const applied = await send("PATCH", `${path}?fieldManager=m&force=true`, json, "application/apply-patch+yaml")
  expect(applied.status).toBe(200)
})

it("an object stored under a higher limit can be read and removed, but not written again", async () => {
  const { handle } = await openRegistry()
  const { codec } = await handle("configmaps")
  const many = documentValuesMax + 10
  const data = Object.fromEntries(Array.from({ length: many }, (_, index) => [`k${index}`, "v"]))
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "old", namespace: "default", uid: "u" }, data }
  const key = "/registry/configmaps/default/old"
  await server.store.commit({ checks: [], writes: [{ type: "put", key, value: codec.encode(structuredClone(object)).value }] })
  const path = "/api/v1/namespaces/default/configmaps/old"
  const got = await send("GET", path)
  expect(got.status).toBe(200)
  expect(Object.keys(JSON.parse(String(got.body)).data)).toHaveLength(many)
  for (const accept of [mediaTypes.yaml, mediaTypes.compact, "application/json;as=Table;v=v1;g=meta.k8s.io"]) {
    const headers = { authorization: `Bearer ${server.token}`, accept }
    for (const asked of [path, "/api/v1/namespaces/default/configmaps"])
      expect((await client.send({ method: "GET", path: asked, headers })).status).toBe(200)
  }
  expect((await send("PUT", path, got.body, mediaTypes.json)).status).toBe(413)
  expect((await send("DELETE", path)).status).toBe(200)
})

const fields = (count: number, prefix = "k"): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "v"]))
const withData = (data: Record<string, string>): ApiObject => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "many" }, data })
const yamlLines = (data: Record<string, string>): string => Object.keys(data).reduce((text, key) => `${text}  ${key}: v\n`, "data:\n")

it("an object has a maximum number of fields, in whatever encoding it is sent", async () => {
  const collection = "/api/v1/namespaces/default/configmaps"
  const path = `${collection}/many`
  onTestFinished(async () => {
    await send("DELETE", path)
  })
  const tooMany = fields(objectFieldsMax + 1)
  const refused = /an object in the document has more than 16384 fields, which is the limit/
  const yaml = Buffer.from(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: many}\n${yamlLines(tooMany)}`)
  const bodies = [
    ["POST", collection, await encoded(withData(tooMany), "json"), mediaTypes.json],
    ["POST", collection, await encoded(withData(tooMany), "compact"), mediaTypes.compact],
    ["POST", collection, yaml, mediaTypes.yaml],
    ["PATCH", `${path}?fieldManager=m`, yaml, "application/apply-patch+yaml"],
    ["PATCH", `${path}?fieldManager=m`, await encoded(withData(tooMany), "json"), "application/apply-patch+yaml"],
  ] as const
  for (const [method, to, body, type] of bodies) {
    const answer = await send(method, to, body, type)
    expect([type, answer.status, String(answer.body)]).toEqual([type, 413, expect.stringMatching(refused)])
  }
  expect((await send("POST", collection, await encoded(withData(fields(objectFieldsMax)), "json"), mediaTypes.json)).status).toBe(201)
  const repeated = Buffer.from(`{"metadata":{"name":"repeated"},"data":{"a":"b"${',"a":"b"'.repeat(objectFieldsMax)}}}`)
  expect((await send("POST", `${collection}?dryRun=All`, repeated, mediaTypes.json)).status).toBe(201)
  const more = Buffer.from('{"data":{"one":"more"}}')
  for (const type of ["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"]) {
    const sent = type === "apply-patch+yaml" ? await encoded(withData({ one: "more" }), "json") : more
    const answer = await send("PATCH", `${path}?fieldManager=m`, sent, `application/${type}`)
    expect([type, answer.status, String(answer.body)]).toEqual([type, 413, expect.stringMatching(refused)])
  }
})
