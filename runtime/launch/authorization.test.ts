import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import type { ConfiguredAuthorization } from "../authz/authorizers.ts"
import { AccessMetrics } from "../observability/access-metrics.ts"
import { defaultOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"
import { configureAuthorization, modesOf } from "./authorization.ts"

const folder = mkdtempSync(join(tmpdir(), "authz-"))
afterAll(() => rmSync(folder, { recursive: true }))

function start(options: Partial<Options>): ConfiguredAuthorization {
  const clock = createManualClock()
  const log = { error: () => undefined, info: () => undefined, warn: () => undefined }
  const how = { options: { ...defaultOptions(), ...options }, clock, log, metrics: new AccessMetrics(clock) }
  const configured = configureAuthorization(how)
  onTestFinished(() => configured.stop())
  return configured
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const config = (type: string): string =>
  file(
    type,
    JSON.stringify({
      apiVersion: "apiserver.config.orch.io/v1beta1",
      kind: "AuthorizationConfiguration",
      authorizers: [{ type, name: "a" }],
    }),
  )

const hook = JSON.stringify({
  "current-context": "x",
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1/a" } }],
  contexts: [{ name: "x", context: { cluster: "c" } }],
})

test("the options of modes make the records that a configuration has", () => {
  const webhook = { "authorization-mode": ["RBAC", "Webhook"], "authorization-webhook-config-file": file("hook", hook) } as const
  const { authorizers } = start(webhook)
  expect(authorizers).toMatchObject([
    { type: "RBAC", name: "rbac" },
    { type: "Webhook", name: "default", webhook: { timeoutMs: 30_000, version: "v1beta1", failurePolicy: "NoOpinion" } },
  ])
  expect(modesOf(start({ "authorization-mode": ["ABAC"], "authorization-policy-file": file("policies", '{"user":"jane"}\n') }))).toEqual([
    "ABAC",
  ])
})

test.each<[Partial<Options>, RegExp]>([
  [{ "authorization-mode": [] }, /--authorization-mode names no mode/],
  [{ "authorization-mode": ["RBAC", "RBAC"] }, /--authorization-mode names RBAC twice/],
  [{ "authorization-mode": ["Webhook"] }, /--authorization-mode=Webhook needs --authorization-webhook-config-file/],
  [{ "authorization-mode": ["ABAC"] }, /--authorization-mode=ABAC needs --authorization-policy-file/],
  [{ "authorization-policy-file": "x" }, /--authorization-policy-file has no effect without --authorization-mode=ABAC/],
  [{ "authorization-webhook-config-file": "x" }, /--authorization-webhook-config-file has no effect without/],
  [{ "authorization-mode": ["ABAC"], "authorization-policy-file": join(folder, "none") }, /^--authorization-policy-file: ENOENT/],
  [{ "authorization-mode": ["ABAC"], "authorization-policy-file": file("bad", "{") }, /^--authorization-policy-file: line 1: /],
  [{ "authorization-config": config("ABAC") }, /^--authorization-config: \S+: the authorizer ABAC needs --authorization-policy-file/],
  [
    { "authorization-config": config("RBAC"), "authorization-policy-file": file("policies", "") },
    /--authorization-policy-file has no effect without an authorizer of type ABAC/,
  ],
])("%j stops the start", (options, message) => {
  expect(() => start(options)).toThrow(message)
})
