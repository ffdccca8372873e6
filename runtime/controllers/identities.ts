/** The users in whose name controllers write: the reference's service accounts of them. */
import { controllerUser } from "../admission/server-identity.ts"
import type { Registry } from "../registry/registry.ts"

type ControllerUser = ReturnType<typeof controllerUser>

/** Of what empties namespaces. */
export function namespaceController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "namespace-controller")
}

/** Of what makes definitions work and empties those that are deleted. */
export function definitionController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "definition-controller")
}

/** Of what deletes dependents of owners that are gone. */
export function garbageCollectorUser({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "generic-garbage-collector")
}

/** Of what makes the account `default` in each namespace. */
export function serviceAccountController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "service-account-controller")
}

/** Of what writes the server's authority into each namespace. */
export function rootCaPublisher({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "root-ca-cert-publisher")
}

/** Of what unites the rules of ClusterRoles. */
export function clusterRoleAggregation({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "clusterrole-aggregation-controller")
}

/** Of what deletes finished Jobs. */
export function jobCleaner({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "ttl-after-finished-controller")
}

/** Of what writes the Endpoints of services. */
export function endpointsController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "endpoint-controller")
}

/** Of what writes the EndpointSlices of services. */
export function endpointSliceController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "endpointslice-controller")
}

/** Of what writes EndpointSlices for Endpoints that others made. */
export function endpointSliceMirroringController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "endpointslicemirroring-controller")
}

/** Of what writes the status of quotas. */
export function quotaController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "resourcequota-controller")
}

/** Of what signs and cleans up after bootstrap tokens. */
export function bootstrapSigner({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "bootstrap-signer")
}

/** Of what deletes bootstrap tokens that have expired. */
export function tokenCleaner({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "token-cleaner")
}

/** Of what deletes old requests for certificates. */
export function certificateController({ deps }: Registry): ControllerUser {
  return controllerUser(deps.vendor, "certificate-controller")
}
