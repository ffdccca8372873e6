/**
 * Makes and keeps the objects that a server has of its own, beside the namespaces and roles: those by which others find
 * it, know what it serves, and know whom it trusts. Every server of a store does, as every kube-apiserver.
 */
import type { Controller, ControllerDeps } from "./controller.ts"
import { startApiServiceAvailability } from "./api-services/availability.ts"
import { startApiServiceRegistration } from "./api-services/registration.ts"
import type { Bootstrap } from "./bootstrap.ts"
import { startDanglingConditions } from "./flow-control/dangling.ts"
import { type ServerIdentity, startIdentityLease } from "./identity-lease.ts"
import { startPublishedConfiguration, type TrustSource } from "./published-configuration.ts"
import { startAfter } from "./start-after.ts"

export interface OwnObjectsOptions {
  readonly bootstrap: Pick<Bootstrap, "done">
  /** The kinds of all definitions are served. */
  readonly kindsKnown: Promise<void>
  readonly identity: ServerIdentity
  /** Absent: no client is known by its certificate. */
  readonly trust: TrustSource | undefined
}

/** Each says why its part has not been made yet; undefined once it was. */
export interface OwnObjectFaults {
  readonly apiServices: () => string | undefined
  readonly availability: () => string | undefined
  /** Says that it has not begun. */
  readonly lease: () => string | undefined
  readonly published: () => string | undefined
}

export interface OwnObjects extends Controller {
  /** Resolves when all have been made, or have failed and are tried again. */
  readonly made: Promise<void>
  readonly faults: OwnObjectFaults
}

/** Called once per server. */
export function startOwnObjects(deps: ControllerDeps, { bootstrap, kindsKnown, identity, trust }: OwnObjectsOptions): OwnObjects {
  const services = startApiServiceRegistration(deps, kindsKnown)
  // Their parts need the namespaces, and the levels that schemas name.
  const lease = startAfter(bootstrap.done, () => startIdentityLease(deps, identity))
  const published = startAfter(bootstrap.done, () => startPublishedConfiguration(deps, trust))
  const dangling = startAfter(bootstrap.done, () => startDanglingConditions(deps))
  const availability = startAfter(services.made, () => startApiServiceAvailability(deps))
  const parts: readonly Controller[] = [services, lease, published, dangling, availability]
  return {
    made: Promise.all(parts.map(({ made }) => made)).then(() => undefined),
    faults: {
      apiServices: services.fault,
      availability: until(availability.made),
      // As in the reference: a server whose store is slow is alive.
      lease: until(bootstrap.done),
      published: until(published.made),
    },
    async stop() {
      await Promise.all(parts.map((part) => part.stop()))
    },
  }
}

function until(made: Promise<unknown> | undefined): () => string | undefined {
  let fault: string | undefined = "not finished"
  void made?.then(() => {
    fault = undefined
  })
  return () => fault
}
