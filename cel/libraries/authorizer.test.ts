import { expect, test } from "vitest"
import { Environment } from "../environment.ts"
import { type AuthorizerQuestion, authorizerLibrary, requestResourceOf, resourceCheckType } from "./authorizer.ts"

test("the resource of a request is a check of its own", () => {
  const asked: AuthorizerQuestion[] = []
  const question = { group: "apps", resource: "deployments", subresource: "", namespace: "test", name: "web" }
  const environment = new Environment({
    variables: { "authorizer.requestResource": resourceCheckType },
    libraries: [authorizerLibrary],
  })
  const compiled = environment.compile("authorizer.requestResource.subresource('scale').check('update').allowed()")
  if (!("program" in compiled)) throw new Error("it does not compile")
  const check = requestResourceOf((one) => {
    asked.push(one)
    return { allowed: true, reason: "" }
  }, question)
  expect(compiled.program.evaluate({ "authorizer.requestResource": check }).value).toBe(true)
  expect(asked).toEqual([{ verb: "update", resource: { ...question, subresource: "scale" } }])
})
