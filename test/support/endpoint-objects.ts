/** Services and pods for tests of the controllers of endpoints, in namespace `a`. */
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import type { OpenRegistry } from "./open-registry.ts"

/** A service that selects `app: web`, with a port that pods name. */
export async function makeService(one: OpenRegistry, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<ApiObject> {
  return one.create("services", {
    metadata: { name: "web", namespace: "a", ...metadata },
    spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
  })
}

export interface PodSample {
  readonly ips?: readonly string[]
  readonly ready?: boolean
  /** Last transition time of the condition `Ready`. */
  readonly since?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly phase?: string
  readonly port?: number
  readonly spec?: JsonObject
}

/** A pod with an address, as a kubelet has reported it. */
export async function makePod(one: OpenRegistry, name: string, sample: PodSample = {}): Promise<void> {
  const { labels = { app: "web" }, port = 8080, spec = {} } = sample
  const containers = [{ name: "main", image: "i", ports: [{ name: "http", containerPort: port }] }]
  await one.create("pods", { metadata: { name, namespace: "a", labels: { ...labels } }, spec: { nodeName: "node", containers, ...spec } })
  await report(one, name, sample)
}

/** Sets the status of a pod. */
export async function report(
  one: OpenRegistry,
  name: string,
  { ips = ["10.1.0.1"], ready = true, since, phase = "Running" }: PodSample,
): Promise<void> {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", ...(since !== undefined && { lastTransitionTime: since }) }]
  const [podIP] = ips
  const status = { phase, conditions, ...(podIP !== undefined && { podIP, podIPs: ips.map((ip) => ({ ip })) }) }
  await one.update("pods", `a/${name}`, (old) => ({ ...old, status }), { subresource: "status" })
}
