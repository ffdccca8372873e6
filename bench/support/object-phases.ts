/** The same requests for objects of different kinds and equal size. */
import { setTimeout } from "node:timers/promises"
import { configMapBody, configMapsIn } from "./config-maps.ts"
import { cpuSecondsOf, type Load, type Measurable, measured } from "./load.ts"
import type { RequestPlan } from "./load-plans.ts"
import { type CustomKind, plainKind, typicalKind } from "./typical-definition.ts"

/** Objects of one kind in one namespace. */
export interface Subject {
  readonly name: string
  readonly collection: string
  /** A whole object, with the placeholders of a plan. */
  readonly body: string
  /** A merge patch. */
  readonly patch: string
}

export interface PhaseSizes {
  readonly objects: number
  readonly clients: number
  readonly requests: number
  readonly watchers: number
}

/** Figures of one phase on a server. */
export interface PhaseFigures {
  readonly cpuUs: number
  readonly perSecond: number
}

/**
 * ConfigMaps first: the others are compared with them, so all bodies are equally long. `customKinds` makes the kinds.
 */
export function subjectsOf(namespace: string, bytes: number): readonly Subject[] {
  const patch = '{"data":{"stamp":"{now}"}}'
  const [plain, typical] = customKinds()
  const settings = { image: "registry.example.com/web:1", replicas: 3, mode: "OnFailure", ports: [{ port: 80, protocol: "TCP" }] }
  const body = configMapBody("object-{index}", bytes)
  const ofPlain = bodyAsLong(body, bytes, ({ metadata, data }) => bodyOf(plain, { metadata, data }))
  const ofTypical = bodyAsLong(body, bytes, ({ metadata, data }) => bodyOf(typical, { metadata, spec: { ...settings, data } }))
  return [
    { name: "ConfigMap", collection: configMapsIn(namespace), body, patch },
    { name: "same fields", collection: plain.path(namespace), body: ofPlain, patch },
    { name: "typical", collection: typical.path(namespace), body: ofTypical, patch: `{"spec":${patch}}` },
  ]
}

/** A body with the content of a ConfigMap and less text, so that it is as long as `body`. */
function bodyAsLong(body: string, bytes: number, make: (configMap: { metadata: object; data: object }) => string): string {
  const made = (textBytes: number): string => make(JSON.parse(configMapBody("object-{index}", textBytes)))
  return made(bytes - (made(bytes).length - body.length))
}

/** The kind with the fields of a ConfigMap, and the typical one, with rules. */
export function customKinds(): readonly [CustomKind, CustomKind] {
  return [plainKind(), typicalKind(0)]
}

function bodyOf({ apiVersion, kind }: CustomKind, fields: object): string {
  return JSON.stringify({ apiVersion, kind, ...fields })
}

/** Phases in their order: the first one creates the objects for the others. `round` numbers new objects. */
export const phaseNames = ["create", "get", "list", "merge patch", "apply", "watch"] as const

export type PhaseName = (typeof phaseNames)[number]

/** Runs one phase. `round`: how often it ran before; each round creates its own objects. */
export async function runPhase(
  server: Measurable,
  load: Load,
  {
    name,
    subject,
    sizes,
    round,
  }: { readonly name: PhaseName; readonly subject: Subject; readonly sizes: PhaseSizes; readonly round: number },
): Promise<PhaseFigures> {
  if (name === "watch") return watched(server, load, subject, sizes)
  return measured(server, load, planOf(name, subject, sizes, round))
}

const merge = "application/merge-patch+json"
const apply = "application/apply-patch+yaml"
/** Indexes far apart, in no order. */
const stride = 7919
/** A list costs as much as a hundred gets. */
const requestsPerList = 50

function planOf(
  name: Exclude<PhaseName, "watch">,
  subject: Subject,
  { objects, clients, requests }: PhaseSizes,
  round: number,
): RequestPlan {
  const { collection, body, patch } = subject
  const one = { clients, count: requests, stride, modulo: objects, buckets: 100, path: `${collection}/object-{index}` }
  switch (name) {
    case "create":
      return {
        ...{ method: "POST", path: collection, contentType: "application/json", body, clients, buckets: 100 },
        count: objects,
        first: round * objects,
      }
    case "get":
      return { ...one, method: "GET" }
    case "list":
      return { method: "GET", path: `${collection}?limit=500`, clients: 2, count: Math.ceil(requests / requestsPerList) }
    case "merge patch":
      return { ...one, method: "PATCH", contentType: merge, body: patch }
    case "apply":
      return { ...one, method: "PATCH", path: `${one.path}?fieldManager=bench&force=true`, contentType: apply, body }
  }
}

/** Writes while `watchers` watch all of them. The cost is per delivery, and includes the write's share. */
async function watched(server: Measurable, load: Load, subject: Subject, sizes: PhaseSizes): Promise<PhaseFigures> {
  const { watchers } = sizes
  const one = { ...planOf("merge patch", subject, { ...sizes, requests: 1 }, 0), clients: 1, keepsVersions: true }
  const [newest = 0] = (await load.requests(one)).versions.flat()
  const path = `${subject.collection}?watch=1&resourceVersion=${newest}`
  await load.watch({ path, watchers, connections: Math.ceil(watchers / watchersPerConnection) })
  const plan = planOf("merge patch", subject, { ...sizes, requests: Math.ceil(sizes.requests / requestsPerEvent) }, 0)
  const before = cpuSecondsOf(server)
  const { count, seconds } = await measured(server, load, plan)
  const expected = count * watchers
  while ((await load.watchFigures()).events < expected) await setTimeout(pollMs)
  const cpu = cpuSecondsOf(server) - before
  await load.endWatches()
  return { cpuUs: (cpu * 1e6) / expected, perSecond: expected / seconds }
}

const watchersPerConnection = 50
/** Every event is delivered to all watchers. */
const requestsPerEvent = 10
const pollMs = 10
