/** Pod templates, in ReplicationController. */
import { describe, expect, test } from "vitest"
import { deployment } from "../../generated/apps/v1/deployment/resource.ts"
import { Failures } from "../../runtime/base/failure.ts"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import { container, port, vendor } from "./pods.ts"

const deploymentParts = await deployment.load()

describe("templates", () => {
  function made(spec: JsonObject, metadata: JsonObject = {}): ApiObject {
    const template = { metadata: { labels: { a: "b" }, ...metadata }, spec: { containers: [{ name: "a", image: "i:1" }], ...spec } }
    const { object } = normalize(deploymentParts.shape, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    })
    deploymentParts.applyDefaults(object, { vendor })
    return object
  }

  test.each<[string, JsonObject, JsonObject, ...string[]]>([
    ["plain", {}, {}],
    ["blank around an image", container({ image: " i " }), {}],
    ["host network without host port", { hostNetwork: true, ...port({}) }, {}],
    ["no container name", { containers: [{ image: "i" }] }, {}, "Required spec.template.spec.containers[0].name"],
    ["ephemeral container", { ephemeralContainers: [{ name: "e", image: "i" }] }, {}, "Forbidden spec.template.spec.ephemeralContainers"],
    ["label", {}, { labels: { a: "b", c: "d e" } }, "Invalid spec.template.labels"],
    ["annotation key", {}, { annotations: { "a b": "" } }, "Invalid spec.template.annotations"],
    ["annotations too long", {}, { annotations: { a: "x".repeat(262_144) } }, "TooLong spec.template.annotations"],
    [
      "annotation",
      {},
      { annotations: { "controller.orch.io/pod-deletion-cost": "x" } },
      "Invalid spec.template.annotations[controller.orch.io/pod-deletion-cost]",
    ],
  ])("%s", (_name, spec, metadata, ...expected) => {
    const failures = new Failures()
    deploymentParts.validate(made(spec, metadata), { failures, vendor })
    expect(failures.list.map((failure) => `${failure.type} ${failure.field}`)).toEqual(expected)
  })

  test("does not fill in what only pods have", () => {
    const object = made({ hostNetwork: true, ...container({ ports: [{ containerPort: 80 }], resources: { limits: { cpu: "1" } } }) })
    const text = JSON.stringify(object)
    expect(text).toContain('"terminationMessagePolicy":"File"')
    for (const word of ["hostPort", "requests", "enableServiceLinks"]) expect(text).not.toContain(word)
  })
})
