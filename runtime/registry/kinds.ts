/**
 * The table of served kinds, under neutral names. Generic routes look kinds up here, so a kind that is added at run
 * time needs no route.
 */
import type { Kind, KindParts } from "../schema/kind.ts"
import { compareVersions } from "./group-order.ts"

/** Called with the kinds that a `replace` has added, and with the kinds that it replaced. */
export type KindsListener = (added: readonly Kind[], replaced: readonly Kind[]) => void

/** Kinds by group, version and resource. Built at start from the generated records; kinds of definitions follow. */
export class KindTable {
  /**
   * Whether the kinds of all definitions have been added: false while a start reads them, when a kind that is missing
   * here may exist.
   */
  isComplete = true
  private readonly byResource = new Map<string, Kind>()
  /**
   * By group, version and resource in nested maps. Every request looks here; building a combined key would cost more
   * than the lookups.
   */
  private readonly groups = new Map<string, Map<string, Map<string, Kind>>>()
  private readonly byKind = new Map<string, Kind>()
  /** The versions that share a storage path. A write looks here, so its cost must not grow with the number of kinds. */
  private readonly byPath = new Map<string, readonly Kind[]>()
  private readonly fixedGroups = new Set<string>()
  private readonly parts = new Map<Kind, KindParts>()
  private readonly loading = new Map<Kind, Promise<KindParts>>()
  private changes = 0
  private readonly listeners = new Set<KindsListener>()
  /** The warnings of deprecated versions, and the revision for which they hold. */
  private readonly warnings = new Map<Kind, string>()
  private warningsOf = 0

  /** Changes with the kinds. Callers compare it to see whether data derived from the table is out of date. */
  get revision(): number {
    return this.changes
  }

  constructor(kinds: Iterable<Kind>) {
    for (const kind of kinds) this.add(kind)
  }

  /** Called for every record at start. Throws if the resource is already served. */
  add(kind: Kind): void {
    const key = resourceKey(kind.group, kind.version, kind.resource)
    if (this.byResource.has(key)) throw new Error(`resource ${key} is served twice`)
    this.byResource.set(key, kind)
    this.byKind.set(resourceKey(kind.group, kind.version, kind.kind), kind)
    this.byPath.set(kind.storage.path, [...this.sharing(kind.storage.path), kind])
    this.changes++
    if (kind.served === false) return
    if (kind.custom === undefined) this.fixedGroups.add(kind.group)
    const versions = made(this.groups, kind.group, () => new Map<string, Map<string, Kind>>())
    made(versions, kind.version, () => new Map<string, Kind>()).set(kind.resource, kind)
  }

  /**
   * Replaces kinds in one step, so that no request sees a part of them: called when a definition is established,
   * changed or removed. Leaves out each of `next` whose resource or kind is already in the table. Returns the added
   * kinds.
   */
  replace(before: readonly Kind[], next: readonly Kind[]): readonly Kind[] {
    for (const kind of before) this.remove(kind)
    const free = next.filter(
      ({ group, version, resource, kind }) =>
        !this.byResource.has(resourceKey(group, version, resource)) && !this.byKind.has(resourceKey(group, version, kind)),
    )
    for (const kind of free) this.add(kind)
    this.changes++
    for (const listener of this.listeners) listener(free, before)
    return free
  }

  /** Calls `listener` after each `replace`, until the returned function is called. */
  onChange(listener: KindsListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private remove(kind: Kind): void {
    const { group, version, resource } = kind
    const key = resourceKey(group, version, resource)
    if (this.byResource.get(key) !== kind) return
    this.byResource.delete(key)
    this.byKind.delete(resourceKey(group, version, kind.kind))
    const sharing = this.sharing(kind.storage.path).filter((one) => one !== kind)
    if (sharing.length > 0) this.byPath.set(kind.storage.path, sharing)
    else this.byPath.delete(kind.storage.path)
    this.parts.delete(kind)
    this.loading.delete(kind)
    const versions = this.groups.get(group)
    const resources = versions?.get(version)
    resources?.delete(resource)
    if (resources?.size === 0) versions?.delete(version)
    if (versions?.size === 0) this.groups.delete(group)
  }

  /** The current record of `kind`: itself, unless its definition has changed. Undefined: it is gone. */
  current(kind: Kind): Kind | undefined {
    return this.byResource.get(resourceKey(kind.group, kind.version, kind.resource))
  }

  find(group: string, version: string, resource: string): Kind | undefined {
    return this.groups.get(group)?.get(version)?.get(resource)
  }

  findKind(group: string, version: string, kind: string): Kind | undefined {
    return this.byKind.get(resourceKey(group, version, kind))
  }

  hasGroup(group: string): boolean {
    return this.groups.has(group)
  }

  /** Whether the group has kinds since the start, and not only kinds of definitions. */
  hasFixedGroup(group: string): boolean {
    return this.fixedGroups.has(group)
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.groups.get(group)?.has(version) === true
  }

  /** Every kind, also versions that are not served: their objects are stored. */
  all(): readonly Kind[] {
    return [...this.byResource.values()]
  }

  /** The kinds, served or not, whose objects are stored under a path: the versions of one resource. */
  sharing(path: string): readonly Kind[] {
    return this.byPath.get(path) ?? []
  }

  /** The kinds that clients can use, as discovery lists them. */
  served(): readonly Kind[] {
    return this.all().filter((kind) => kind.served !== false)
  }

  /**
   * Returns the text of the warning that each answer of a deprecated version carries; undefined for other kinds. Called
   * for every request. It is the schema's text, in which the kind's own group is neutral, or the text for custom
   * resource definitions, which names the newest version of the kind that is served and not deprecated, if there is one
   * after this. `group` maps a neutral group to its name on the wire.
   */
  warningOf(kind: Kind, group: (neutral: string) => string): string | undefined {
    if (kind.deprecated === undefined) return undefined
    const { warning } = kind.deprecated
    if (this.warningsOf !== this.changes) {
      this.warnings.clear()
      this.warningsOf = this.changes
    }
    return made(this.warnings, kind, () => {
      if (warning !== undefined) return kind.group === "" ? warning : warning.replaceAll(kind.group, group(kind.group))
      const named = (version: string): string => `${kind.group === "" ? "" : `${group(kind.group)}/`}${version} ${kind.kind}`
      const [newest] = this.served()
        .filter((one) => one.group === kind.group && one.kind === kind.kind && one.deprecated === undefined)
        .map(({ version }) => version)
        .filter((version) => compareVersions(version, kind.version) < 0)
        .sort(compareVersions)
      return `${named(kind.version)} is deprecated${newest === undefined ? "" : `; use ${named(newest)}`}`
    })
  }

  /** The kind under which objects of `kind` are stored: itself, unless it shares storage. */
  stored(kind: Kind): Kind {
    const { group, version, kind: name } = kind.storage
    const stored = this.findKind(group, version, name)
    if (stored === undefined)
      throw new Error(`${kind.group}/${kind.version} ${kind.kind} is stored as ${group}/${version} ${name}, which is not served`)
    return stored
  }

  /** Loads decoder, validator and columns of a kind, once. */
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

  /** The parts if they are already loaded, for reads that do not wait. */
  loaded(kind: Kind): KindParts | undefined {
    return this.parts.get(kind)
  }
}

function made<Key, T>(all: Map<Key, T>, key: Key, make: () => T): T {
  const one = all.get(key) ?? make()
  all.set(key, one)
  return one
}

function resourceKey(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`
}
