import type { Operation } from "../http/request/operation.ts"
import type { Step } from "../http/env.ts"

/**
 * Runs steps in order, until one has answered. Returns a promise only if a step waits: a synchronous step costs one
 * call, while a middleware of Hono would cost three closures and three promises, about 0.3 microseconds
 * (docs/decisions/0001-request-pipeline-on-hono.md).
 */
export function inOrder<Request extends Operation>(
  steps: readonly ((request: Request) => ReturnType<Step>)[],
  request: Request,
  from = 0,
): ReturnType<Step> {
  for (let index = from; index < steps.length; index++) {
    const result = steps[index]?.(request)
    if (result instanceof Promise) return result.then((answer) => answer ?? inOrder(steps, request, index + 1))
    if (result !== undefined) return result
  }
  return undefined
}
