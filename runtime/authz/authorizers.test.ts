import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { vendorProfile } from "../base/vendor.ts"
import { defaultOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"
import { authorizersOf } from "./authorizers.ts"
import { nodeRules } from "../controllers/rbac/follow-authorization.ts"
import { NodeGraph } from "./node/graph.ts"
import { RbacPolicy } from "./rbac/policy.ts"

const folder = mkdtempSync(join(tmpdir(), "authz-"))
afterAll(() => rmSync(folder, { recursive: true }))

const vendor = vendorProfile("kubernetes")
function start(options: Partial<Options>): number {
  const webhook = { place: { url: "https://127.0.0.1:1/authz" } }
  const policies = { rbacPolicy: new RbacPolicy(vendor), nodeGraph: new NodeGraph(), nodeRules: () => nodeRules(vendor) }
  const parts = { ...policies, hooks: { post: async () => null }, webhook, vendor, clock: createManualClock() }
  return authorizersOf({ ...defaultOptions(), ...options }, parts).length
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test("members of system:masters pass before modes that might refuse them", () => {
  expect(start({})).toBe(1)
  expect(start({ "authorization-mode": ["RBAC", "AlwaysDeny"] })).toBe(3)
  expect(start({ "authorization-mode": ["Node", "RBAC"] })).toBe(3)
  expect(start({ "authorization-mode": ["Webhook"], "authorization-webhook-config-file": "hook.kubeconfig" })).toBe(2)
  expect(start({ "authorization-mode": ["ABAC"], "authorization-policy-file": file("policies", '{"user":"jane"}\n') })).toBe(2)
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
])("%j stops the start", (options, message) => {
  expect(() => start(options)).toThrow(message)
})
