import type { Controller } from "./controller.ts"

/** Starts a controller when `ready` resolves, unless it was stopped before. */
export function startAfter(ready: Promise<void>, start: () => Controller): Controller {
  let isStopped = false
  let started: Controller | undefined
  const made = ready.then(() => {
    if (!isStopped) started = start()
    return started?.made
  })
  return {
    made,
    async stop() {
      isStopped = true
      await started?.stop()
    },
  }
}
