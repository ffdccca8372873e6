import { expect, it } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { mapDocument } from "./vendor.ts"

const neutral = `{
 "x-generated":"do not \\"edit\\"",
 "paths":{"/apis/node.orch.io/v1/x":{"produces":["application/vnd.orch.protobuf;stream=watch"],"x-orch-action":"list"}},
 "schema":{"$ref":"#/definitions/io.orch.api.core.v1.Pod"},
 "gvk":{"group":"flowcontrol.apiserver.orch.io"},
 "description":"Of node.orch.io/v1 and events.orch.io. Labels orch.io/metadata.name, node.orch.io/unreachable; namespace orch-system; orch-apiserver; example.com/x."
}`

it("maps every vendor name in a document and nothing else", () => {
  expect(mapDocument(neutral, vendorProfile("kubernetes"))).toBe(`{
 "paths":{"/apis/node.k8s.io/v1/x":{"produces":["application/vnd.kubernetes.protobuf;stream=watch"],"x-kubernetes-action":"list"}},
 "schema":{"$ref":"#/definitions/io.k8s.api.core.v1.Pod"},
 "gvk":{"group":"flowcontrol.apiserver.k8s.io"},
 "description":"Of node.k8s.io/v1 and events.k8s.io. Labels kubernetes.io/metadata.name, node.kubernetes.io/unreachable; namespace kube-system; orch-apiserver; example.com/x."
}`)
})

it("removes the generator's mark and keeps the rest unchanged", () => {
  expect(mapDocument(neutral, vendorProfile("orch"))).toBe(neutral.replace(/\n "x-generated":.*/, ""))
})
