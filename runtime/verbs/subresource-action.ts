/** POST on a sub-resource whose behaviour does more than change the parent: eviction. */
import type { OpenAttributes } from "../admission/plugin.ts"
import { serverAttributes, serverUser } from "../admission/server-identity.ts"
import { assert } from "../base/assert.ts"
import { methodNotAllowed, notFound } from "../base/errors.ts"
import type { Deletion, ObjectAccess, ObjectPlace, SubresourceBehaviour } from "../schema/behaviour.ts"
import type { Subresource } from "../schema/kind.ts"
import { mutateObject, validateObject } from "../registry/admit.ts"
import { deleteObject } from "../registry/delete.ts"
import { parseObject } from "../registry/object-codec.ts"
import { awaitFreshness, getObject } from "../registry/read.ts"
import type { KindHandle } from "../registry/registry.ts"
import { updateObject } from "../registry/update.ts"
import { attributesOf } from "./attributes.ts"
import { readKindBody } from "./request-body.ts"
import { answerStatus, type ResourceRequest } from "./call.ts"
import { readDeleteOptions } from "./delete-options.ts"
import { readWriteOptions } from "./write-options.ts"

/** Called for sub-resources whose behaviour has `act`. Responds 201 with a Status. */
export async function handlePost(call: ResourceRequest, subresource: Subresource, behaviour: SubresourceBehaviour): Promise<void> {
  const { info, query } = call.request
  if (behaviour.act === undefined) throw methodNotAllowed()
  const options = readWriteOptions(query, "CreateOptions")
  const kind = await call.parts.body(subresource.kind ?? call.handle.kind)
  const versions = (behaviour.acceptedVersions ?? []).map((version) => call.parts.vendor.apiVersion(version))
  const sent = await readKindBody(call, kind, { ...options, apiVersions: [kind.apiVersion, ...versions] })
  const attributes = attributesOf(call, "CREATE", options, subresource.kind)
  const body = await mutateObject(call.registry, attributes, { object: sent }, kind)
  behaviour.validate?.(body, info.name)
  await validateObject(call.registry, attributes, { object: body })
  await behaviour.act({ body, namespace: info.namespace, name: info.name, dryRun: options.dryRun, objects: objectAccess(call, attributes) })
  await answerStatus(call, undefined, 201)
}

/**
 * The registry for actions: the rules of requests apply, but there is no request. Admission has already checked what
 * the request does to its own object. Other changes are made, and admitted, as changes of the server.
 */
function objectAccess(call: ResourceRequest, request: OpenAttributes): ObjectAccess {
  const { parts, registry } = call
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
      const found = await getObject(registry, handle, { ...place, freshness: { mode: "most-recent" } })
      return handle.fromStored(parseObject(found.json()))
    },
    async list(place) {
      const handle = await open(place)
      await awaitFreshness(registry, handle, { mode: "most-recent" })
      const found = handle.cache.snapshot().entries({ prefix: handle.prefix(place.namespace) })
      return [...found].map((entry) => handle.fromStored(parseObject(entry.json())))
    },
    async update(place, change, { dryRun }) {
      const handle = await open(place)
      const subresource = handle.kind.subresources.find(({ name }) => name === place.subresource)
      const { object } = await updateObject(registry, handle, {
        attributes: serverAttributes(serverUser, "UPDATE", { ...place, kind: handle.kind, dryRun }),
        ...(isOwn(place) && { admission: "done" }),
        ...(subresource !== undefined && { subresource }),
        put: false,
        warn: () => {},
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
      const attributes = serverAttributes(serverUser, "DELETE", { ...place, kind: handle.kind, dryRun })
      await deleteObject(registry, handle, { ...asked, attributes, admitted: isOwn(place) })
    },
    readDeletion: (options) => readDeleteOptions(new URLSearchParams(), options),
  }
}
