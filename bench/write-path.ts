/**
 * What does each step of a write cost on the main thread? Microseconds of CPU, best of many rounds, for a ConfigMap of
 * 1 KB, a Deployment and a Pod: reading the body, managed fields, validation, patching and applying, without HTTP and
 * without a disk.
 * Run: node --import tsx bench/write-path.ts
 */
import { applyConfiguration } from "../runtime/apply/managed-fields/apply.ts"
import { trackUpdate } from "../runtime/apply/managed-fields/track-update.ts"
import { type DocumentPatch, readingDocumentPatch } from "../runtime/apply/read-patch.ts"
import { Failures } from "../runtime/base/failure.ts"
import type { ApiObject, JsonObject } from "../runtime/base/json.ts"
import { parseJson } from "../runtime/encoding/json/text.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import { createObject } from "../runtime/registry/create.ts"
import { validateObjectMeta } from "../runtime/registry/object-meta.ts"
import { versionsOf } from "../runtime/registry/managed-fields.ts"
import type { KindHandle } from "../runtime/registry/registry.ts"
import { atOnce } from "../runtime/base/turns.ts"
import { readToChange } from "../runtime/registry/stored-object.ts"
import { updateObject } from "../runtime/registry/update.ts"
import { decodeObject } from "../runtime/wire/decode-object.ts"
import { openRegistry } from "../test/support/open-registry.ts"
import { writeAttributes } from "../test/support/write-attributes.ts"

const rounds = 60
const roundUs = 6000
const now = "2026-01-02T03:04:05Z"
const { registry, handle, close } = await openRegistry()
const { vendor } = registry.deps
const namespace = "default"
const quiet = { warn: (): void => {} }
const manager = "bench"

const container = (index: number): JsonObject => ({
  name: `container-${index}`,
  image: "registry/web:1",
  ports: [{ containerPort: 8080 + index, protocol: "TCP", name: `http-${index}` }],
  env: Array.from({ length: 5 }, (_, at) => ({ name: `VARIABLE_${at}`, value: "value" })),
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
  volumeMounts: [{ name: "data", mountPath: "/data" }],
  livenessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 10 },
})
const podSpec: JsonObject = { containers: [container(0), container(1)], volumes: [{ name: "data", emptyDir: {} }] }
const metadata: JsonObject = { labels: { app: "a1", tier: "t" } }

interface Subject {
  readonly resource: string
  readonly body: JsonObject
  /** A patch of one field, by the number of the call. */
  readonly patch: (call: number) => JsonObject
}

const subjects: readonly Subject[] = [
  {
    resource: "configmaps",
    body: { apiVersion: "v1", kind: "ConfigMap", metadata, data: { k: "x".repeat(1000) } },
    patch: (call) => ({ data: { n: String(call) } }),
  },
  {
    resource: "deployments",
    body: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { replicas: 3, selector: { matchLabels: { app: "a1" } }, template: { metadata, spec: podSpec } },
    },
    patch: (call) => ({ spec: { replicas: call % 9 } }),
  },
  {
    resource: "pods",
    body: { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec },
    patch: (call) => ({ metadata: { labels: { n: String(call) } } }),
  },
]

for (const subject of subjects) {
  const of = await handle(subject.resource)
  const steps = { ...(await ofCreation(subject, of)), ...(await ofPatches(subject, of)), ...(await ofApply(subject, of)) }
  console.log(JSON.stringify({ [subject.resource]: steps }))
}
await close()
process.exit()

/** Microseconds per call: the best of many short rounds, so that other programs on the machine do not count. */
async function cost(call: (index: number) => unknown): Promise<number> {
  let index = 0
  let calls = 1
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage()
    for (let count = 0; count < calls; count++) {
      const pending = call(index++)
      if (pending instanceof Promise) await pending
    }
    const { user, system } = process.cpuUsage(start)
    const us = Math.max(1, user + system) / calls
    best = Math.min(best, us)
    calls = Math.max(1, Math.ceil(roundUs / us))
  }
  return Math.round(best * 10) / 10
}

function named(body: JsonObject, name: string): JsonObject {
  return { ...body, metadata: { name, ...(body["metadata"] as JsonObject) } }
}

function decode(of: KindHandle, bytes: Uint8Array): ApiObject {
  const { object } = decodeObject(bytes, "json", {
    shape: of.parts.shape,
    expect: { kind: of.kind.kind, apiVersions: [of.apiVersion] },
  })
  return object
}

function defaulted(of: KindHandle, object: ApiObject): ApiObject {
  of.parts.applyDefaults(object, { vendor })
  return object
}

function renormalized(of: KindHandle, document: JsonObject): ApiObject {
  return defaulted(of, normalize(of.parts.shape, document).object)
}

async function ofCreation({ resource, body }: Subject, of: KindHandle): Promise<JsonObject> {
  const versions = await versionsOf(registry, of, "")
  const bytes = Buffer.from(JSON.stringify(named(body, "one")))
  const next = defaulted(of, decode(of, bytes))
  const failures = new Failures()
  const { namespaced, nameRule } = of.kind
  const validate = (): void => {
    validateObjectMeta({ ...next.metadata, namespace: "default" }, { namespaced, nameRule, failures })
    of.parts.validate(next, { failures, vendor })
  }
  return {
    parse: await cost(() => JSON.parse(bytes.toString())),
    body: await cost(() => decode(of, bytes)),
    bodyAndDefaults: await cost(() => defaulted(of, decode(of, bytes))),
    createOwners: await cost(() => trackUpdate({ versions, next, manager, subresource: "", now })),
    validate: await cost(validate),
    create: await cost((index) =>
      createObject(registry, of, {
        ...quiet,
        attributes: writeAttributes("CREATE", of, { namespace, manager }),
        object: defaulted(of, decode(of, Buffer.from(JSON.stringify(named(body, `${resource}-${index}`))))),
        managedFields: "tracked",
      }),
    ),
  }
}

async function ofPatches({ body, patch }: Subject, of: KindHandle): Promise<JsonObject> {
  const versions = await versionsOf(registry, of, "")
  const object = defaulted(of, decode(of, Buffer.from(JSON.stringify(named(body, "patched")))))
  const created = await createObject(registry, of, {
    ...quiet,
    attributes: writeAttributes("CREATE", of, { namespace, manager: "creator" }),
    object,
    managedFields: "tracked",
  })
  const read = (index: number): DocumentPatch => {
    const text = JSON.stringify(patch(index))
    const parsed = parseJson(text, { trackDuplicates: true })
    return atOnce(readingDocumentPatch("application/merge-patch+json", { text, parsed }, of.parts.shape))
  }
  const patched = async (index: number): Promise<unknown> =>
    updateObject(registry, of, {
      ...quiet,
      attributes: writeAttributes("UPDATE", of, { namespace, name: "patched", manager }),
      put: false,
      managedFields: "tracked",
      fresh: true,
      transform: (old) => renormalized(of, atOnce(read(index).apply(old ?? {}))),
    })
  await patched(0)
  await patched(1)
  const bytes = Buffer.from(JSON.stringify((await stored(of, "patched")) ?? created.object))
  const old = readToChange(bytes)
  const next = renormalized(of, atOnce(read(2).apply(old)))
  return {
    readStored: await cost(() => readToChange(bytes)),
    patchNormalize: await cost((index) => renormalized(of, atOnce(read(index).apply(old)))),
    patchOwners: await cost(() => trackUpdate({ versions, old, next, manager, subresource: "", now })),
    mergePatch: await cost(patched),
  }
}

async function ofApply({ body, patch }: Subject, of: KindHandle): Promise<JsonObject> {
  const versions = await versionsOf(registry, of, "")
  const object = defaulted(of, decode(of, Buffer.from(JSON.stringify(named(body, "applied")))))
  await createObject(registry, of, {
    ...quiet,
    attributes: writeAttributes("CREATE", of, { namespace, manager: "creator" }),
    object,
    managedFields: "tracked",
  })
  const { apiVersion, kind } = object
  const applying = (index: number, live: ApiObject | undefined): ApiObject => {
    const text = JSON.stringify({
      apiVersion,
      kind,
      ...patch(index),
      metadata: { name: "applied", ...(patch(index)["metadata"] as JsonObject) },
    })
    return applyConfiguration({
      versions,
      config: parseJson(text, { trackDuplicates: true }).value as JsonObject,
      manager,
      subresource: "",
      force: true,
      now,
      lastAppliedAnnotation: "",
      ...(live !== undefined && { live }),
    })
  }
  const applied = async (index: number): Promise<unknown> =>
    updateObject(registry, of, {
      ...quiet,
      attributes: writeAttributes("UPDATE", of, { namespace, name: "applied", manager }),
      put: false,
      creation: { by: "apply", authorize: () => undefined },
      managedFields: "provided",
      fresh: true,
      transform: (live) => renormalized(of, applying(index, live)),
    })
  await applied(0)
  await applied(1)
  const live = await stored(of, "applied")
  return { applyMerge: await cost((index) => applying(index, live)), apply: await cost(applied) }
}

async function stored(of: KindHandle, name: string): Promise<ApiObject | undefined> {
  const version = of.cache.get(of.key("default", name))
  return version === undefined ? undefined : readToChange(version.json())
}
