/** Who depends on whom: every object that names owners, by its store key and by the uids of its owners. Plain data in memory. */
import type { OwnerReference } from "../../kit/json.ts"

export interface Dependent {
  /** Store key. */
  readonly key: string
  readonly owners: readonly OwnerReference[]
}

/** Everything that names one owner, and how many of it ask the owner to wait. */
interface Dependents {
  readonly all: Set<Dependent>
  blocking: number
}

/** Every operation costs what its arguments name, not what the index holds; but for `keysBelow`. */
export class OwnerIndex {
  private readonly byKey = new Map<string, Dependent>()
  private readonly byOwner = new Map<string, Dependents>()

  get(key: string): Dependent | undefined {
    return this.byKey.get(key)
  }

  /** Takes the place of what was known of this key. */
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

  /** Whether something but the owner itself asks it to wait: an object that names itself would wait for itself for ever. */
  isBlocked(owner: { readonly uid: string; readonly key: string }): boolean {
    const blocking = this.byOwner.get(owner.uid)?.blocking ?? 0
    const self = this.byKey.get(owner.key)
    return blocking > (self !== undefined && blocks(self, owner.uid) ? 1 : 0)
  }

  /** Keys below a store prefix; called when a kind is read anew, to find what has gone meanwhile. */
  keysBelow(prefix: string): readonly string[] {
    return [...this.byKey.keys()].filter((key) => key.startsWith(prefix))
  }

  get size(): number {
    return this.byKey.size
  }
}

/** Each uid once, however often it is named. */
function ownersOf({ owners }: Dependent): ReadonlySet<string> {
  return new Set(owners.map(({ uid }) => uid))
}

function blocks({ owners }: Dependent, owner: string): boolean {
  return owners.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true)
}
