/** Access to objects for a POST whose behaviour does more than change the parent: eviction. */
import type { OpenAttributes } from "../admission/plugin.ts"
import { serverAttributes, serverUser } from "../admission/server-identity.ts"
import { assert } from "../base/assert.ts"
import { notFound } from "../base/errors.ts"
import type { Deletion, ObjectAccess } from "../schema/behaviour.ts"
import type { ObjectPlace } from "../schema/object-client.ts"
import { deleteObject } from "../registry/delete.ts"
import { parseObject } from "../registry/object-codec.ts"
import { awaitFreshness, getObject } from "../registry/read.ts"
import type { KindHandle } from "../registry/registry.ts"
import { updateObject } from "../registry/update.ts"
import type { ObjectRequest } from "./call.ts"
import { readDeleteOptions } from "./delete-options.ts"
import { selectObjects } from "./select-objects.ts"

/**
 * The registry for actions: the rules of requests apply, but there is no request. Admission has already checked the
 * request's change of its own object. Other changes are made, and admitted, as changes of the server.
 */
export function objectAccess(call: ObjectRequest, request: OpenAttributes): ObjectAccess {
  const { parts, registry } = call
  const { trace } = request
  const isOwn = ({ group, resource, namespace, name }: ObjectPlace): boolean =>
    group === request.resource.group && resource === request.resource.resource && namespace === request.namespace && name === request.name
  const open = async ({ group, version, resource }: Omit<ObjectPlace, "name">): Promise<KindHandle> => {
    const kind = parts.kinds.find(group, version, resource)
    if (kind === undefined) throw notFound({ group, resource })
    return registry.handle(kind)
  }
  return {
    async get(place) {
      const handle = await open(place)
      const found = await getObject(registry, handle, { ...place, freshness: { mode: "most-recent" }, trace })
      return handle.fromStored(parseObject(found.json()))
    },
    async select(place, reading, test) {
      const handle = await open(place)
      await awaitFreshness(registry, handle, { mode: "most-recent" }, trace)
      return selectObjects(handle, { prefix: handle.prefix(place.namespace), reading, test })
    },
    async update(place, change, { dryRun }) {
      const handle = await open(place)
      const subresource = handle.kind.subresources.find(({ name }) => name === place.subresource)
      const { object } = await updateObject(registry, handle, {
        attributes: serverAttributes(serverUser, "UPDATE", { ...place, kind: handle.kind, dryRun, trace }),
        ...(isOwn(place) && { admission: "done" }),
        ...(subresource !== undefined && { subresource }),
        put: false,
        transform: (old) => {
          assert(old !== undefined, "an update that may not create meets an object")
          return change(old)
        },
      })
      return object
    },
    async delete(place, deletion: Deletion) {
      const { dryRun, ...asked } = deletion
      const handle = await open(place)
      const attributes = serverAttributes(serverUser, "DELETE", { ...place, kind: handle.kind, dryRun, trace })
      await deleteObject(registry, handle, { ...asked, attributes, admitted: isOwn(place) })
    },
    readDeletion: (options) => readDeleteOptions(new URLSearchParams(), options),
  }
}
