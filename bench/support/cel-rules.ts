/** A definition like a pod's, rules as authors write them, and an object that keeps them. */
import type { JsonObject } from "../../runtime/base/json.ts"

const text = (maxLength: number): JsonObject => ({ type: "string", maxLength })
const listOf = (items: JsonObject, maxItems: number): JsonObject => ({ type: "array", items, maxItems })
const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: "object", additionalProperties, maxProperties: 20 })

const container: JsonObject = {
  type: "object",
  required: ["name", "image"],
  properties: {
    name: text(63),
    image: text(255),
    ports: listOf({ type: "object", properties: { containerPort: { type: "integer" }, protocol: text(4), name: text(15) } }, 16),
    resources: {
      type: "object",
      properties: { limits: mapOf({ "x-kubernetes-int-or-string": true }), requests: mapOf(text(20)) },
    },
    env: listOf({ type: "object", properties: { name: text(63), value: text(255) } }, 64),
  },
}

export const schema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        minReplicas: { type: "integer" },
        maxReplicas: { type: "integer" },
        restartPolicy: text(20),
        serviceAccountName: text(63),
        labels: mapOf(text(63)),
        names: { type: "array", items: { type: "string" } },
        containers: listOf(container, 32),
      },
    },
  },
}

export const rules: readonly string[] = [
  "self.spec.minReplicas <= self.spec.replicas && self.spec.replicas <= self.spec.maxReplicas",
  "has(self.spec.serviceAccountName) && self.spec.serviceAccountName != ''",
  "self.spec.restartPolicy in ['Always', 'OnFailure', 'Never']",
  "self.spec.containers.all(c, c.name.size() <= 63)",
  "self.spec.containers.exists(c, c.name == 'main')",
  "self.spec.containers.all(c, !has(c.ports) || c.ports.all(p, p.containerPort > 0 && p.containerPort < 65536))",
  "self.spec.containers.filter(c, has(c.resources)).size() > 0",
  "self.metadata.name.startsWith('web')",
  "'app' in self.spec.labels && self.spec.labels['app'] == 'web'",
  "self.spec.containers.all(c, c.image.contains(':') || c.image.contains('@'))",
]

export function workload(): JsonObject {
  const names = ["main", "proxy", "metrics", "logs"]
  return {
    apiVersion: "example.orch.io/v1",
    kind: "Workload",
    metadata: { name: "web-1", namespace: "default" },
    spec: {
      replicas: 3,
      minReplicas: 1,
      maxReplicas: 10,
      restartPolicy: "Always",
      serviceAccountName: "web",
      labels: { app: "web", tier: "front" },
      containers: names.map((name, index) => ({
        name,
        image: `registry.example.com/team/${name}:1.${index}`,
        ports: [{ containerPort: 8080 + index, protocol: "TCP", name: "http" }],
        resources: { limits: { cpu: "500m", memory: "128Mi" }, requests: { cpu: "100m" } },
        env: [{ name: "MODE", value: "production" }],
      })),
    },
  }
}
