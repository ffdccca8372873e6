/** Shared by tests that compare objects with the reference's Go types. */
import { expect } from "vitest"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { isObject } from "../../runtime/base/json.ts"

/** The messages of claims in a StatefulSet have no kind. The reference's server adds it to answers, as ours does. */
export function asGoReads(object: JsonObject): JsonObject {
  const spec = object["spec"]
  if (object["kind"] !== "StatefulSet" || !isObject(spec) || !Array.isArray(spec["volumeClaimTemplates"])) return object
  const claims = spec["volumeClaimTemplates"].map((claim) => {
    const { kind, apiVersion, ...fields } = asObject(claim)
    expect([kind, apiVersion]).toEqual(["PersistentVolumeClaim", "v1"])
    return fields
  })
  return { ...object, spec: { ...spec, volumeClaimTemplates: claims } }
}

/** Returns the value as an object; fails the test for any other value. */
export function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : expect.fail(`no object: ${String(value)}`)
}
