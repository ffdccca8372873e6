/**
 * Owners in another namespace. References do not cross namespaces, so such an owner counts as absent and its dependents
 * are deleted. An Event reports it to the user, as the reference's garbage collector does (reason
 * OwnerRefInvalidNamespace).
 */
import type { ControllerDeps } from "../controller.ts"
import { garbageCollectorUser } from "../identities.ts"
import type { OwnerReference } from "../../base/json.ts"
import { namespacesSearchedMax, uidsRememberedMax } from "../../base/limits.ts"
import type { Registry } from "../../registry/registry.ts"
import { recordEvent } from "../record-event.ts"
import { identityOf, ownerKind, type ObjectIdentity } from "./owner.ts"

/**
 * Called for an owner that is not where the reference says. Best effort: errors while writing the Event are ignored.
 * `nowhere` holds the uids of owners that do not exist in any namespace. Uids are never reused, so one search is enough
 * for all dependents.
 */
export async function reportForeignOwner(
  { registry, api, nowhere }: Pick<ControllerDeps, "api" | "registry"> & { readonly nowhere: Set<string> },
  dependent: ObjectIdentity,
  reference: OwnerReference,
): Promise<void> {
  const kind = ownerKind(registry, reference)
  if (kind === undefined || !kind.namespaced || nowhere.has(reference.uid)) return
  if (dependent.namespace !== "" && !(await isElsewhere(registry, dependent, reference))) {
    if (nowhere.size >= uidsRememberedMax) nowhere.clear()
    nowhere.add(reference.uid)
    return
  }
  const { handle, name, uid } = dependent
  await recordEvent(
    { registry, api },
    {
      user: garbageCollectorUser(registry),
      component: "garbage-collector-controller",
      regarding: { kind: handle.kind.kind, apiVersion: handle.storedApiVersion, namespace: dependent.namespace, name, uid },
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: messageOf(dependent, reference),
    },
  )
}

/** Whether an owner with this name and uid exists in another namespace. */
async function isElsewhere(registry: Registry, dependent: ObjectIdentity, reference: OwnerReference): Promise<boolean> {
  const { kinds } = registry.deps
  const [kind, namespaces] = [ownerKind(registry, reference), kinds.find("", "v1", "namespaces")]
  if (kind === undefined || namespaces === undefined) return false
  const [owners, all] = [await registry.handle(kinds.stored(kind)), await registry.handle(namespaces)]
  let searched = 0
  for (const entry of all.cache.snapshot().entries({ prefix: all.prefix("") })) {
    if (++searched > namespacesSearchedMax) return false
    const namespace = entry.field("metadata.name")
    const found = namespace === dependent.namespace ? undefined : owners.cache.get(owners.key(namespace, reference.name))
    if (found !== undefined && identityOf(found).uid === reference.uid) return true
  }
  return false
}

function messageOf({ namespace }: ObjectIdentity, reference: OwnerReference): string {
  const owner = `${reference.apiVersion} ${reference.kind} ${JSON.stringify(reference.name)} (uid ${reference.uid})`
  return namespace === ""
    ? `its owner ${owner} has a namespace, which a cluster-scoped object cannot name`
    : `its owner ${owner} does not exist in namespace ${JSON.stringify(namespace)}: owners are looked for in the object's own namespace`
}
