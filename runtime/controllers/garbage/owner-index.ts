/** Index of dependents by the uids of their owners, in memory. */
import type { OwnerReference } from "../../base/json.ts"
import { lookWork } from "../../base/work.ts"
import { atOnce, type Stages, Turns } from "../../base/turns.ts"

export interface Dependent {
  /** Store key. */
  readonly key: string
  /** "" for cluster-scoped objects. */
  readonly namespace: string
  readonly owners: readonly OwnerReference[]
}

/** The object whose dependents are counted. */
export interface IndexedOwner {
  readonly uid: string
  readonly key: string
  /** "" for cluster-scoped objects. */
  readonly namespace: string
}

/** The dependents of one owner. */
interface Dependents {
  readonly all: Set<Dependent>
  /** The number of dependents that block its deletion. */
  blocking: number
  /** The same number by namespace; undefined until there is one. */
  blockingIn: Map<string, number> | undefined
}

/** Work per owner of a dependent, in the unit of `Turns`. */
const ownerWork = 3 * lookWork

/** The cost of each operation except `keysBelow` depends on its arguments, not on the size of the index. */
export class OwnerIndex {
  private readonly byKey = new Map<string, Dependent>()
  private readonly byOwner = new Map<string, Dependents>()

  get(key: string): Dependent | undefined {
    return this.byKey.get(key)
  }

  /** Replaces the entry of this key. */
  put(dependent: Dependent): void {
    atOnce(this.putting(dependent))
  }

  /** As `put`, in stages, for an object with ten thousand owners. */
  *putting(dependent: Dependent): Stages<void> {
    yield* this.removing(dependent.key)
    this.byKey.set(dependent.key, dependent)
    const turns = new Turns()
    for (const [uid, isBlocking] of ownersOf(dependent)) {
      const known = this.byOwner.get(uid) ?? { all: new Set(), blocking: 0, blockingIn: undefined }
      this.byOwner.set(uid, known)
      known.all.add(dependent)
      if (isBlocking) countBlocking(known, dependent, 1)
      if (turns.endsStage(ownerWork)) yield
    }
  }

  remove(key: string): void {
    atOnce(this.removing(key))
  }

  /** As `remove`, in stages. */
  *removing(key: string): Stages<void> {
    const dependent = this.byKey.get(key)
    if (dependent === undefined) return
    this.byKey.delete(key)
    const turns = new Turns()
    for (const [uid, isBlocking] of ownersOf(dependent)) {
      const known = this.byOwner.get(uid)
      if (known === undefined) continue
      known.all.delete(dependent)
      if (isBlocking) countBlocking(known, dependent, -1)
      if (known.all.size === 0) this.byOwner.delete(uid)
      if (turns.endsStage(ownerWork)) yield
    }
  }

  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.byOwner.get(uid)?.all ?? [])]
  }

  hasDependents(uid: string): boolean {
    return this.byOwner.has(uid)
  }

  /**
   * Whether another object blocks the owner. An object that names itself as owner does not count, since it would wait
   * for itself forever. A dependent in another namespace does not count either: a user who knows a uid could otherwise
   * block the deletion of an object there.
   */
  isBlocked(owner: IndexedOwner): boolean {
    const known = this.byOwner.get(owner.uid)
    const blocking = owner.namespace === "" ? known?.blocking : known?.blockingIn?.get(owner.namespace)
    if (blocking === undefined || blocking === 0) return false
    const self = this.byKey.get(owner.key)
    return blocking > (self !== undefined && blocks(self, owner.uid) ? 1 : 0)
  }

  /** Keys below a store prefix. Called when a kind is read again, to find objects that disappeared meanwhile. */
  keysBelow(prefix: string): readonly string[] {
    return [...this.byKey.keys()].filter((key) => key.startsWith(prefix))
  }

  get size(): number {
    return this.byKey.size
  }
}

/** The uids of the owners, without duplicates, each with whether the dependent blocks its deletion. */
function ownersOf({ owners }: Dependent): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  for (const { uid, blockOwnerDeletion } of owners) found.set(uid, blockOwnerDeletion === true || found.get(uid) === true)
  return found
}

function blocks({ owners }: Dependent, owner: string): boolean {
  return owners.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true)
}

function countBlocking(dependents: Dependents, { namespace }: Dependent, more: number): void {
  dependents.blocking += more
  const counts = dependents.blockingIn ?? new Map<string, number>()
  dependents.blockingIn = counts
  const count = (counts.get(namespace) ?? 0) + more
  if (count === 0) counts.delete(namespace)
  else counts.set(namespace, count)
}
