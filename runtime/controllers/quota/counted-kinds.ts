/** Object counts of quotas, for any kind: `count/<resource>.<group>`, and the older names of some kinds. */
import type { Kind } from "../../schema/kind.ts"
import { awaitFreshness } from "../../registry/read.ts"
import type { ControllerDeps, Controller } from "../controller.ts"
import { type PacedInformer, startPacedInformer } from "../paced-informer.ts"

/** Kinds that are also counted by their bare resource. */
const olderNames: ReadonlySet<string> = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas"])
const prefix = "count/"
/** Kinds that quotas do not count, as `resource.group` in neutral names. */
const uncounted: ReadonlySet<string> = new Set(["events", "events.events.orch.io"])

/** The kinds that quotas of this server count, each followed from its first use on. */
export class CountedKinds implements Controller {
  private readonly informers = new Map<string, { readonly kind: Kind; readonly informer: PacedInformer }>()

  /** `changed`: called with the kind and the namespace of an object that was created or deleted. */
  constructor(
    private readonly deps: ControllerDeps,
    private readonly changed: (kind: Kind, namespace: string) => void,
  ) {}

  /** The kind counted by a name in `spec.hard`; undefined when there is none, or none yet. */
  kindOf(name: string): Kind | undefined {
    const { kinds, vendor } = this.deps.registry.deps
    const [resource = "", ...rest] = (name.startsWith(prefix) ? name.slice(prefix.length) : olderNames.has(name) ? name : "").split(".")
    const group = vendor.neutralGroup(rest.join("."))
    if (resource === "" || uncounted.has(group === "" ? resource : `${resource}.${group}`)) return undefined
    return kinds.all().find((kind) => kind.resource === resource && kind.group === group && kind.namespaced && kinds.stored(kind) === kind)
  }

  /** The number of objects in a namespace, including what was committed before the call. */
  async count(kind: Kind, namespace: string): Promise<number> {
    const { registry } = this.deps
    this.follow(kind)
    const handle = await registry.handle(kind)
    await awaitFreshness(registry, handle, { mode: "most-recent" })
    return handle.cache.snapshot().count({ prefix: handle.prefix(namespace) })
  }

  /** Called when kinds are added or removed: a definition that comes back has new kinds. */
  async keepCurrent(): Promise<void> {
    const { kinds } = this.deps.registry.deps
    // Bounded: one per counted kind, whose informer is stopped once.
    for (const [path, { kind, informer }] of this.informers) {
      if (kinds.current(kind) === kind) continue
      this.informers.delete(path)
      await informer.stop()
    }
  }

  async settled(): Promise<void> {
    // Bounded: one per kind, for tests.
    for (const { informer } of this.informers.values()) await informer.settled()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.informers.values()].map(({ informer }) => informer.stop()))
  }

  private follow(kind: Kind): void {
    const { path } = kind.storage
    if (this.informers.has(path)) return
    const informer = startPacedInformer(this.deps, kind, {
      object: () => {},
      event: ({ type, object }) => {
        if (type !== "MODIFIED") this.changed(kind, object.field("metadata.namespace"))
      },
    })
    this.informers.set(path, { kind, informer })
  }
}
