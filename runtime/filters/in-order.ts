import type { Filter, ServerEnv, Step } from "../http/env.ts"

/**
 * Combines steps into one Hono middleware, which runs them in order until one returns an answer. Only promises are
 * awaited: a step without one costs a call. As a middleware it would cost Hono three closures and three promises, about
 * 0.3 microseconds (docs/decisions/0001-request-pipeline-on-hono.md).
 */
export function inOrder(steps: readonly Step[]): Filter {
  return function inOrder({ env }, next) {
    const answer = take(steps, env, 0)
    if (answer === undefined) return next()
    return goOn(answer, next)
  }
}

async function goOn(answer: NonNullable<ReturnType<Step>>, next: () => Promise<void>): Promise<Response | undefined> {
  const answered = await answer
  if (answered === undefined) await next()
  return answered
}

/** Runs steps in order. The answer of the first that has one, or undefined. A promise only if a step waits. */
export function take(steps: readonly Step[], env: ServerEnv["Bindings"], from: number): ReturnType<Step> {
  for (let index = from; index < steps.length; index++) {
    const answer = steps[index]?.(env)
    if (answer instanceof Promise) return answer.then((answered) => answered ?? take(steps, env, index + 1))
    if (answer !== undefined) return answer
  }
  return undefined
}
