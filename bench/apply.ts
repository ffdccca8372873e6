/**
 * What does tracking field managers cost? Microseconds of CPU that managed fields add to creating and patching an
 * object of 1 KB, the CPU of applying a pod, and milliseconds from request to answer for applying 1 MiB in 10,000 keys.
 * Run: node --import tsx bench/apply.ts
 */
import { applyConfiguration } from "../runtime/apply/managed-fields/apply.ts"
import { applyMergePatch } from "../runtime/apply/merge-patch.ts"
import type { ApiObject, JsonObject } from "../runtime/base/json.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import { timeText } from "../runtime/base/time.ts"
import { createObject } from "../runtime/registry/create.ts"
import { versionsOf, type ManagedFieldsMode } from "../runtime/registry/managed-fields.ts"
import type { KindHandle } from "../runtime/registry/registry.ts"
import { updateObject } from "../runtime/registry/update.ts"
import { createHttpClient } from "../test/support/http-client.ts"
import { startInProcess } from "../test/support/in-process.ts"
import { openRegistry } from "../test/support/open-registry.ts"
import { writeAttributes } from "../test/support/write-attributes.ts"

const rounds = 7
const calls = 2000
const { registry, handle, close } = await openRegistry()
const configMaps = await handle("configmaps")
const pods = await handle("pods")
const quiet = { warn: (): void => {} }

const create = await added((managedFields, index) =>
  createConfigMap(`${managedFields === undefined ? "plain" : "owned"}-${index}`, managedFields),
)
await createConfigMap("plain", undefined)
await createConfigMap("owned", "tracked")
const patch = await added((managedFields, index) => patchConfigMap(managedFields === undefined ? "plain" : "owned", managedFields, index))
console.log(JSON.stringify({ addedCpuUs: { create, mergePatch: patch } }))
console.log(JSON.stringify({ podApplyCpuUs: await podApply() }))
console.log(JSON.stringify({ milliseconds: await largeApply() }))
await close()
process.exit()

/** CPU per call with managed fields, without, and the difference: the best of alternating rounds. */
async function added(run: (managedFields: ManagedFieldsMode | undefined, index: number) => Promise<unknown>): Promise<JsonObject> {
  let index = 0
  const best = { plain: Number.POSITIVE_INFINITY, owned: Number.POSITIVE_INFINITY }
  for (let round = 0; round < rounds; round++) {
    best.plain = Math.min(best.plain, await cpuUs(() => run(undefined, index++)))
    best.owned = Math.min(best.owned, await cpuUs(() => run("tracked", index++)))
  }
  return { without: Math.round(best.plain), with: Math.round(best.owned), added: Math.round(best.owned - best.plain) }
}

async function cpuUs(call: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  for (let count = 0; count < calls; count++) await call()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

function createConfigMap(name: string, managedFields: ManagedFieldsMode | undefined): Promise<unknown> {
  const data = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`key-${index}`, "x".repeat(100)]))
  const object = decoded(configMaps, { metadata: { name, labels: { app: "bench", tier: "front" } }, data })
  return createObject(registry, configMaps, {
    ...quiet,
    attributes: writeAttributes("CREATE", configMaps, { namespace: "default", manager: "bench" }),
    object,
    ...(managedFields !== undefined && { managedFields }),
  })
}

function patchConfigMap(name: string, managedFields: ManagedFieldsMode | undefined, index: number): Promise<unknown> {
  return updateObject(registry, configMaps, {
    ...quiet,
    attributes: writeAttributes("UPDATE", configMaps, { namespace: "default", name, manager: "bench" }),
    put: false,
    ...(managedFields !== undefined && { managedFields }),
    transform: (old) => decoded(configMaps, applyMergePatch(old ?? {}, { data: { "key-1": `changed ${index}` } })),
  })
}

function decoded(of: KindHandle, document: JsonObject): ApiObject {
  const { object } = normalize(of.parts.shape, { kind: of.kind.kind, apiVersion: of.apiVersion, ...document })
  of.parts.applyDefaults(object, { vendor: registry.deps.vendor })
  return object
}

async function podApply(): Promise<JsonObject> {
  const versions = await versionsOf(registry, pods, "")
  const containers = [0, 1].map((index) => ({
    name: `container-${index}`,
    image: "registry/web:1",
    ports: [{ containerPort: 8080 + index, protocol: "TCP" }],
    env: Array.from({ length: 10 }, (_, at) => ({ name: `VARIABLE_${at}`, value: "value" })),
    resources: { requests: { cpu: "100m", memory: "128Mi" } },
    livenessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 10 },
  }))
  const apply = (manager: string, labels: JsonObject): Promise<unknown> =>
    updateObject(registry, pods, {
      ...quiet,
      attributes: writeAttributes("UPDATE", pods, { namespace: "default", name: "web", manager }),
      put: false,
      creation: { by: "apply", authorize: () => undefined },
      managedFields: "provided",
      transform(live) {
        const config = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels }, spec: { containers } }
        const object = applyConfiguration({
          versions,
          config,
          manager,
          subresource: "",
          force: false,
          now: timeText(registry.deps.clock.nowMs()),
          lastAppliedAnnotation: "",
          ...(live !== undefined && { live }),
        })
        return decoded(pods, { ...object, metadata: { ...object.metadata, namespace: "default" } })
      },
    })
  await apply("one", {})
  let index = 0
  let changed = Number.POSITIVE_INFINITY
  let same = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    changed = Math.min(changed, await cpuUs(() => apply("one", { round: String(index++) })))
    same = Math.min(same, await cpuUs(() => apply("one", { round: String(index - 1) })))
  }
  return { changed: Math.round(changed), unchanged: Math.round(same) }
}

/** Over TLS, with client and server in this process. */
async function largeApply(): Promise<JsonObject> {
  const server = await startInProcess({ store: "memory", vendor: "orch" })
  const client = createHttpClient({ protocol: "http1", port: server.port, authority: server.authority })
  const data = (count: number, last: string): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, index === count - 1 ? last : "x".repeat(90)]))
  const config = (values: JsonObject): Buffer =>
    Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" }, data: values }))
  const headers = { "content-type": "application/apply-patch+yaml", authorization: `Bearer ${server.token}` }
  async function timed(manager: string, body: Buffer, status: number): Promise<number> {
    const path = `/api/v1/namespaces/default/configmaps/large?fieldManager=${manager}`
    const start = performance.now()
    const answer = await client.send({ method: "PATCH", path, headers, body })
    if (answer.status !== status) throw new Error(`${answer.status} ${answer.body.toString("utf8").slice(0, 300)}`)
    return Math.round(performance.now() - start)
  }
  const result = {
    created: await timed("one", config(data(10_000, "a")), 201),
    warmed: await timed("one", config(data(10_000, "b")), 200),
    oneChanged: await timed("one", config(data(10_000, "c")), 200),
    unchanged: await timed("one", config(data(10_000, "c")), 200),
    secondOwner: await timed("two", config(data(10_000, "c")), 200),
    conflict: await timed("two", config(data(10_000, "d")), 409),
    halfRemoved: await timed("two", config(data(5000, "x".repeat(90))), 200),
    oneThousand: await timed("three", config(data(1000, "x".repeat(90))), 200),
  }
  client.close()
  await server.stop()
  return result
}
