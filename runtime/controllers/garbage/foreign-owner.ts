/**
 * Owners in another namespace. References do not cross namespaces, so such an owner counts as absent and its dependents
 * are deleted. An Event reports it to the user, as the reference's garbage collector does (reason
 * OwnerRefInvalidNamespace).
 */
import type { ControllerDeps } from "../controller.ts"
import { garbageCollectorUser } from "../identities.ts"
import type { OwnerReference } from "../../base/json.ts"
import { namespacesSearchedMax, ownersSearchedMax, uidsRememberedMax } from "../limits.ts"
import { Turns } from "../../base/turns.ts"
import { lookWork } from "../../base/work.ts"
import type { KindHandle, Registry } from "../../registry/registry.ts"
import { recordEvent } from "../record-event.ts"
import { identityOf, ownerKind, type ObjectIdentity } from "./owner.ts"

type SearchDeps = Pick<ControllerDeps, "api" | "registry"> & { readonly nowhere: Set<string> }

/**
 * Called with owners that do not exist in the namespace of an object's references. One Event per object is enough, so
 * the search ends with the first owner found in another namespace, and after a few owners. Best effort: errors while
 * writing the Event are ignored. `nowhere` holds the uids of owners that do not exist in any namespace. Uids are never
 * reused, so one search is enough for all dependents.
 */
export async function reportForeignOwner(
  deps: SearchDeps,
  dependent: ObjectIdentity,
  references: readonly OwnerReference[],
): Promise<void> {
  const turns = new Turns()
  let searched = 0
  for (const reference of references) {
    if (turns.isOver(lookWork)) await turns.next()
    const kind = ownerKind(deps.registry, reference)
    if (kind === undefined || !kind.namespaced) continue
    if (await isForeign(deps, dependent, reference, turns)) return record(deps, dependent, reference)
    if (++searched === ownersSearchedMax) return
  }
}

/** Whether the owner cannot be in the dependent's namespace, or is in another one. */
async function isForeign(
  { nowhere, registry }: SearchDeps,
  { namespace }: ObjectIdentity,
  reference: OwnerReference,
  turns: Turns,
): Promise<boolean> {
  if (nowhere.has(reference.uid)) return false
  if (namespace === "" || (await isElsewhere(registry, namespace, reference, turns))) return true
  if (nowhere.size >= uidsRememberedMax) nowhere.clear()
  nowhere.add(reference.uid)
  return false
}

async function record({ api, registry }: SearchDeps, dependent: ObjectIdentity, reference: OwnerReference): Promise<void> {
  const { handle, name, namespace, uid } = dependent
  await recordEvent(
    { registry, api },
    {
      user: garbageCollectorUser(registry),
      component: "garbage-collector-controller",
      regarding: { kind: handle.kind.kind, apiVersion: handle.storedApiVersion, namespace, name, uid },
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: messageOf(dependent, reference),
    },
  )
}

/** Whether an owner with this name and uid exists in another namespace. Decodes no namespace. */
async function isElsewhere(registry: Registry, namespace: string, reference: OwnerReference, turns: Turns): Promise<boolean> {
  const { kinds } = registry.deps
  const [kind, namespaces] = [ownerKind(registry, reference), kinds.find("", "v1", "namespaces")]
  if (kind === undefined || namespaces === undefined) return false
  const [owners, all] = [await registry.handle(kinds.stored(kind)), await registry.handle(namespaces)]
  const prefix = all.prefix("")
  let searched = 0
  for (const { key } of all.cache.snapshot().entries({ prefix })) {
    if (++searched > namespacesSearchedMax) return false
    const other = key.slice(prefix.length)
    const work = other === namespace ? 0 : workUnlessOwner(owners, owners.key(other, reference.name), reference.uid)
    if (work === undefined) return true
    if (turns.isOver(work)) await turns.next()
  }
  return false
}

/** The work of finding that the key does not hold the owner; undefined if it does. */
function workUnlessOwner({ cache }: KindHandle, key: string, uid: string): number | undefined {
  const found = cache.get(key)
  if (found === undefined) return lookWork
  const { identity, work } = identityOf(found)
  return identity.uid === uid ? undefined : work
}

function messageOf({ namespace }: ObjectIdentity, reference: OwnerReference): string {
  const owner = `${reference.apiVersion} ${reference.kind} ${JSON.stringify(reference.name)} (uid ${reference.uid})`
  return namespace === ""
    ? `its owner ${owner} has a namespace, which a cluster-scoped object cannot name`
    : `its owner ${owner} does not exist in namespace ${JSON.stringify(namespace)}: owners are looked for in the object's own namespace`
}
