/** The admission calls that each request causes, their order, and the objects that plugins see in them. */
import { expect, it } from "vitest"
import {
  applied,
  applyPatch,
  type Ask,
  both,
  configMap,
  configMaps,
  deployments,
  leases,
  mergePatch,
  pod,
  pods,
  present,
  recorder,
  serverWith,
} from "./support/admission-server.ts"

interface Row {
  readonly what: string
  readonly ask: Parameters<Ask>
  readonly status: number
  readonly moments: readonly string[]
}

const ofA = "configmaps default/a ConfigMap"
const rows: readonly Row[] = [
  {
    what: "create",
    ask: ["POST", configMaps, configMap("x")],
    status: 201,
    moments: both("CREATE configmaps default/x ConfigMap new/-"),
  },
  {
    what: "create on trial",
    ask: ["POST", `${configMaps}?dryRun=All`, configMap("x")],
    status: 201,
    moments: both("CREATE configmaps default/x ConfigMap new/- dry"),
  },
  { what: "create again", ask: ["POST", configMaps, configMap("a")], status: 409, moments: both(`CREATE ${ofA} new/-`) },
  {
    what: "create what is not valid",
    ask: ["POST", pods, { metadata: { name: "x" }, spec: { containers: [] } }],
    status: 422,
    moments: ["mutate CREATE pods default/x Pod new/-"],
  },
  {
    what: "create where no namespace is",
    ask: ["POST", "/api/v1/namespaces/nowhere/configmaps", configMap("x")],
    status: 404,
    moments: [],
  },
  { what: "PUT", ask: ["PUT", `${configMaps}/a`, configMap("a", { k: "w" })], status: 200, moments: both(`UPDATE ${ofA} new/old`) },
  {
    what: "PUT of a stale version",
    ask: ["PUT", `${configMaps}/a`, { ...configMap("a"), metadata: { name: "a", resourceVersion: "1" } }],
    status: 409,
    moments: [`mutate UPDATE ${ofA} new/old`],
  },
  {
    what: "PUT of what is not valid",
    ask: ["PUT", `${configMaps}/a`, configMap("a", { "/": "v" })],
    status: 422,
    moments: [`mutate UPDATE ${ofA} new/old`],
  },
  {
    what: "PUT of another object",
    ask: ["PUT", `${configMaps}/a`, { ...configMap("a"), metadata: { name: "a", uid: "other" } }],
    status: 409,
    moments: [],
  },
  { what: "PUT of what is not there", ask: ["PUT", `${configMaps}/x`, configMap("x")], status: 404, moments: [] },
  {
    what: "PUT that creates",
    ask: ["PUT", `${leases}/x`, { metadata: { name: "x" }, spec: {} }],
    status: 201,
    moments: both("CREATE leases default/x Lease new/-"),
  },
  {
    what: "merge patch",
    ask: ["PATCH", `${configMaps}/a`, { data: { k: "w" } }, mergePatch],
    status: 200,
    moments: both(`UPDATE ${ofA} new/old`),
  },
  {
    what: "strategic merge patch",
    ask: ["PATCH", `${configMaps}/a`, { data: { k: "w" } }, { type: "application/strategic-merge-patch+json" }],
    status: 200,
    moments: both(`UPDATE ${ofA} new/old`),
  },
  {
    what: "JSON patch",
    ask: ["PATCH", `${configMaps}/a`, [{ op: "add", path: "/data/l", value: "w" }], { type: "application/json-patch+json" }],
    status: 200,
    moments: both(`UPDATE ${ofA} new/old`),
  },
  {
    what: "apply",
    ask: ["PATCH", `${configMaps}/a?fieldManager=m&force=true`, applied("a"), applyPatch],
    status: 200,
    moments: both(`UPDATE ${ofA} new/old`),
  },
  {
    what: "apply that creates",
    ask: ["PATCH", `${configMaps}/x?fieldManager=m`, applied("x"), applyPatch],
    status: 201,
    moments: both("CREATE configmaps default/x ConfigMap new/-"),
  },
  { what: "delete", ask: ["DELETE", `${configMaps}/a`], status: 200, moments: both(`DELETE ${ofA} -/old`) },
  { what: "delete what is not there", ask: ["DELETE", `${configMaps}/x`], status: 404, moments: [] },
  {
    what: "delete another object",
    ask: ["DELETE", `${configMaps}/a`, { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "other" } }],
    status: 409,
    moments: [],
  },
  {
    what: "delete a collection",
    ask: ["DELETE", `${configMaps}?labelSelector=of%3Dcollection`],
    status: 200,
    moments: [...both("DELETE configmaps default/ ConfigMap -/old"), ...both("DELETE configmaps default/ ConfigMap -/old")],
  },
  {
    what: "status",
    ask: ["PUT", `${pods}/p/status`, { ...pod("p"), status: { phase: "Running" } }],
    status: 200,
    moments: both("UPDATE pods/status default/p Pod new/old"),
  },
  {
    what: "scale",
    ask: ["PATCH", `${deployments}/d/scale`, { spec: { replicas: 3 } }, mergePatch],
    status: 200,
    moments: both("UPDATE deployments/scale default/d Scale new/old"),
  },
  {
    what: "ephemeral containers",
    ask: ["PATCH", `${pods}/p/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } }, mergePatch],
    status: 200,
    moments: both("UPDATE pods/ephemeralcontainers default/p Pod new/old"),
  },
  {
    what: "finalize",
    ask: ["PUT", "/api/v1/namespaces/n/finalize", { metadata: { name: "n" }, spec: { finalizers: ["orch"] } }],
    status: 200,
    moments: both("UPDATE namespaces/finalize /n Namespace new/old"),
  },
  {
    what: "binding",
    ask: ["POST", `${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "m" } }],
    status: 201,
    moments: both("CREATE pods/binding default/p Binding new/-"),
  },
  {
    what: "binding to what is no node",
    ask: ["POST", `${pods}/p/binding`, { metadata: { name: "p" }, target: { kind: "Pod", name: "m" } }],
    status: 422,
    moments: ["mutate CREATE pods/binding default/p Binding new/-"],
  },
  {
    what: "binding by the collection",
    ask: ["POST", "/api/v1/namespaces/default/bindings", { metadata: { name: "p" }, target: { name: "m" } }],
    status: 201,
    moments: both("CREATE bindings default/p Binding new/-"),
  },
  {
    what: "eviction",
    ask: ["POST", `${pods}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }],
    status: 201,
    moments: both("CREATE pods/eviction default/p Eviction new/-"),
  },
  {
    what: "exec",
    ask: ["POST", `${pods}/p/exec?command=ls&stdout=true`],
    status: 400,
    moments: both("CONNECT pods/exec default/p PodExecOptions new/-"),
  },
  {
    what: "attach",
    ask: ["POST", `${pods}/p/attach?stdout=true`],
    status: 400,
    moments: both("CONNECT pods/attach default/p PodAttachOptions new/-"),
  },
  {
    what: "portforward",
    ask: ["POST", `${pods}/p/portforward`],
    status: 400,
    moments: both("CONNECT pods/portforward default/p PodPortForwardOptions new/-"),
  },
  {
    what: "proxy",
    ask: ["GET", `${pods}/p/proxy/x`],
    status: 400,
    moments: both("CONNECT pods/proxy default/p PodProxyOptions new/-"),
  },
  { what: "log", ask: ["GET", `${pods}/p/log`], status: 204, moments: [] },
  { what: "get", ask: ["GET", `${configMaps}/a`], status: 200, moments: [] },
  { what: "list", ask: ["GET", configMaps], status: 200, moments: [] },
]

it.each(rows)("$what calls the plugins for its operations, in order", async ({ ask: request, status, moments }) => {
  const lines: string[] = []
  const { ask } = await serverWith([recorder(lines)])
  for (const made of present) expect((await ask(...made)).status).toBe(201)
  lines.length = 0
  const answer = await ask(...request)
  expect({ status: answer.status, moments: lines }).toEqual({ status, moments })
})
