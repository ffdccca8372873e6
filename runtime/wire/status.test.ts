import { describe, expect, it } from "vitest"
import { ApiError, badRequest, expired, invalid, notFound } from "../base/errors.ts"
import { vendorProfile } from "../base/vendor.ts"
import { failureStatus, successStatus } from "./status.ts"

const kubernetes = vendorProfile("kubernetes")

describe("failureStatus", () => {
  it("equals the reference's, with the vendor's group names", () => {
    const status = failureStatus(notFound({ group: "events.orch.io", resource: "events", name: "x" }), kubernetes)
    expect(JSON.stringify(status)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"events.events.k8s.io \\"x\\" not found","reason":"NotFound","details":{"name":"x","group":"events.k8s.io","kind":"events"},"code":404}',
    )
    expect(failureStatus(badRequest("no"), kubernetes)).not.toHaveProperty("details")
    expect(failureStatus(new ApiError(404, "NotFound", "no", {}), kubernetes).details).toEqual({})
  })

  it("has causes and the token of an expired page", () => {
    const fault = invalid({ group: "", resource: "ConfigMap", name: "a" }, [{ type: "Required", field: "metadata.name", detail: "" }])
    expect(failureStatus(fault, kubernetes).details).toMatchObject({ causes: [{ reason: "FieldValueRequired", field: "metadata.name" }] })
    expect(failureStatus(expired("old", "token"), kubernetes).metadata).toEqual({ continue: "token" })
  })
})

describe("successStatus", () => {
  it("names what was deleted", () => {
    expect(successStatus({ name: "a", group: "", kind: "configmaps", uid: "u" }, kubernetes)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: "u" },
    })
    expect(successStatus(undefined, kubernetes)).not.toHaveProperty("details")
  })
})
