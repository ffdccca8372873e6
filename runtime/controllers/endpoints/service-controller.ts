/**
 * Shared by the controllers of endpoints: keys are services, and a change of a service or a pod queues the services
 * that it affects.
 */
import type { ControllerDeps } from "../controller.ts"
import { type KeyedController, type KeyedOptions, startKeyedController } from "../keyed-controller.ts"
import type { ServicePods } from "./service-pods.ts"

/** Called by a controller of endpoints when it starts. `pods` stops with it. */
export function startServiceController(deps: ControllerDeps, pods: ServicePods, options: Omit<KeyedOptions, "begin">): KeyedController {
  let unsubscribe = (): void => {}
  const controller = startKeyedController(deps, {
    ...options,
    begin(keys) {
      unsubscribe = pods.subscribe(keys)
    },
  })
  return {
    async idle() {
      await pods.settled()
      await controller.idle()
    },
    async stop() {
      unsubscribe()
      await Promise.all([pods.stop(), controller.stop()])
    },
  }
}
