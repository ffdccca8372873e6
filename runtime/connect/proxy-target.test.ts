import { expect, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { endpointPodsMax } from "../base/limits.ts"
import { systemRandom } from "../base/random.ts"
import { vendorProfile } from "../base/vendor.ts"
import { proxyTarget } from "./proxy-target.ts"

const request = { resource: "services", namespace: "default", name: "s:web" } as const

/** Returns the target of a request through service `s`, and how many pods were read for it. */
async function through(addresses: readonly JsonObject[], pods: Readonly<Record<string, ApiObject>>) {
  let reads = 0
  const read = async (resource: string, name: string): Promise<ApiObject> => {
    if (resource === "endpoints") return { subsets: [{ addresses: [...addresses], ports: [{ name: "web", port: 80 }] }] }
    reads++
    const pod = pods[name]
    if (pod === undefined) throw new ApiError(404, "NotFound", "none")
    return pod
  }
  const agent = { addressTypes: [], timeoutMs: 1000, vendor: vendorProfile("kubernetes") }
  const target = await proxyTarget(request, { read, random: systemRandom, agent }).catch((error: unknown) => error)
  return { target, reads }
}

const endpoint = (name: string, ip: string): JsonObject => ({ ip, targetRef: { kind: "Pod", namespace: "default", name } })

test("a pod named by many endpoints is read once", async () => {
  const addresses = Array.from({ length: 5000 }, (_, index) => endpoint("a", `10.0.${index >> 8}.${index & 255}`))
  const { target, reads } = await through(addresses, { a: { status: { podIPs: [{ ip: "10.0.3.7" }] } } })
  expect(target).toMatchObject({ host: "10.0.3.7", port: 80 })
  expect(reads).toBe(1)
})

test("reads of missing pods are limited", async () => {
  const addresses = Array.from({ length: 5000 }, (_, index) => endpoint(`p${index}`, "10.0.0.1"))
  const { target, reads } = await through(addresses, {})
  expect(target).toMatchObject({ code: 503, message: expect.stringContaining(`none of ${endpointPodsMax} pods`) })
  expect(reads).toBe(endpointPodsMax)
})
