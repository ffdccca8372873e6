/** Who depends on whom: every object that names owners, by its store key and by the uids of its owners. Plain data in memory. */
import type { OwnerReference } from "../../kit/json.ts"

export interface Dependent {
  /** Store key. */
  readonly key: string
  readonly owners: readonly OwnerReference[]
}

export class OwnerIndex {
  private readonly byKey = new Map<string, Dependent>()
  private readonly byOwner = new Map<string, Set<Dependent>>()

  get(key: string): Dependent | undefined {
    return this.byKey.get(key)
  }

  /** Takes the place of what was known of this key. */
  put(dependent: Dependent): void {
    this.remove(dependent.key)
    this.byKey.set(dependent.key, dependent)
    for (const { uid } of dependent.owners) {
      const known = this.byOwner.get(uid)
      if (known === undefined) this.byOwner.set(uid, new Set([dependent]))
      else known.add(dependent)
    }
  }

  remove(key: string): void {
    const dependent = this.byKey.get(key)
    if (dependent === undefined) return
    this.byKey.delete(key)
    for (const { uid } of dependent.owners) {
      const known = this.byOwner.get(uid)
      known?.delete(dependent)
      if (known?.size === 0) this.byOwner.delete(uid)
    }
  }

  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.byOwner.get(uid) ?? [])]
  }

  /** Keys below a store prefix; called when a kind is read anew, to find what has gone meanwhile. */
  keysBelow(prefix: string): readonly string[] {
    return [...this.byKey.keys()].filter((key) => key.startsWith(prefix))
  }

  get size(): number {
    return this.byKey.size
  }
}
