/**
 * The table of served kinds: generic routes look here, so a kind added at run time needs no route. Keys are neutral names.
 */
import type { Kind, KindParts } from "../schema/kind.ts"

/** Kinds by group, version and resource. Built at start from the generated records; may grow. */
export class KindTable {
  private readonly byResource = new Map<string, Kind>()
  /** By group, version and resource in turn: asked for every request, to which making a key would cost more than looking. */
  private readonly groups = new Map<string, Map<string, Map<string, Kind>>>()
  private readonly byKind = new Map<string, Kind>()
  private readonly parts = new Map<Kind, KindParts>()
  private readonly loading = new Map<Kind, Promise<KindParts>>()
  private additions = 0

  /** Another number after every addition: what was made of the table's kinds is made anew then. */
  get revision(): number {
    return this.additions
  }

  constructor(kinds: Iterable<Kind>) {
    for (const kind of kinds) this.add(kind)
  }

  /** Called for every record at start and for each kind that is added later. Throws when the resource is taken. */
  add(kind: Kind): void {
    const key = resourceKey(kind.group, kind.version, kind.resource)
    if (this.byResource.has(key)) throw new Error(`resource ${key} is served twice`)
    this.byResource.set(key, kind)
    this.byKind.set(resourceKey(kind.group, kind.version, kind.kind), kind)
    const versions = made(this.groups, kind.group, () => new Map<string, Map<string, Kind>>())
    made(versions, kind.version, () => new Map<string, Kind>()).set(kind.resource, kind)
    this.additions++
  }

  find(group: string, version: string, resource: string): Kind | undefined {
    return this.groups.get(group)?.get(version)?.get(resource)
  }

  findKind(group: string, version: string, kind: string): Kind | undefined {
    return this.byKind.get(resourceKey(group, version, kind))
  }

  hasGroup(group: string): boolean {
    return this.all().some((kind) => kind.group === group)
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some((kind) => kind.group === group && kind.version === version)
  }

  all(): readonly Kind[] {
    return [...this.byResource.values()]
  }

  /** The record of the stored form of a kind: itself unless it shares storage. */
  stored(kind: Kind): Kind {
    const { group, version, kind: name } = kind.storage
    const stored = this.findKind(group, version, name)
    if (stored === undefined)
      throw new Error(`${kind.group}/${kind.version} ${kind.kind} is stored as ${group}/${version} ${name}, which is not served`)
    return stored
  }

  /** Decoder, validator and columns of a kind; loaded once. */
  load(kind: Kind): Promise<KindParts> {
    const known = this.loading.get(kind)
    if (known !== undefined) return known
    const promise = kind.load().then((parts) => {
      this.parts.set(kind, parts)
      return parts
    })
    this.loading.set(kind, promise)
    return promise
  }

  /** The parts when they are loaded already; reads never wait for them. */
  loaded(kind: Kind): KindParts | undefined {
    return this.parts.get(kind)
  }
}

function made<T>(all: Map<string, T>, key: string, make: () => T): T {
  const one = all.get(key) ?? make()
  all.set(key, one)
  return one
}

function resourceKey(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`
}
