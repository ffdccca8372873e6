/**
 * Creates and maintains a server's own objects besides namespaces and roles: objects by which clients find it, learn
 * its groups, and learn which authorities it trusts. Every server of a store does so, like every kube-apiserver.
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
  /** Resolves when the kinds of all definitions are served. */
  readonly kindsKnown: Promise<void>
  readonly identity: ServerIdentity
  /** Absent: the server does not authenticate client certificates. */
  readonly trust: TrustSource | undefined
}

/** Each returns why its objects have not been made yet; undefined once they were. */
export interface OwnObjectFaults {
  readonly apiServices: () => string | undefined
  readonly availability: () => string | undefined
  /** The fault before it has begun. */
  readonly lease: () => string | undefined
  readonly published: () => string | undefined
}

export interface OwnObjects extends Controller {
  /** Resolves when all objects have been made, or have failed and are retried. */
  readonly made: Promise<void>
  readonly faults: OwnObjectFaults
}

/** Called once per server. */
export function startOwnObjects(deps: ControllerDeps, { bootstrap, kindsKnown, identity, trust }: OwnObjectsOptions): OwnObjects {
  const services = startApiServiceRegistration(deps, kindsKnown)
  // These need the namespaces, and the priority levels that schemas name.
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
      // As in the reference: a server with a slow store counts as alive.
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
