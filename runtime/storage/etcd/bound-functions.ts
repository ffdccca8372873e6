/** What node's HTTP/2 client binds for each request, without what an old node hangs on it. */
import { AsyncResource } from "node:async_hooks"

/**
 * Called by who makes many requests over HTTP/2, before the first; again it does nothing, nor from node 25 on. Before that every function that
 * `AsyncResource.bind` makes has a property `asyncResource`, deprecated (DEP0172), whose accessors are given prototypes of their own. V8 keeps a hidden
 * class for each in the old generation, and with it the request and everything that hangs on it, until the next full collection: of a create on
 * etcd that was 65 of 522 us. Nobody here asks a bound function for its resource. What is bound from then on is so for the whole process.
 */
export function bindWithoutResource(): void {
  const bound = new AsyncResource("probe").bind(bindWithoutResource)
  if ("asyncResource" in bound) Object.assign(AsyncResource.prototype, { bind })
}

/** As the documentation of node 25 has it. */
function bind<Of, Arguments extends unknown[], Result>(
  this: AsyncResource,
  called: (this: Of, ...given: Arguments) => Result,
  of?: Of,
): (...given: Arguments) => Result {
  if (typeof called !== "function") throw new TypeError(`a function is bound, not ${typeof called}`)
  const resource = this
  const bound =
    of === undefined
      ? function (this: Of, ...given: Arguments): Result {
          return resource.runInAsyncScope(called, this, ...given)
        }
      : (...given: Arguments): Result => resource.runInAsyncScope(called, of, ...given)
  return Object.defineProperty(bound, "length", { configurable: true, value: called.length })
}
