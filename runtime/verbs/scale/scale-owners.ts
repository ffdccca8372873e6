/** Maps managed fields between a Scale and its parent. */
import type { RequestAttributes } from "../../admission/plugin.ts"
import {
  managedFieldsOfParent,
  managedFieldsOfScale,
  type ScaleMapping,
  setOfPath,
} from "../../apply/managed-fields/scale-managed-fields.ts"
import { trackUpdate } from "../../apply/managed-fields/track-update.ts"
import type { Versions } from "../../apply/managed-fields/versions.ts"
import { withManagers } from "../../apply/managed-fields/with-managers.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { timeText } from "../../base/time.ts"
import { managerOf, versionsOf } from "../../registry/managed-fields.ts"
import type { KindBody } from "../../server-parts.ts"
import type { ObjectRequest } from "../call.ts"

export interface ScaleManagers {
  /** Adds the managed fields to the Scale of a parent. */
  readonly view: (scale: ApiObject, parent: ApiObject) => ApiObject
  /** managedFields of a Scale after a write other than apply. */
  readonly afterWrite: (before: ApiObject, next: ApiObject) => JsonObject[] | undefined
  /** managedFields of the parent after the write, taken from `ofScale`. */
  readonly intoParent: (next: ApiObject, parent: ApiObject, ofScale: JsonObject[] | undefined) => ApiObject
}

/** A Scale has one version, and clients may set all of its fields. */
export function versionsOfScale(kind: KindBody): Versions {
  const { apiVersion, shape } = kind
  return { current: { apiVersion, shape, reset: {}, toStored: (object) => object, fromStored: (object) => object }, find: () => undefined }
}

/** Called once per request that writes a scale. `replicas`: their path in the parent, with dots. */
export async function scaleManagers(
  call: ObjectRequest,
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
    view: (view, parent) => withManagers(view, managedFieldsOfScale(managedFieldsOf(parent), mapping)),
    afterWrite: (before, next) =>
      trackUpdate({
        manager: managerOf(attributes),
        versions,
        old: before,
        next,
        subresource: scale.subresource,
        now: timeText(call.parts.clock.nowMs()),
      }),
    intoParent: (next, parent, ofScale) => withManagers(next, managedFieldsOfParent(managedFieldsOf(parent), ofScale ?? [], mapping)),
  }
}

function managedFieldsOf(object: ApiObject): JsonObject[] {
  return object.metadata?.managedFields ?? []
}
