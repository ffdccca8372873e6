/**
 * How far ahead of the Go original is the server with pods of 9 KB, in CPU per request? Both have Node and RBAC on, and
 * the original its admission plugins: this server on lmdb, the original on an etcd of its own, whose work counts. In
 * each round both do the same with new pods of one template, phase by phase in turns. The first round shows a cold
 * process, the later half of the rounds a warm one. Needs ORCH_BENCH_REFERENCE, the folder of the original (run.sh),
 * and Go.
 * Run: npm run bench -- pods-compare
 */
import { cpuSecondsOf, type Measurable } from "./support/load.ts"
import { type Http2Client, openHttp2Client, type Request } from "./support/http2-client.ts"
import { openOptions } from "./support/options.ts"
import { startReference } from "./support/reference-server.ts"
import { startServerProcess, type Target } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const pods = options.number("pods", { small: 150, full: 300 })
const rounds = options.number("rounds", { small: 8, full: 20 })
const clients = options.number("clients", { small: 4, full: 4 })
options.done()

/** The project's goals: the original's CPU divided by this server's. A cold process must reach half of them. */
const goals = { create: 4, get: 7, "status patch": 6, "merge patch": 7, "get and update": 5, apply: 9, delete: 8 } as const
type Phase = keyof typeof goals
const phases = Object.keys(goals).filter((name): name is Phase => name in goals)

interface Side {
  readonly server: Measurable
  readonly client: Http2Client
  readonly spent: Map<Phase, number[]>
}

const collection = "/api/v1/namespaces/pods/pods"

function probe(path: string): object {
  return { httpGet: { path, port: 8080 }, initialDelaySeconds: 5, periodSeconds: 10 }
}

function container(index: number): object {
  return {
    name: `service-${index}`,
    image: `registry.example.com/shop/service-${index}:2.${index}.1`,
    imagePullPolicy: "IfNotPresent",
    command: ["/usr/bin/service"],
    args: ["--listen=:8080", "--verbose", `--partition=${index}`],
    env: [
      ...Array.from({ length: 20 }, (_, at) => ({ name: `OPTION_${at}`, value: `the value of option ${at} of service ${index}` })),
      { name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "database", key: "password" } } },
    ],
    ports: [
      { name: "api", containerPort: 8080 + index, protocol: "TCP" },
      { name: "metrics", containerPort: 9100 + index, protocol: "TCP" },
    ],
    resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "250m", memory: "256Mi" } },
    volumeMounts: [
      { name: "settings", mountPath: "/etc/service", readOnly: true },
      { name: "scratch", mountPath: "/var/scratch" },
    ],
    livenessProbe: probe("/live"),
    readinessProbe: probe("/ready"),
    securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ["ALL"] } },
  }
}

const spec = {
  automountServiceAccountToken: false,
  initContainers: [{ name: "wait", image: "busybox:1.36", command: ["sleep", "1"] }],
  containers: [0, 1, 2].map(container),
  volumes: [
    { name: "settings", configMap: { name: "settings" } },
    { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
  ],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { app: "shop" } },
    },
  ],
  tolerations: [{ key: "shop", operator: "Exists", effect: "NoSchedule" }],
}

function body(name: string): object {
  const annotations = { "example.com/note": "n".repeat(250) }
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: "shop", tier: "back" }, annotations }, spec }
}

const at = "2026-01-01T00:00:00Z"
const status = {
  phase: "Running",
  podIP: "10.1.2.3",
  podIPs: [{ ip: "10.1.2.3" }],
  hostIP: "10.0.0.1",
  startTime: at,
  conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({ type, status: "True", lastTransitionTime: at })),
  containerStatuses: [0, 1, 2].map((index) => ({
    name: `service-${index}`,
    image: `registry.example.com/shop/service-${index}:2.${index}.1`,
    imageID: `sha256:${"ab".repeat(32)}`,
    containerID: `containerd://${"cd".repeat(32)}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: at } },
  })),
}

async function send(client: Http2Client, { method, path, document, contentType = "application/json" }: Sent): Promise<void> {
  const request: Request = { method, path, ...(document !== undefined && { body: Buffer.from(JSON.stringify(document)), contentType }) }
  const answer = await client.send(request)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.head.toString().slice(0, 300)}`)
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly document?: object
  readonly contentType?: string
}

const requests: Readonly<Record<Phase, (client: Http2Client, name: string) => Promise<void>>> = {
  create: (client, name) => send(client, { method: "POST", path: collection, document: body(name) }),
  get: (client, name) => send(client, { method: "GET", path: `${collection}/${name}` }),
  "status patch": (client, name) => {
    const contentType = "application/strategic-merge-patch+json"
    return send(client, { method: "PATCH", path: `${collection}/${name}/status`, document: { status }, contentType })
  },
  "merge patch": (client, name) => {
    const contentType = "application/merge-patch+json"
    return send(client, { method: "PATCH", path: `${collection}/${name}`, document: { metadata: { labels: { round: "1" } } }, contentType })
  },
  async "get and update"(client, name) {
    const path = `${collection}/${name}`
    const pieces: Buffer[] = []
    for await (const piece of await client.open(path)) pieces.push(piece)
    const pod: { metadata: { labels: Record<string, string> } } = JSON.parse(Buffer.concat(pieces).toString())
    pod.metadata.labels["round"] = "2"
    await send(client, { method: "PUT", path, document: pod })
  },
  apply: (client, name) => {
    const document = { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { owner: "bench" } } }
    const path = `${collection}/${name}?fieldManager=bench&force=true`
    return send(client, { method: "PATCH", path, document, contentType: "application/apply-patch+yaml" })
  },
  delete: (client, name) => send(client, { method: "DELETE", path: `${collection}/${name}?gracePeriodSeconds=0` }),
}

const folder = process.env["ORCH_BENCH_REFERENCE"]
if (folder === undefined) console.log("skipped: ORCH_BENCH_REFERENCE does not name the folder of run.sh")
else await compare(folder)

async function compare(reference: string): Promise<void> {
  const theirs = await startReference(reference)
  const ours = await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes", "--authorization-mode=Node,RBAC"] })
  const sides = [await prepared(theirs), await prepared(ours)] as const
  for (let round = 0; round < rounds; round++)
    for (const phase of phases) for (const side of round % 2 === 0 ? sides : sides.toReversed()) await run(side, phase, round)
  for (const phase of phases) tell(phase, sides)
  for (const { client } of sides) client.close()
  await Promise.all([theirs.stop(), ours.stop()])
}

async function prepared(server: Target & Measurable): Promise<Side> {
  const client = openHttp2Client(server)
  await client.connected()
  await send(client, { method: "POST", path: "/api/v1/namespaces", document: { metadata: { name: "pods" } } })
  // The original's plugin looks for the service account that its controllers would create.
  await send(client, { method: "POST", path: "/api/v1/namespaces/pods/serviceaccounts", document: { metadata: { name: "default" } } })
  return { server, client, spent: new Map(phases.map((phase) => [phase, []])) }
}

async function run({ server, client, spent }: Side, phase: Phase, round: number): Promise<void> {
  const before = cpuSecondsOf(server)
  let next = 0
  const loop = async (): Promise<void> => {
    for (let index = next++; index < pods; index = next++) await requests[phase](client, `pod-${round}-${index}`)
  }
  await Promise.all(Array.from({ length: clients }, loop))
  spent.get(phase)?.push(((cpuSecondsOf(server) - before) / pods) * 1e6)
}

function tell(phase: Phase, [theirs, ours]: readonly [Side, Side]): void {
  const warm = ({ spent }: Side): number => mean((spent.get(phase) ?? []).slice(Math.floor(rounds / 2)))
  const [theirsCpuUs, oursCpuUs] = [warm(theirs), warm(ours)]
  const [theirsColdUs = 0, oursColdUs = 0] = [theirs, ours].map(({ spent }) => spent.get(phase)?.[0])
  const [cpuRatio, coldRatio] = [theirsCpuUs / oursCpuUs, theirsColdUs / oursColdUs]
  const goal = goals[phase]
  const reached = cpuRatio >= goal && coldRatio >= goal / 2
  printRow({ verb: phase, oursCpuUs, theirsCpuUs, cpuRatio, goal, oursColdUs, theirsColdUs, coldRatio, coldGoal: goal / 2, reached })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
