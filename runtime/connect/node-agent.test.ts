import { expect, test } from "vitest"
import type { ApiObject } from "../base/json.ts"
import { shownItemsMax } from "../base/limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { agentTarget } from "./node-agent.ts"

const settings = { addressTypes: ["InternalIP"], timeoutMs: 1000, vendor: vendorProfile("kubernetes") }

async function messageFor(options: ApiObject, objects: Readonly<Record<string, ApiObject>>): Promise<string> {
  const request = { connect: "log", namespace: "default", name: "a", options } as const
  const answer = await agentTarget(request, async (resource) => objects[resource] ?? {}, settings).catch((error: unknown) => error)
  return answer instanceof Error ? answer.message : ""
}

test("an error message lists a few of many containers and addresses, and their number", async () => {
  const containers = Array.from({ length: 20_000 }, (_, index) => ({ name: `c${index}` }))
  const pods = { metadata: { name: "a" }, spec: { nodeName: "n", containers } }
  for (const options of [{}, { container: "x".repeat(200_000) }]) {
    const message = await messageFor(options, { pods })
    expect(message).toContain(`c${shownItemsMax - 1} and ${20_000 - shownItemsMax} more`)
    expect(message.length).toBeLessThan(1000)
  }
  const addresses = Array.from({ length: 20_000 }, () => ({ type: "Other", address: "x".repeat(300) }))
  const nodes = { metadata: { name: "n" }, status: { addresses } }
  expect((await messageFor({ container: "c1" }, { pods, nodes })).length).toBeLessThan(shownItemsMax * 300 + 1000)
})
