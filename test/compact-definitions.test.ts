/**
 * Definitions in the compact encoding over HTTP, compared with the bytes that the reference's library writes
 * (test/stored-definitions). Scenarios of the same in `test/api/media`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import protobuf from "protobufjs"
import { systemClock } from "../runtime/base/clock.ts"
import { unwrapUnknown } from "../runtime/encoding/protobuf/codec.ts"
import { storeFolder } from "../runtime/launch/data-dir.ts"
import { openLmdbStore } from "../runtime/storage/lmdb/lmdb-store.ts"
import { createHttpClient, type HttpAnswer, type HttpClient } from "./support/http-client.ts"
import { startServer } from "../runtime/library.ts"
import recordings from "./stored-definitions/recorded.json" with { type: "json" }

const name = "pans.kitchen.example.com"
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const compact = "application/vnd.kubernetes.protobuf"
/** The version in the recorded answers. */
const answeredVersion = 7

const recorded = recordings.find(({ json }) => json.metadata.name === name) ?? expect.fail(`${name} is not recorded`)
const answered = Buffer.from(recorded.answered, "base64")

let token = ""
let client: HttpClient

function ask(method: string, at: string, body?: Buffer, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  const type = body !== undefined && { "content-type": compact }
  return client.send({
    method,
    path: at,
    headers: { authorization: `Bearer ${token}`, accept: compact, ...type, ...headers },
    ...(body !== undefined && { body }),
  })
}

beforeEach(async () => {
  const dir = mkdtempSync(join(tmpdir(), "compact-definitions-"))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const store = await openLmdbStore({ dir: storeFolder(dir), clock: systemClock })
  const put = (key: string, value: Buffer) => store.commit({ checks: [], writes: [{ type: "put", key: `/registry/${key}`, value }] })
  while ((await store.revision()) < answeredVersion - 1) await put("nothing", Buffer.from("{}"))
  await put(`apiextensions.k8s.io/customresourcedefinitions/${name}`, Buffer.from(recorded.compact, "base64"))
  expect(await store.revision()).toBe(answeredVersion)
  await store.close()
  const server = await startServer({ "data-dir": dir, vendor: "kubernetes" })
  token = server.token
  client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
  onTestFinished(async () => {
    client.close()
    await server.stop()
  })
})

it("a definition is answered with the bytes of the reference: read, in a list, in a watch, and updated without a change", async () => {
  const read = await ask("GET", `${path}/${name}`)
  expect([read.status, read.headers["content-type"]]).toEqual([200, compact])
  expect(read.body).toEqual(answered)

  const list = await ask("GET", path)
  const { kind, raw } = unwrapUnknown(list.body)
  expect([kind, fieldsOf(raw).filter(({ number }) => number === 2)]).toEqual([
    "CustomResourceDefinitionList",
    [{ number: 2, bytes: Buffer.from(unwrapUnknown(answered).raw) }],
  ])

  const watch = await client.open({
    method: "GET",
    path: `${path}?watch=1`,
    headers: { authorization: `Bearer ${token}`, accept: compact },
  })
  const frame = await firstFrame(watch.body)
  const [type, object] = fieldsOf(frame)
  expect([type?.bytes.toString(), fieldsOf(object?.bytes ?? Buffer.of())]).toEqual(["ADDED", [{ number: 1, bytes: answered }]])

  const updated = await ask("PUT", `${path}/${name}`, answered)
  expect([updated.status, updated.body]).toEqual([200, answered])
})

it("a definition is created, patched and deleted in it", async () => {
  const deleted = await ask("DELETE", `${path}/${name}`)
  expect([deleted.status, unwrapUnknown(deleted.body).kind]).toEqual([200, "CustomResourceDefinition"])
  await vi.waitFor(async () => expect((await ask("GET", `${path}/${name}`)).status).toBe(404))

  const created = await ask("POST", path, Buffer.from(recorded.compact, "base64"))
  expect([created.status, unwrapUnknown(created.body).kind]).toEqual([201, "CustomResourceDefinition"])
  const patch = Buffer.from('{"metadata":{"labels":{"a":"b"}}}')
  const patched = await ask("PATCH", `${path}/${name}`, patch, { "content-type": "application/merge-patch+json" })
  expect([patched.status, unwrapUnknown(patched.body).kind]).toEqual([200, "CustomResourceDefinition"])
  const json = await ask("GET", `${path}/${name}`, undefined, { accept: "application/json" })
  expect(JSON.parse(json.body.toString())).toMatchObject({ metadata: { labels: { a: "b" } }, spec: recorded.served.spec })
})

/** The fields of a message that have a length, in their order. */
function fieldsOf(message: Uint8Array): readonly { readonly number: number; readonly bytes: Buffer }[] {
  const fields: { number: number; bytes: Buffer }[] = []
  const reader = protobuf.Reader.create(message)
  while (reader.pos < reader.len) {
    const number = reader.uint32() >>> 3
    fields.push({ number, bytes: Buffer.from(reader.bytes()) })
  }
  return fields
}

/** A frame of a watch follows its length, in four bytes. Ends the watch. */
async function firstFrame(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let received = Buffer.of()
  for await (const piece of body) {
    received = Buffer.concat([received, piece])
    if (received.length < 4) continue
    const end = 4 + received.readUInt32BE(0)
    if (received.length >= end) return received.subarray(4, end)
  }
  return expect.fail("the watch has ended")
}
