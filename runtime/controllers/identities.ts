/** The users for which controllers write: the service accounts of the reference's controllers. */
import { controllerUser } from "../admission/server-identity.ts"
import type { Registry } from "../registry/registry.ts"

type ControllerUser = ReturnType<typeof controllerUser>

/** Empties terminating namespaces. */
export function namespaceController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "namespace-controller")
}

/** Establishes definitions, and empties deleted ones. */
export function definitionController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "definition-controller")
}

/** Deletes dependents whose owners are gone. */
export function garbageCollectorUser({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "generic-garbage-collector")
}

/** Creates the account `default` in each namespace. */
export function serviceAccountController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "service-account-controller")
}

/** Writes the server's authority into each namespace. */
export function rootCaPublisher({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "root-ca-cert-publisher")
}

/** Aggregates the rules of ClusterRoles. */
export function clusterRoleAggregation({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "clusterrole-aggregation-controller")
}

/** Deletes finished Jobs. */
export function jobCleaner({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "ttl-after-finished-controller")
}

/** Writes the Endpoints of services. */
export function endpointsController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "endpoint-controller")
}

/** Writes the EndpointSlices of services. */
export function endpointSliceController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "endpointslice-controller")
}

/** Writes EndpointSlices for Endpoints made by users. */
export function endpointSliceMirroringController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "endpointslicemirroring-controller")
}

/** Writes the status of quotas. */
export function quotaController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "resourcequota-controller")
}

/** Signs the ConfigMap `cluster-info` with bootstrap tokens. */
export function bootstrapSigner({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "bootstrap-signer")
}

/** Deletes expired bootstrap tokens. */
export function tokenCleaner({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "token-cleaner")
}

/** Deletes old certificate requests. */
export function certificateController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "certificate-controller")
}
