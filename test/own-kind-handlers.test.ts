/** Own kinds in `server.api`: served from a folder, and from its imported module. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { readSchemas } from "../codegen/folder.ts"
import { generate } from "../codegen/generate.ts"
import { type ApiModule, startServer } from "../runtime/library.ts"
import { packageRoot } from "../runtime/package-root.ts"

const folder = mkdtempSync(join(tmpdir(), "own-kind-handlers-"))
afterAll(() => rmSync(folder, { recursive: true }))

const schema = `kind: Queue
group: queue.example.com
version: v1
doc: A queue.
scope: Namespaced
names: {plural: queues, singular: queue, short: [], categories: []}
behaviours: [queueNotes]
subresources:
  status: {keeps: [spec]}
create: {drops: [status]}
update: {keeps: [status], generation: [spec]}
fields:
  spec: {type: QueueSpec, number: 2, required: published, doc: What is wanted.}
  status: {type: QueueStatus, number: 3, doc: What is.}
types:
  QueueSpec:
    doc: What is wanted.
    fields:
      size: {type: int32, number: 1, pointer: true, default: 3, minimum: 0, doc: Its size.}
      note: {type: string, number: 2, doc: A note.}
      every: {type: Duration, number: 3, pointer: true, doc: How often it is looked at.}
  QueueStatus:
    doc: What is.
    fields:
      length: {type: int32, number: 1, doc: Its length.}
`
const behaviour = `export const queueNotes = () => ({
  decoded(object) { if (object.spec?.note === "again") object.spec = { ...object.spec, every: "90m" } },
  prepareCreate(object) { object.spec = { ...object.spec, note: "noted", every: "90m" } },
  commit(change) {
    if (change.object?.spec.size === 13) change.object.spec.every = 13
    return Promise.resolve({ checks: [], writes: [] })
  },
})
`

beforeAll(async () => {
  const library = readSchemas(join(packageRoot, "schemas"))
  const { files, diagnostics } = await generate(new Map([["queue.example.com/v1/queue.yaml", schema]]), { library })
  expect(diagnostics).toEqual([])
  for (const [path, text] of files) {
    write(join("served", "generated", path), text)
    write(join("imported", "generated", path), withPackage(text))
  }
  for (const place of ["served", "imported"]) write(join(place, "behaviours", "queue-notes.ts"), behaviour)
})

function write(path: string, text: string): void {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, text)
}

/** The package is not installed beside the folder: uses this repository's doorway instead. */
function withPackage(text: string): string {
  return text
    .replaceAll('"orch-apiserver/schema"', JSON.stringify(join(packageRoot, "runtime", "schema", "index.ts")))
    .replaceAll(/"orch-apiserver\/(generated\/[^"]+)"/g, (_match, path: string) => JSON.stringify(`${join(packageRoot, path)}.ts`))
}

/** The types that the compiler finds in the generated files of a program. */
interface Queue {
  metadata: { name?: string; resourceVersion?: string; generation?: number; managedFields?: object[] }
  spec: { size?: number; note?: string; every?: string }
  status: { length?: number }
}
interface Queues {
  readonly queue: {
    readonly v1: {
      readonly queues: {
        create(namespace: string, object: { metadata: { name: string }; spec: { size?: number } }): Promise<Queue>
        patch(namespace: string, name: string, patch: { spec: { note?: string } }): Promise<Queue>
        readonly status: { patch(namespace: string, name: string, patch: { status: { length: number } }): Promise<Queue> }
      }
    }
  }
}

it("types and serves the kinds of an imported module, with their behaviours and documents", async () => {
  const queues = (await import(pathToFileURL(join(folder, "imported", "generated", "index.ts")).href)) as ApiModule<Queues>
  const server = await startServer({ api: [queues] })
  onTestFinished(() => server.stop())
  const { queues: handlers } = server.api.queue.v1
  const made = await handlers.create("default", { metadata: { name: "q" }, spec: {} })
  expect(made).toMatchObject({ kind: "Queue", apiVersion: "queue.example.com/v1", spec: { size: 3, note: "noted", every: "1h30m0s" } })
  expect(await handlers.status.patch("default", "q", { status: { length: 1 } })).toMatchObject({ status: { length: 1 } })
  expect((await server.api.core.v1.namespaces.get("default")).kind).toBe("Namespace")
  expect(server.api.queue.v1.queues).toBe(handlers)
})

it("stores what hooks wrote in canonical form, so that an update without a change is none", async () => {
  const queues = (await import(pathToFileURL(join(folder, "imported", "generated", "index.ts")).href)) as ApiModule<Queues>
  const server = await startServer({ api: [queues] })
  onTestFinished(() => server.stop())
  const { queues: handlers } = server.api.queue.v1
  await handlers.create("default", { metadata: { name: "q" }, spec: {} })
  const changed = await handlers.patch("default", "q", { spec: { note: "again" } })
  expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { note: "again", every: "1h30m0s" } })
  expect(changed.metadata.managedFields).toHaveLength(1)
  const { metadata } = await handlers.patch("default", "q", { spec: { note: "again" } })
  expect(metadata).toEqual(changed.metadata)
})

it("answers a value of a hook that does not fit its type as a fault of the server", async () => {
  const queues = (await import(pathToFileURL(join(folder, "imported", "generated", "index.ts")).href)) as ApiModule<Queues>
  const server = await startServer({ api: [queues] })
  onTestFinished(() => server.stop())
  const { queues: handlers } = server.api.queue.v1
  await expect(handlers.create("default", { metadata: { name: "q" }, spec: { size: 13 } })).rejects.toThrow(
    "the hooks queueNotes of Queue wrote a value that does not fit: json: cannot unmarshal number 13 into field spec.every",
  )
  expect(await handlers.create("default", { metadata: { name: "q" }, spec: { size: 3 } })).toMatchObject({ spec: { size: 3 } })
})

it("serves the kinds of a folder without types", async () => {
  const server = await startServer({ api: [join(folder, "served", "generated")] })
  onTestFinished(() => server.stop())
  const handlers = server.api.queue?.v1?.queues
  await handlers?.create("default", { metadata: { name: "q" }, spec: { size: 5 } })
  expect(await handlers?.get("default", "q")).toMatchObject({ spec: { size: 5, note: "noted", every: "1h30m0s" } })
  const place = { group: "queue.example.com", version: "v1", resource: "queues", namespace: "default", name: "q" }
  expect(await server.client.get(place)).toMatchObject({ spec: { size: 5 } })
})

it("refuses a module whose behaviour does not load, and kinds that are there already", async () => {
  const queues = (await import(pathToFileURL(join(folder, "imported", "generated", "index.ts")).href)) as ApiModule<Queues>
  const behaviours = async () => {
    throw new Error("no such file")
  }
  await expect(startServer({ api: [{ ...queues, behaviours }] })).rejects.toThrow("a behaviour of the kinds does not load: no such file")
  await expect(startServer({ api: [queues, join(folder, "served", "generated")] })).rejects.toThrow(
    "queue.example.com/v1 queues is there already",
  )
})
