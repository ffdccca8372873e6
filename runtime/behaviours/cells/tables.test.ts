import { expect, test } from "vitest"
import { endpointsShape } from "../../../generated/core/v1/endpoints/shape.ts"
import type { Endpoints, EndpointSubset } from "../../../generated/core/v1/endpoints/types.ts"
import { nodeShape } from "../../../generated/core/v1/node/shape.ts"
import type { Node } from "../../../generated/core/v1/node/types.ts"
import { decoded } from "../../../test/support/decoded.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { nodeRoles } from "./node-roles.ts"
import { readyEndpoints } from "./ready-endpoints.ts"

const context = { nowMs: 0, vendor: vendorProfile("orch") }

test("roles of a node are sorted and unique", () => {
  const roles = (labels: Record<string, string>) => nodeRoles(decoded<Node>(nodeShape, { metadata: { labels } }), context)
  expect(roles({})).toEqual({ text: "<none>" })
  const labels = {
    "node-role.orch.io/worker": "",
    "node-role.orch.io/": "",
    "orch.io/role": "control",
    "node-role.orch.io/control": "x",
    other: "y",
  }
  expect(roles(labels)).toEqual({ text: "control,worker" })
})

test("endpoints show three entries and the number of the rest", () => {
  const shown = (...subsets: EndpointSubset[]) => readyEndpoints(decoded<Endpoints>(endpointsShape, { subsets }), context)
  expect(shown()).toEqual({ text: "<none>" })
  expect(shown({ notReadyAddresses: [{ ip: "10.0.0.1" }] })).toEqual({ text: "" })
  expect(shown({ addresses: [{ ip: "10.0.0.1" }] })).toEqual({ text: "10.0.0.1" })
  const addresses = [{ ip: "10.0.0.1" }, { ip: "fd00::1" }]
  const ports = [{ port: 80 }, { port: 443 }]
  expect(shown({ addresses, ports })).toEqual({ text: "10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more..." })
})
