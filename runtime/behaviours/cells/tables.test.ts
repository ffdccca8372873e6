import { expect, test } from "vitest"
import { vendorProfile } from "../../base/vendor.ts"
import { nodeRoles } from "./node-roles.ts"
import { readyEndpoints } from "./ready-endpoints.ts"

const context = { nowMs: 0, vendor: vendorProfile("orch") }

test("roles of a node are sorted and unique", () => {
  expect(nodeRoles({}, context).text).toBe("<none>")
  const labels = {
    "node-role.orch.io/worker": "",
    "node-role.orch.io/": "",
    "orch.io/role": "control",
    "node-role.orch.io/control": "x",
    other: "y",
  }
  expect(nodeRoles({ metadata: { labels } }, context).text).toBe("control,worker")
})

test("endpoints show three entries and the number of the rest", () => {
  expect(readyEndpoints({}).text).toBe("<none>")
  expect(readyEndpoints({ subsets: [{ notReadyAddresses: [{ ip: "10.0.0.1" }] }] }).text).toBe("")
  expect(readyEndpoints({ subsets: [{ addresses: [{ ip: "10.0.0.1" }] }] }).text).toBe("10.0.0.1")
  const addresses = [{ ip: "10.0.0.1" }, { ip: "fd00::1" }]
  const ports = [{ port: 80 }, { port: 443 }]
  expect(readyEndpoints({ subsets: [{ addresses, ports }] }).text).toBe("10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more...")
})
