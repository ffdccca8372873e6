/** Replaces `AsyncResource.bind`, which node's HTTP/2 client calls for each request, in node versions before 25. */
import { AsyncResource } from "node:async_hooks"

/**
 * Called before the first of many requests over HTTP/2; further calls do nothing, nor does any call from node 25 on.
 * Earlier versions give every function that `AsyncResource.bind` makes a property `asyncResource`, deprecated
 * (DEP0172), whose accessors get prototypes of their own. V8 keeps a hidden class for each in the old generation, and
 * with it the request and everything it references, until the next full collection: 65 of the 522 us of a create on
 * etcd. No code here reads the property. The replacement affects the whole process.
 */
export function bindWithoutResource(): void {
  const bound = new AsyncResource("probe").bind(bindWithoutResource)
  if ("asyncResource" in bound) Object.assign(AsyncResource.prototype, { bind })
}

/** As documented for node 25. */
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
