import { describe, expect, it } from "vitest"
import { Composition, compilePolicyExpression, type ExpressionRequest } from "./expressions.ts"

const scope: ExpressionRequest = { age: "new", params: true, authorizer: true }

function faultOf(source: string, more: Partial<ExpressionRequest> = {}): string | undefined {
  const compiled = compilePolicyExpression(source, { ...scope, ...more })
  return "fault" in compiled ? compiled.fault : undefined
}

describe("the variables of an expression", () => {
  it.each([
    "object.spec.replicas <= params.max",
    "oldObject == null || oldObject.metadata.name == request.name",
    "request.userInfo.extra['scopes'].exists(s, s == 'a') && request.dryRun",
    "request.kind.group == '' && request.requestResource.resource == 'pods' && request.options.a == 1",
    "namespaceObject.metadata.labels.exists(l, l == 'a') && namespaceObject.status.phase == 'Active'",
    "namespaceObject.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z')",
    "authorizer.group('apps').resource('deployments').namespace('a').check('get').allowed()",
    "authorizer.requestResource.check('custom').allowed()",
    "authorizer.serviceAccount('a', 'b').path('/x').check('get').reason() == ''",
  ])("are there, with their types: %s", (source) => {
    expect(faultOf(source, { results: ["bool"] })).toBeUndefined()
  })

  it.each([
    ["params.x", { params: false }, "undeclared reference to 'params'"],
    ["authorizer.path('/')", { authorizer: false }, "undeclared reference to 'authorizer'"],
    ["variables.a", {}, "undeclared reference to 'variables'"],
    ["request.uid", {}, "undefined field 'uid'"],
    ["request.object", {}, "undefined field 'object'"],
    ["namespaceObject.metadata.ownerReferences", {}, "undefined field 'ownerReferences'"],
    ["request.name == 1", {}, "found no matching overload for '_==_'"],
  ])("are not others: %s", (source, more, fault) => {
    expect(faultOf(source, more)).toContain(fault)
  })

  it("uses what the release before knows, unless the expression is stored", () => {
    const source = "ip('10.0.0.1').family() == 4"
    expect(faultOf(source)).toContain("undeclared reference to 'ip'")
    expect(faultOf(source, { age: "stored" })).toBeUndefined()
  })
})

describe("the result of an expression", () => {
  it.each([
    ["true", ["bool"], undefined],
    ["'a'", ["bool"], "must evaluate to bool"],
    ["object.spec.paused", ["bool"], "must evaluate to bool"],
    ["null", ["string", "null_type"], undefined],
    ["1", ["string", "null_type"], "must evaluate to one of [string null_type]"],
  ] as const)("%s is one of %s: %s", (source, results, fault) => {
    expect(faultOf(source, { results })).toBe(fault)
  })

  it("cannot be had where no program can be made", () => {
    const compiled = compilePolicyExpression("int('x') == 1", scope)
    expect(compiled).toMatchObject({ fault: expect.stringContaining("program instantiation failed: "), internal: true })
  })
})

describe("variables of a policy", () => {
  function composed(...pairs: readonly (readonly [name: string, source: string])[]): Composition {
    const composition = new Composition()
    for (const [name, source] of pairs) composition.add(name, compilePolicyExpression(source, { ...scope, variables: composition.type }))
    return composition
  }

  it("have the types of their expressions, and see those before them", () => {
    const variables = composed(["names", "object.spec.items.map(i, string(i.name))"], ["first", "variables.names[0]"]).type
    expect(faultOf("variables.first.startsWith('a')", { variables, results: ["bool"] })).toBeUndefined()
    expect(faultOf("variables.first + 1", { variables })).toContain("found no matching overload for '_+_'")
    expect(faultOf("variables.second", { variables })).toContain("undefined field 'second'")
  })

  it("may be anything when their expression is wrong, or gives an object", () => {
    const variables = composed(["wrong", "1 +"], ["user", "request.userInfo"]).type
    expect(faultOf("variables.wrong.a && variables.user.nothing", { variables })).toBeUndefined()
  })
})
