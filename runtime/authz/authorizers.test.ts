import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { vendorProfile } from "../base/vendor.ts"
import { defaultOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"
import { authorizersOf } from "./authorizers.ts"
import { RbacPolicy } from "./rbac/policy.ts"

const folder = mkdtempSync(join(tmpdir(), "authz-"))
afterAll(() => rmSync(folder, { recursive: true }))

const vendor = vendorProfile("kubernetes")
function start(options: Partial<Options>): number {
  const parts = { rbacPolicy: new RbacPolicy(vendor), hooks: { post: async () => null }, vendor, clock: createManualClock() }
  return authorizersOf({ ...defaultOptions(), ...options }, parts).length
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const config = (cluster: string, user = ""): string =>
  `clusters: [{name: c, cluster: {${cluster}}}]\nusers: [{name: u, user: {${user}}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n`
const webhook = (path: string): Partial<Options> => ({ "authorization-mode": ["Webhook"], "authorization-webhook-config-file": path })

test("members of system:masters pass before modes that might refuse them", () => {
  expect(start({})).toBe(1)
  expect(start({ "authorization-mode": ["RBAC", "AlwaysDeny"] })).toBe(3)
  expect(start(webhook(file("ok", config('server: "https://127.0.0.1:1/authz"', "token: t"))))).toBe(2)
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
  [webhook(file("http", config('server: "http://127.0.0.1"'))), /cluster.server must be an https URL/],
  [webhook(file("skip", config('server: "https://a", insecure-skip-tls-verify: true'))), /insecure-skip-tls-verify is not supported/],
  [
    webhook(file("cert", config('server: "https://a"', "client-certificate: c"))),
    /user.client-certificate is not supported; user.token is/,
  ],
  [webhook(file("empty", "{}")), /contexts has no ""/],
])("%j stops the start", (options, message) => {
  expect(() => start(options)).toThrow(message)
})
