/** Whose fields the replicas are, on both sides of a scale: in the Scale as clients see and apply it, and in its parent. */
import type { RequestAttributes } from "../../admission/plugin.ts"
import {
  managedFieldsOfParent,
  managedFieldsOfScale,
  type ScaleMapping,
  setOfPath,
} from "../../apply/managed-fields/scale-managed-fields.ts"
import { trackUpdate } from "../../apply/managed-fields/track-update.ts"
import type { Versions } from "../../apply/managed-fields/versions.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { timeText } from "../../base/time.ts"
import { managerOf, versionsOf } from "../../registry/managed-fields.ts"
import type { KindBody } from "../../server-parts.ts"
import type { ResourceRequest } from "../call.ts"

export interface ScaleManagers {
  /** The Scale of a parent, with the owners of the replicas. */
  readonly shown: (scale: ApiObject, parent: ApiObject) => ApiObject
  /** The owners of a Scale's fields after a write that is no apply. */
  readonly tracked: (before: ApiObject, next: ApiObject) => JsonObject[] | undefined
  /** The next parent, with owners as the written Scale has them. */
  readonly kept: (next: ApiObject, parent: ApiObject, ofScale: JsonObject[] | undefined) => ApiObject
}

/** A Scale is of one version, and all of it is what clients send. */
export function versionsOfScale(kind: KindBody): Versions {
  const { apiVersion, shape } = kind
  return { current: { apiVersion, shape, reset: {}, toStored: (object) => object, fromStored: (object) => object }, find: () => undefined }
}

/** Called once per request that writes a scale. `replicas`: where they are in the parent, dotted. */
export async function scaleOwners(
  call: ResourceRequest,
  attributes: RequestAttributes,
  scale: { kind: KindBody; subresource: string; replicas: string },
): Promise<ScaleManagers> {
  const { handle } = call
  const parents = await versionsOf(call.registry, handle, scale.subresource)
  const replicas = setOfPath(scale.replicas)
  const mapping: ScaleMapping = {
    scaleVersion: scale.kind.apiVersion,
    parentVersion: handle.apiVersion,
    replicas: (apiVersion) => (apiVersion === handle.apiVersion || parents.find(apiVersion) !== undefined ? replicas : undefined),
  }
  const versions = versionsOfScale(scale.kind)
  return {
    shown: (view, parent) => withManagers(view, managedFieldsOfScale(ownersOf(parent), mapping)),
    tracked: (before, next) =>
      trackUpdate({
        manager: managerOf(attributes),
        versions,
        old: before,
        next,
        subresource: scale.subresource,
        now: timeText(call.parts.clock.nowMs()),
      }),
    kept: (next, parent, ofScale) => withManagers(next, managedFieldsOfParent(ownersOf(parent), ofScale ?? [], mapping)),
  }
}

function ownersOf(object: ApiObject): JsonObject[] {
  return object.metadata?.managedFields ?? []
}

/** The object with these owners in place of those it has. Also for sub-resources that take only a part of what was sent. */
export function withManagers(object: ApiObject, managedFields: JsonObject[] | undefined): ApiObject {
  const { managedFields: _before, ...metadata } = object.metadata ?? {}
  return { ...object, metadata: { ...metadata, ...(managedFields !== undefined && { managedFields }) } }
}
