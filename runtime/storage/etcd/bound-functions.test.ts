import { AsyncLocalStorage, AsyncResource } from "node:async_hooks"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { bindWithoutResource } from "./bound-functions.ts"

const original = AsyncResource.prototype.bind

beforeEach(() => bindWithoutResource())
afterEach(() => {
  AsyncResource.prototype.bind = original
})

describe("functions that are bound to a resource", () => {
  test("have no asyncResource property", () => {
    const bound = new AsyncResource("test").bind(() => 1)
    expect(Object.getOwnPropertyNames(bound)).not.toContain("asyncResource")
  })

  test("run in the context in which the resource was created", () => {
    const storage = new AsyncLocalStorage<string>()
    const resource = storage.run("made here", () => new AsyncResource("test"))
    const bound = resource.bind((suffix: string) => `${storage.getStore()}${suffix}`)
    expect(storage.run("called there", () => bound("!"))).toBe("made here!")
  })

  test("keep their number of parameters and their `this`, unless they are bound to a `this` too", () => {
    function name(this: { name: string }, greeting: string): string {
      return `${greeting} ${this.name}`
    }
    const resource = new AsyncResource("test")
    const own = { name: "own", greet: resource.bind(name) }
    expect(own.greet).toHaveLength(1)
    expect(own.greet("hello")).toBe("hello own")
    const bound: typeof name = Reflect.apply(resource.bind, resource, [name, { name: "bound" }])
    expect(bound.call({ name: "own" }, "hello")).toBe("hello bound")
  })

  test("must be functions", () => {
    expect(() => Reflect.apply(AsyncResource.prototype.bind, new AsyncResource("test"), [1])).toThrow(TypeError)
  })

  test("are left alone where node has fixed it", () => {
    const mended = AsyncResource.prototype.bind
    bindWithoutResource()
    expect(AsyncResource.prototype.bind).toBe(mended)
  })
})
