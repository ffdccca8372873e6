/**
 * The actual history of objects of every kind: all durable versions of each, in order. `Truth` fills it from the store
 * itself.
 */
import type { ApiObject } from "../../../runtime/base/json.ts"

/** The kinds that clients of the simulation create, by resource name. */
export const resources = {
  namespaces: { path: "namespaces", api: "/api/v1" },
  configmaps: { path: "configmaps", api: "/api/v1" },
  services: { path: "services/specs", api: "/api/v1" },
  events: { path: "events", api: "/api/v1" },
  leases: { path: "leases", api: "/apis/coordination.orch.io/v1" },
  customresourcedefinitions: { path: "apiextensions.orch.io/customresourcedefinitions", api: "/apis/apiextensions.orch.io/v1" },
  /** Kinds of definitions, under the API of their first version. */
  widgets: { path: "sim.example.org/widgets", api: "/apis/sim.example.org/v1" },
  gears: { path: "sim.example.org/gears", api: "/apis/sim.example.org/v1" },
} as const
export type Resource = keyof typeof resources

const resourceNames = [
  ...(["namespaces", "configmaps", "services", "events", "leases"] as const),
  ...(["customresourcedefinitions", "widgets", "gears"] as const),
] satisfies readonly Resource[]
const root = "/registry/"
/** The simulation also writes these objects past the API, and other checks cover them. */
const notHere = "configmaps/sim/"

/** Identity of an object; `namespace` is "" for namespaces. */
export interface Place {
  readonly resource: Resource
  readonly namespace: string
  readonly name: string
}

export interface ObjectChange extends Place {
  readonly revision: number
  /** Undefined: it was removed. */
  readonly object: ApiObject | undefined
  readonly before: ApiObject | undefined
  /** The time on the clock that counts times to live, and how often that clock had been stepped. */
  readonly at: Instant
}

export interface Instant {
  readonly ms: number
  readonly steps: number
}

export interface RangeChange {
  readonly revision: number
  /** `ranges/serviceips`, `ranges/servicenodeports` */
  readonly path: string
  readonly value: Uint8Array
}

export class StoredObjects {
  readonly changes: ObjectChange[] = []
  readonly ranges: RangeChange[] = []
  private histories = new Map<string, ObjectChange[]>()

  constructor(readonly shown: () => Instant) {}

  /** Called with every durable write. `value` undefined: a deletion. */
  add(key: string, revision: number, value: Uint8Array | undefined): void {
    const path = key.slice(root.length)
    if (path.startsWith("ranges/")) {
      if (value !== undefined) this.ranges.push({ revision, path, value })
      return
    }
    const place = path.startsWith(notHere) ? undefined : placeOf(path)
    if (place === undefined) return
    const object: ApiObject | undefined = value === undefined ? undefined : JSON.parse(Buffer.from(value).toString())
    this.keep({ ...place, revision, object, before: this.history(place).at(-1)?.object, at: this.shown() })
  }

  /** Called after a power cut: writes that are not on disk did not happen. */
  cutTo(revision: number): void {
    const kept = this.changes.filter((change) => change.revision <= revision)
    this.changes.length = 0
    this.histories = new Map()
    for (const change of kept) this.keep(change)
    this.ranges.splice(0, this.ranges.length, ...this.ranges.filter((change) => change.revision <= revision))
  }

  /** All changes of one object, and of others with its name, in order. */
  history(place: Place): readonly ObjectChange[] {
    return this.histories.get(placeText(place)) ?? []
  }

  /** The object at a revision. */
  at(place: Place, revision: number): ApiObject | undefined {
    return this.history(place).findLast((change) => change.revision <= revision)?.object
  }

  /** Every state during a request: the one at `since`, and each later one up to `until`. */
  during(place: Place, { since, until }: { readonly since: number; readonly until: number }): (ApiObject | undefined)[] {
    const later = this.history(place).filter(({ revision }) => revision > since && revision <= until)
    return [this.at(place, since), ...later.map(({ object }) => object)]
  }

  /** All objects at a revision; by default, at present. */
  all(revision = Number.POSITIVE_INFINITY): { readonly place: Place; readonly object: ApiObject }[] {
    return [...this.histories.values()].flatMap((history) => {
      const last = history.findLast((change) => change.revision <= revision)
      return last?.object === undefined ? [] : [{ place: last, object: last.object }]
    })
  }

  private keep(change: ObjectChange): void {
    this.changes.push(change)
    const text = placeText(change)
    const history = this.histories.get(text)
    if (history === undefined) this.histories.set(text, [change])
    else history.push(change)
  }
}

/** For messages and keys of maps. */
export function placeText({ resource, namespace, name }: Place): string {
  return `${resource} ${namespace === "" ? "" : `${namespace}/`}${name}`
}

function placeOf(path: string): Place | undefined {
  for (const resource of resourceNames) {
    const prefix = `${resources[resource].path}/`
    if (!path.startsWith(prefix)) continue
    const [namespace = "", name] = path.slice(prefix.length).split("/")
    return name === undefined ? { resource, namespace: "", name: namespace } : { resource, namespace, name }
  }
  return undefined
}
