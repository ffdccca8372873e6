/** Shared by tests of arbitrary requests: valid objects to mutate, and the expectation of every response. */
import { expect } from "vitest"
import type { HttpAnswer } from "./http-client.ts"

const pod = { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "b" }] }] }
const meta = { name: "a", labels: { a: "b" }, annotations: { c: "d" } }

/** One valid object per resource, from which mutations start. */
export const samples: Readonly<Record<string, object>> = {
  configmaps: { apiVersion: "v1", kind: "ConfigMap", metadata: meta, data: { k: "v" }, binaryData: { b: "AAEC" } },
  secrets: { apiVersion: "v1", kind: "Secret", metadata: meta, stringData: { k: "v" } },
  pods: { apiVersion: "v1", kind: "Pod", metadata: meta, spec: pod },
  services: {
    apiVersion: "v1",
    kind: "Service",
    metadata: meta,
    spec: { selector: { a: "b" }, ports: [{ name: "p", port: 80, targetPort: "http" }] },
  },
  endpoints: { apiVersion: "v1", kind: "Endpoints", metadata: meta, subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
  events: {
    apiVersion: "v1",
    kind: "Event",
    metadata: meta,
    involvedObject: { namespace: "default" },
    reason: "r",
    firstTimestamp: "2026-01-02T03:04:05Z",
  },
  replicationcontrollers: {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: meta,
    spec: { replicas: 1, selector: { a: "b" }, template: { metadata: { labels: { a: "b" } }, spec: pod } },
  },
}

/** Expects a success, or a Status that explains the client's mistake. */
export function expectAnswered({ status, body }: HttpAnswer): void {
  const text = body.toString("utf8")
  expect(status, text).toBeLessThan(500)
  if (status < 400) return
  expect(JSON.parse(text)).toMatchObject({
    kind: "Status",
    status: "Failure",
    code: status,
    reason: expect.stringMatching(/./),
    message: expect.stringMatching(/./),
  })
}
