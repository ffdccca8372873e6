/**
 * The objects that each node may read: from a node to its pods, to the objects that these name, and from their claims
 * to volumes and the volumes' secrets. The informers of the objects call `put...` and `remove...`. The cost of a change
 * is proportional to the references of its object, and memory to all references: pairs of a node and an object are
 * computed only on request.
 */
import { objectKey, type Related, type VolumeReferences } from "./references.ts"

/** A pod that is bound to a node. */
interface BoundPod {
  readonly node: string
  /** Identifies the pod object: another pod of the same name has another number. */
  readonly incarnation: number
  readonly references: readonly Target[]
}

/** An object that pods refer to. */
interface Target {
  readonly key: string
  /** The nodes of these pods, each with its number of pods. */
  readonly nodes: Map<string, number>
}

/** A pod's node and references. */
export interface PodFacts {
  readonly node: string
  readonly incarnation: number
  readonly references: ReadonlySet<string>
}

/** Kinds of objects that belong to one node. */
export type Owned = "volumeattachments" | "resourceslices"

const claimPrefix = objectKey("persistentvolumeclaims", "", "").slice(0, -1)

/** One per server. */
export class NodeGraph {
  private readonly pods = new Map<string, BoundPod>()
  private readonly targets = new Map<string, Target>()
  /** The claims that each node's pods refer to, with the number of pods. */
  private readonly claimsOfNode = new Map<string, Map<string, number>>()
  private readonly volumes = new Map<string, VolumeReferences>()
  /** The claims of the volumes that use each secret, with the number of volumes. */
  private readonly claimsOfSecret = new Map<string, Map<string, number>>()
  private readonly owned: Readonly<Record<Owned, Map<string, string>>> = { volumeattachments: new Map(), resourceslices: new Map() }

  /** Whether this pod has been put. `key`: unique per pod. */
  hasPod(key: string, { node, incarnation }: Pick<PodFacts, "node" | "incarnation">): boolean {
    const known = this.pods.get(key)
    return known !== undefined && known.node === node && known.incarnation === incarnation
  }

  /** Called for each version of a pod that is bound to a node and may have other references than before. */
  putPod(key: string, { node, incarnation, references }: PodFacts): void {
    const before = this.pods.get(key)
    const targets = [...references].map((reference) => this.targetOf(reference))
    for (const target of targets) {
      count(target.nodes, node, 1)
      if (target.key.startsWith(claimPrefix)) count(childOf(this.claimsOfNode, node), target.key, 1)
    }
    this.pods.set(key, { node, incarnation, references: targets })
    if (before !== undefined) this.withdraw(before)
  }

  /** Called for a pod that is gone, and for one that is bound to no node. */
  removePod(key: string): void {
    const before = this.pods.get(key)
    if (before === undefined) return
    this.pods.delete(key)
    this.withdraw(before)
  }

  /** Called for each version of a PersistentVolume. */
  putVolume(name: string, references: VolumeReferences): void {
    const before = this.volumes.get(name)
    const { claim, secrets } = references
    if (claim === undefined) this.volumes.delete(name)
    else {
      this.volumes.set(name, references)
      for (const secret of secrets) count(childOf(this.claimsOfSecret, secret), claim, 1)
    }
    if (before !== undefined) this.withdrawVolume(before)
  }

  removeVolume(name: string): void {
    const before = this.volumes.get(name)
    if (before === undefined) return
    this.volumes.delete(name)
    this.withdrawVolume(before)
  }

  /** Called for each version of an object that names its node. */
  putOwned(kind: Owned, name: string, node: string): void {
    if (node === "") this.owned[kind].delete(name)
    else this.owned[kind].set(name, node)
  }

  removeOwned(kind: Owned, name: string): void {
    this.owned[kind].delete(name)
  }

  /** Whether a pod of the node refers to the object, or a volume of such a pod needs this secret. */
  reaches(node: string, resource: Related, namespace: string, name: string): boolean {
    const key = objectKey(resource, namespace, name)
    return this.isNamed(node, key) || (resource === "secrets" && this.reachesByVolume(node, key))
  }

  /** Whether a pod of the node refers to the claim that the volume is bound to. */
  reachesVolume(node: string, name: string): boolean {
    const claim = this.volumes.get(name)?.claim
    return claim !== undefined && this.isNamed(node, claim)
  }

  owns(node: string, kind: Owned, name: string): boolean {
    return this.owned[kind].get(name) === node
  }

  /** Number of entries of its maps. For tests. */
  get size(): number {
    const nested = [this.claimsOfNode, this.claimsOfSecret].flatMap((outer) => [...outer.values()].map((inner) => 1 + inner.size))
    const targets = [...this.targets.values()].map(({ nodes }) => 1 + nodes.size)
    const { volumeattachments, resourceslices } = this.owned
    const flat = this.pods.size + this.volumes.size + volumeattachments.size + resourceslices.size
    return [...nested, ...targets].reduce((sum, one) => sum + one, flat)
  }

  private isNamed(node: string, key: string): boolean {
    return this.targets.get(key)?.nodes.has(node) === true
  }

  /** Iterates over the node's claims or the secret's claims, whichever are fewer: many volumes share one secret. */
  private reachesByVolume(node: string, secret: string): boolean {
    const ofNode = this.claimsOfNode.get(node)
    const ofSecret = this.claimsOfSecret.get(secret)
    if (ofNode === undefined || ofSecret === undefined) return false
    const [fewer, more] = ofNode.size < ofSecret.size ? [ofNode, ofSecret] : [ofSecret, ofNode]
    for (const claim of fewer.keys()) if (more.has(claim)) return true
    return false
  }

  private targetOf(key: string): Target {
    let target = this.targets.get(key)
    if (target === undefined) {
      target = { key, nodes: new Map() }
      this.targets.set(key, target)
    }
    return target
  }

  private withdraw({ node, references }: BoundPod): void {
    for (const { key, nodes } of references) {
      count(nodes, node, -1)
      if (nodes.size === 0) this.targets.delete(key)
      if (key.startsWith(claimPrefix)) countIn(this.claimsOfNode, node, key)
    }
  }

  private withdrawVolume({ claim, secrets }: VolumeReferences): void {
    if (claim === undefined) return
    for (const secret of secrets) countIn(this.claimsOfSecret, secret, claim)
  }
}

function childOf(outer: Map<string, Map<string, number>>, key: string): Map<string, number> {
  let inner = outer.get(key)
  if (inner === undefined) {
    inner = new Map()
    outer.set(key, inner)
  }
  return inner
}

function count(counts: Map<string, number>, key: string, more: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + more
  if (next === 0) counts.delete(key)
  else counts.set(key, next)
}

/** Decrements the count of `key`; removes a map without entries. */
function countIn(outer: Map<string, Map<string, number>>, of: string, key: string): void {
  const inner = childOf(outer, of)
  count(inner, key, -1)
  if (inner.size === 0) outer.delete(of)
}
