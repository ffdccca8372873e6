/** The objects of most questions: ConfigMaps of a given size, in one namespace or several. */
import type { Load, Measured } from "./load.ts"
import { measured } from "./load.ts"
import type { ServerProcess } from "./server-process.ts"

/** The path of a collection. `{bucket}` in it is filled in by the load process. */
export function configMapsIn(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`
}

/**
 * JSON of a ConfigMap with about `bytes` bytes of data. Labels divide the objects into hundredths: `{bucket}` needs 100
 * buckets or fewer.
 */
export function configMapBody(name: string, bytes: number, app = "bench"): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { app, share: "s{bucket}" } },
    data: { stamp: "{now}", text: payload(bytes) },
  })
}

/** Text without short repetitions and without characters to escape. */
function payload(bytes: number): string {
  let text = ""
  for (let word = 0; text.length < bytes; word++) text += `${((word * 2654435761) >>> 0).toString(36)} `
  return text.slice(0, bytes)
}

/** Creates a namespace, or one per bucket. They may exist already. */
export async function makeNamespaces(load: Load, name: string, buckets = 1): Promise<void> {
  await load.requests({
    method: "POST",
    path: "/api/v1/namespaces",
    body: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    contentType: "application/json",
    expected: [201, 409],
    clients: 4,
    count: buckets,
    buckets,
  })
}

export interface Fill {
  readonly namespace: string
  readonly count: number
  readonly bytes: number
  readonly first?: number
  readonly clients?: number
  readonly buckets?: number
  /** Value of the label `app`. "bench" when absent. */
  readonly app?: string
}

/**
 * Creates `object-NNNNNN`, either as the measurement or to prepare one. The default number of clients keeps both cores
 * busy.
 */
export function createConfigMaps(server: ServerProcess, load: Load, fill: Fill): Promise<Measured> {
  const { namespace, count, bytes, first = 0, clients = 64, buckets = 100, app } = fill
  return measured(server, load, {
    method: "POST",
    path: configMapsIn(namespace),
    body: configMapBody("object-{index}", bytes, app),
    contentType: "application/json",
    clients,
    count,
    first,
    buckets,
  })
}
