import { expect, test } from "vitest"
import { configMapShape } from "../../../generated/core/v1/config-map/shape.ts"
import type { ConfigMap } from "../../../generated/core/v1/config-map/types.ts"
import { secretShape } from "../../../generated/core/v1/secret/shape.ts"
import type { Secret } from "../../../generated/core/v1/secret/types.ts"
import { failuresOf, faultsOf, type Part } from "../../../test/support/decoded.ts"
import type { VendorName } from "../../base/vendor.ts"
import { contentBytesMax } from "../content/size.ts"
import { configMapData } from "./config-map-data.ts"
import { secretData } from "./secret-data.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const configMapFaults = (part: Part<ConfigMap>) => faultsOf(configMapData, part, { shape: configMapShape })
const secretFaults = (part: Part<Secret>, vendor: VendorName = "orch") => faultsOf(secretData, part, { shape: secretShape, vendor })

test("a key of a config map is in one of the two maps only", () => {
  expect(configMapFaults({ data: { a: "x", b: "y" }, binaryData: { b: "AAAA" } })).toEqual(["Invalid data[b]"])
})

test("the values of a config map are counted together and decoded, and exactly the limit is allowed", () => {
  const half = contentBytesMax / 2
  const binaryData = { b: Buffer.alloc(half).toString("base64") }
  expect(configMapFaults({ data: { a: "x".repeat(half) }, binaryData })).toEqual([])
  expect(configMapFaults({ data: { a: "x".repeat(half), c: "ü" }, binaryData })).toEqual(["TooLong []"])
})

test("a secret has a limit as well", () => {
  expect(secretFaults({ data: { a: Buffer.alloc(contentBytesMax + 1).toString("base64") } })).toEqual(["TooLong data"])
})

test("secrets of a known type have its keys, in the vendor's names", () => {
  expect(secretFaults({ type: "orch.io/tls", data: { "tls.crt": "" } })).toEqual(["Required data[tls.key]"])
  expect(secretFaults({ type: "kubernetes.io/tls" }, "kubernetes")).toEqual(["Required data[tls.crt]", "Required data[tls.key]"])
  expect(secretFaults({ type: "kubernetes.io/tls" })).toEqual([])
  expect(secretFaults({ type: "orch.io/basic-auth" })).toEqual(["Required data[username]", "Required data[password]"])
  expect(secretFaults({ type: "orch.io/basic-auth", data: { password: "" } })).toEqual([])
  expect(secretFaults({ type: "orch.io/ssh-auth", data: { "ssh-privatekey": "" } })).toEqual(["Required data[ssh-privatekey]"])
  expect(secretFaults({ type: "orch.io/service-account-token" })).toEqual(["Required metadata.annotations[orch.io/service-account.name]"])
  expect(
    secretFaults({ type: "orch.io/service-account-token", metadata: { annotations: { "orch.io/service-account.name": "a" } } }),
  ).toEqual([])
})

test("registry credentials are a JSON object or empty, and are never shown", () => {
  const key = ".dockerconfigjson"
  const of = (text: string): Part<Secret> => ({ type: "orch.io/dockerconfigjson", data: { [key]: base64(text) } })
  expect(secretFaults({ type: "orch.io/dockercfg" })).toEqual(["Required data[.dockercfg]"])
  expect(secretFaults(of("{}"))).toEqual([])
  expect(secretFaults(of(""))).toEqual([])
  expect(secretFaults(of("[]"))).toEqual([`Invalid data[${key}]`])
  const { list } = failuresOf(secretData, of("sesame"), { shape: secretShape })
  expect(list).toHaveLength(1)
  expect(JSON.stringify(list)).not.toMatch(/sesame|c2VzYW1l/)
})
