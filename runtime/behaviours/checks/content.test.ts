import { expect, test } from "vitest"
import { Failures } from "../../base/failure.ts"
import type { ApiObject } from "../../base/json.ts"
import { CheckContext } from "../../schema/validate.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { contentBytesMax } from "../content/size.ts"
import { configMapData } from "./config-map-data.ts"
import { secretData } from "./secret-data.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

function faults(check: typeof secretData, object: ApiObject, vendor: "orch" | "kubernetes" = "orch"): string[] {
  const failures = new Failures()
  check(object, CheckContext.of(object, { failures, vendor: vendorProfile(vendor) }))
  return failures.list.map(({ type, field }) => `${type} ${field}`)
}

test("a key of a config map is in one of the two maps only", () => {
  expect(faults(configMapData, { data: { a: "x", b: "y" }, binaryData: { b: "AAAA" } })).toEqual(["Invalid data[b]"])
})

test("the values of a config map are counted together and decoded, and exactly the limit is allowed", () => {
  const half = contentBytesMax / 2
  const binaryData = { b: Buffer.alloc(half).toString("base64") }
  expect(faults(configMapData, { data: { a: "x".repeat(half) }, binaryData })).toEqual([])
  expect(faults(configMapData, { data: { a: "x".repeat(half), c: "ü" }, binaryData })).toEqual(["TooLong []"])
})

test("a secret has a limit as well", () => {
  expect(faults(secretData, { data: { a: Buffer.alloc(contentBytesMax + 1).toString("base64") } })).toEqual(["TooLong data"])
})

test("secrets of a known type have its keys, in the vendor's names", () => {
  expect(faults(secretData, { type: "orch.io/tls", data: { "tls.crt": "" } })).toEqual(["Required data[tls.key]"])
  expect(faults(secretData, { type: "kubernetes.io/tls" }, "kubernetes")).toEqual(["Required data[tls.crt]", "Required data[tls.key]"])
  expect(faults(secretData, { type: "kubernetes.io/tls" })).toEqual([])
  expect(faults(secretData, { type: "orch.io/basic-auth" })).toEqual(["Required data[username]", "Required data[password]"])
  expect(faults(secretData, { type: "orch.io/basic-auth", data: { password: "" } })).toEqual([])
  expect(faults(secretData, { type: "orch.io/ssh-auth", data: { "ssh-privatekey": "" } })).toEqual(["Required data[ssh-privatekey]"])
  expect(faults(secretData, { type: "orch.io/service-account-token" })).toEqual([
    "Required metadata.annotations[orch.io/service-account.name]",
  ])
  expect(
    faults(secretData, { type: "orch.io/service-account-token", metadata: { annotations: { "orch.io/service-account.name": "a" } } }),
  ).toEqual([])
})

test("registry credentials are a JSON object or empty, and are never shown", () => {
  const key = ".dockerconfigjson"
  const of = (text: string): ApiObject => ({ type: "orch.io/dockerconfigjson", data: { [key]: base64(text) } })
  expect(faults(secretData, { type: "orch.io/dockercfg" })).toEqual(["Required data[.dockercfg]"])
  expect(faults(secretData, of("{}"))).toEqual([])
  expect(faults(secretData, of(""))).toEqual([])
  expect(faults(secretData, of("[]"))).toEqual([`Invalid data[${key}]`])
  const failures = new Failures()
  const secret = of("sesame")
  secretData(secret, CheckContext.of(secret, { failures, vendor: vendorProfile("orch") }))
  expect(JSON.stringify(failures.list)).not.toMatch(/sesame|c2VzYW1l/)
})
