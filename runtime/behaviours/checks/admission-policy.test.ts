import { afterAll, beforeAll, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"

let one: OpenRegistry
beforeAll(async () => {
  one = await openRegistry()
})
afterAll(() => one.close())

const matchConstraints = { resourceRules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }] }

function policy(name: string, spec: JsonObject): ApiObject {
  return { metadata: { name }, spec: { matchConstraints, ...spec } }
}

function validations(count: number, expression = "true"): JsonObject[] {
  return Array.from({ length: count }, () => ({ expression }))
}

test.each([
  ["may have at most 1000 expressions, but has 1001", validations(1001)],
  ["the expressions may have at most 262144 characters together", validations(3, `'${"x".repeat(100_000)}' != ''`)],
])("a policy that %s is refused without compiling it", async (detail, all) => {
  await expect(one.create("validatingadmissionpolicies", policy("long", { validations: all }))).rejects.toMatchObject({
    code: 422,
    details: { causes: [{ reason: "FieldValueForbidden", field: "spec", message: expect.stringContaining(detail) }] },
  })
})

test("the same holds for the conditions of web hooks", async () => {
  const matchConditions = Array.from({ length: 60 }, (_, index) => ({ name: `c${index}`, expression: "true" }))
  const webhooks = Array.from({ length: 17 }, (_, index) => ({
    name: `h${index}.example.com`,
    clientConfig: { url: "https://example.com" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    matchConditions,
  }))
  await expect(one.create("mutatingwebhookconfigurations", { metadata: { name: "long" }, webhooks })).rejects.toMatchObject({
    details: { causes: [{ field: "webhooks", message: expect.stringContaining("but has 1020") }] },
  })
})

test("other work goes on while many expressions are compiled", async () => {
  let isDone = false
  const created = one.create("validatingadmissionpolicies", policy("many", { validations: validations(200, "object.a == 1") }))
  const finished = created.then(() => {
    isDone = true
  })
  let turns = 0
  while (!isDone) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    turns++
  }
  await finished
  expect(turns).toBeGreaterThan(10)
})
