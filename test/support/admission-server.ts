/** A server with admission plugins of a test, over HTTP, and requests of the tests. */
import { onTestFinished } from "vitest"
import type { AdmissionPlugin, RequestAttributes } from "../../runtime/library.ts"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import { createHttpClient } from "./http-client.ts"
import { adminToken, type InProcess, type InProcessOptions, startInProcess } from "./in-process.ts"

interface Answer {
  readonly status: number
  readonly object: ApiObject
  /** The texts of its `Warning` header fields. */
  readonly warnings: readonly string[]
}

interface Asking {
  readonly token?: string
  readonly type?: string
}

export type Ask = (method: string, path: string, body?: JsonObject | readonly JsonObject[], how?: Asking) => Promise<Answer>

interface Started extends InProcess {
  readonly ask: Ask
}

export async function serverWith(plugins: readonly AdmissionPlugin[], more: Partial<InProcessOptions> = {}): Promise<Started> {
  const started = await startInProcess({ store: "memory", vendor: "orch", admission: plugins, ...more })
  const client = createHttpClient({ protocol: "http2", port: started.port, authority: started.authority })
  onTestFinished(async () => {
    client.close()
    await started.stop()
  })
  const ask: Ask = async (method, path, body, { token = adminToken, type = "application/json" } = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type, "user-agent": "test/1" }
    const {
      status,
      headers: sent,
      body: bytes,
    } = await client.send({
      method,
      path,
      headers,
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    })
    const text = bytes.toString()
    const warnings = [sent["warning"] ?? []]
      .flat()
      .flatMap((field) => [...field.matchAll(/299 - "([^"]*)"/g)].map((match) => match[1] ?? ""))
    return { status, warnings, object: text.startsWith("{") ? JSON.parse(text) : {} }
  }
  return { ...started, ask }
}

export const all = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const
export const configMaps = "/api/v1/namespaces/default/configmaps"
export const pods = "/api/v1/namespaces/default/pods"
export const deployments = "/apis/apps/v1/namespaces/default/deployments"
export const leases = "/apis/coordination.orch.io/v1/namespaces/default/leases"
export const mergePatch = { type: "application/merge-patch+json" }
export const applyPatch = { type: "application/apply-patch+yaml" }

export const configMap = (name: string, data: JsonObject = { k: "v" }): JsonObject => ({ metadata: { name }, data })
const podSpec = { containers: [{ name: "c", image: "i" }] }
export const pod = (name: string, spec: JsonObject = {}): JsonObject => ({ metadata: { name }, spec: { ...podSpec, ...spec } })
export const deployment = (name: string): JsonObject => ({
  metadata: { name },
  spec: { replicas: 1, selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: podSpec } },
})
export const applied = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { k: "v" },
  ...more,
})

/** Records the requests of administrators, one line for each moment. */
export function recorder(lines: string[], isSeen = (name: string): boolean => name === "admin"): AdmissionPlugin {
  const note = (moment: string, attributes: RequestAttributes): void => {
    const { operation, user, resource, subresource, kind, namespace, name, object, oldObject, dryRun } = attributes
    if (!isSeen(user.name)) return
    const states = `${object === undefined ? "-" : "new"}/${oldObject === undefined ? "-" : "old"}`
    const place = `${resource.resource}${subresource === "" ? "" : `/${subresource}`} ${namespace}/${name}`
    lines.push(`${moment} ${operation} ${place} ${kind.kind} ${states}${dryRun ? " dry" : ""}`)
  }
  return {
    name: "Recorder",
    operations: all,
    mutate: (attributes) => {
      note("mutate", attributes)
      return undefined
    },
    validate: (attributes) => note("validate", attributes),
  }
}

export const both = (rest: string): string[] => [`mutate ${rest}`, `validate ${rest}`]

/** Requests that make one object of each kind that the tests of admission write. */
export const present: readonly Parameters<Ask>[] = [
  ["POST", configMaps, configMap("a")],
  ["POST", configMaps, { ...configMap("b"), metadata: { name: "b", labels: { of: "collection" } } }],
  ["POST", configMaps, { ...configMap("c"), metadata: { name: "c", labels: { of: "collection" } } }],
  ["POST", pods, pod("p")],
  ["POST", deployments, deployment("d")],
  ["POST", "/api/v1/namespaces", { metadata: { name: "n" } }],
]
