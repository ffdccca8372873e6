/** Index of dependents by the uids of their owners, in memory. */
import type { OwnerReference } from "../../base/json.ts"

export interface Dependent {
  /** Store key. */
  readonly key: string
  readonly owners: readonly OwnerReference[]
}

/** The dependents of one owner, and how many of them block its deletion. */
interface Dependents {
  readonly all: Set<Dependent>
  blocking: number
}

/** The cost of every operation depends on its arguments, not on the size of the index; except `keysBelow`. */
export class OwnerIndex {
  private readonly byKey = new Map<string, Dependent>()
  private readonly byOwner = new Map<string, Dependents>()

  get(key: string): Dependent | undefined {
    return this.byKey.get(key)
  }

  /** Replaces the entry of this key. */
  put(dependent: Dependent): void {
    this.remove(dependent.key)
    this.byKey.set(dependent.key, dependent)
    for (const uid of ownersOf(dependent)) {
      const known = this.byOwner.get(uid) ?? { all: new Set(), blocking: 0 }
      this.byOwner.set(uid, known)
      known.all.add(dependent)
      if (blocks(dependent, uid)) known.blocking++
    }
  }

  remove(key: string): void {
    const dependent = this.byKey.get(key)
    if (dependent === undefined) return
    this.byKey.delete(key)
    for (const uid of ownersOf(dependent)) {
      const known = this.byOwner.get(uid)
      if (known === undefined) continue
      known.all.delete(dependent)
      if (blocks(dependent, uid)) known.blocking--
      if (known.all.size === 0) this.byOwner.delete(uid)
    }
  }

  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.byOwner.get(uid)?.all ?? [])]
  }

  hasDependents(uid: string): boolean {
    return this.byOwner.has(uid)
  }

  /** Whether another object blocks the owner. An object that names itself as owner would wait for itself for ever. */
  isBlocked(owner: { readonly uid: string; readonly key: string }): boolean {
    const blocking = this.byOwner.get(owner.uid)?.blocking ?? 0
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

/** The uids of the owners, without duplicates. */
function ownersOf({ owners }: Dependent): ReadonlySet<string> {
  return new Set(owners.map(({ uid }) => uid))
}

function blocks({ owners }: Dependent, owner: string): boolean {
  return owners.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true)
}
