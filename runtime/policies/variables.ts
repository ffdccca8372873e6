/**
 * Variables of admission expressions: names and types of kube-apiserver 1.30. `object`, `oldObject` and `params` may be
 * of any kind, so their fields are unknown before a request.
 */
import { boolType, type CelType, dynType, intType, listType, mapType, objectType, stringType, timestampType } from "../../cel/index.ts"
import { authorizerType, resourceCheckType } from "../../cel/libraries/index.ts"

/** An object with these fields. */
export function struct(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return objectType(name, new Map(Object.entries(fields).map(([property, type]) => [property, { property, type }])))
}

const texts = listType(stringType)
const textMap = mapType(stringType, stringType)

const groupVersionKind = struct("kubernetes.GroupVersionKind", { group: stringType, version: stringType, kind: stringType })
const groupVersionResource = struct("kubernetes.GroupVersionResource", { group: stringType, version: stringType, resource: stringType })

/** The type of users in expressions. */
export const userInfo = struct("kubernetes.UserInfo", {
  username: stringType,
  uid: stringType,
  groups: texts,
  extra: mapType(stringType, texts),
})

/** The type of `request`. The objects are separate variables, and `uid` is absent. */
export const requestType = struct("kubernetes.AdmissionRequest", {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo,
  dryRun: boolType,
  options: dynType,
})

/** The type of `namespaceObject`. */
export const namespaceType = struct("kubernetes.Namespace", {
  metadata: struct("kubernetes.NamespaceMetadata", {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: textMap,
    annotations: textMap,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  spec: struct("kubernetes.NamespaceSpec", { finalizers: texts }),
  status: struct("kubernetes.NamespaceStatus", {
    conditions: listType(
      struct("kubernetes.NamespaceCondition", {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
})

/** Optional variables of an expression. */
export interface VariableChoice {
  /** The policy has a `paramKind`. */
  readonly params: boolean
  /** Whether `authorizer` exists: not in texts of failures, which may not depend on the rights of users. */
  readonly authorizer: boolean
}

/** The variables of an expression. */
export function variablesOf({ params, authorizer }: VariableChoice): Readonly<Record<string, CelType>> {
  return {
    object: dynType,
    oldObject: dynType,
    request: requestType,
    namespaceObject: namespaceType,
    ...(params && { params: dynType }),
    ...(authorizer && { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType }),
  }
}

/** The type of `variables` with these fields. */
export function compositionType(fields: ReadonlyMap<string, CelType>): CelType {
  return struct("kubernetes.variables", Object.fromEntries(fields))
}
