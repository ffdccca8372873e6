/**
 * Keeps an APIService for each group version that the server serves itself, as kube-aggregator does. APIServices of the
 * server's own groups are made once per start: users' changes and deletions stay until the next start. APIServices of
 * definitions follow their definitions. A label distinguishes the two; an APIService without the label is a user's.
 */
import type { APIService } from "../../../generated/apiregistration.orch.io/v1/api-service/types.ts"
import { serverUser } from "../../admission/server-identity.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { apiPriorityOf, usersPriority } from "../../registry/group-order.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { Kind } from "../../schema/kind.ts"
import { typed } from "../../schema/typed.ts"
import type { Controller, ControllerDeps } from "../controller.ts"
import { startKeyedController } from "../keyed-controller.ts"
import { isRefusal, orGone, orUndefined } from "../refusals.ts"
import { startAfter } from "../start-after.ts"

const group = "apiregistration.orch.io"
const kind = { group, version: "v1", resource: "apiservices" }
/** Neutral name of the label. */
const labelName = "kube-aggregator.orch.io/automanaged"

/** Label value: when an APIService is maintained. */
type Managed = "onstart" | "true"

export interface ApiServiceRegistration extends Controller {
  /** Resolves when each of the server's own group versions has been processed once. */
  readonly made: Promise<void>
  /** Names one that has not been processed; undefined once all were. */
  fault(): string | undefined
}

/** The name of the APIService of a neutral group and a version. */
export function apiServiceName(vendor: Vendor, { group: neutral, version }: Pick<Kind, "group" | "version">): string {
  return `${version}.${vendor.group(neutral)}`
}

/**
 * Called once by each server. `kindsKnown`: resolves when definitions are served; before that, an APIService of a
 * definition would look obsolete.
 */
export function startApiServiceRegistration(deps: ControllerDeps, kindsKnown: Promise<void>): ApiServiceRegistration {
  const { kinds } = deps.registry.deps
  if (kinds.find(group, "v1", kind.resource) === undefined)
    return { made: Promise.resolve(), fault: () => undefined, stop: async () => undefined }
  const registration = new Registration(deps)
  let unfollow = (): void => undefined
  const started = startAfter(kindsKnown, () =>
    startKeyedController(deps, {
      queue: "autoregister",
      fault: "an APIService of this server could not be made or removed; tried again later",
      workers: 5,
      watched: [{ kind, changed: (object, keys) => keys.add(object.field("metadata.name")) }],
      begin(keys) {
        for (const name of registration.missing) keys.add(name)
        unfollow = kinds.onChange((added, replaced) => {
          for (const one of [...added, ...replaced]) keys.add(registration.nameOf(one))
        })
        for (const one of kinds.served()) if (one.custom !== undefined) keys.add(registration.nameOf(one))
      },
      work: (name) => registration.sync(name),
    }),
  )
  return {
    made: registration.made,
    fault: () => registration.fault(),
    async stop() {
      unfollow()
      await started.stop()
    },
  }
}

class Registration {
  /** APIServices of the server's own groups that have not been processed since the start. */
  readonly missing = new Set<string>()
  readonly made: Promise<void>
  private readonly own = new Set<string>()
  /** Names of APIServices with the label `onstart` at the start. Read once, on first use. */
  private atStart: Promise<ReadonlySet<string>> | undefined
  private readonly synced = new Set<string>()
  private finish: () => void = () => undefined
  private readonly label: string

  constructor(private readonly deps: ControllerDeps) {
    this.label = deps.registry.deps.vendor.domain(labelName)
    for (const one of deps.registry.deps.kinds.served()) {
      // Excludes the group of APIServices itself, which an aggregator serves.
      if (one.custom === undefined && one.group !== group) this.own.add(this.nameOf(one))
    }
    for (const name of this.own) this.missing.add(name)
    this.made = new Promise((resolve) => {
      this.finish = resolve
    })
  }

  nameOf(kind: Pick<Kind, "group" | "version">): string {
    return apiServiceName(this.deps.registry.deps.vendor, kind)
  }

  fault(): string | undefined {
    const [first] = this.missing
    return first === undefined ? undefined : `missing APIService: ${first}`
  }

  async sync(name: string): Promise<void> {
    const wasSynced = this.synced.has(name)
    await this.madeEarlier()
    await this.syncOne(name, wasSynced)
    this.synced.add(name)
    if (this.missing.delete(name) && this.missing.size === 0) this.finish()
  }

  private async syncOne(name: string, wasSynced: boolean): Promise<void> {
    const { apiservices } = this.deps.api(serverUser).apiregistration.v1
    const wanted = this.wantedOf(name)
    if (wanted?.managed === "onstart" && wasSynced) return
    const found = await orUndefined(apiservices.get(name))
    if (found === undefined) {
      if (wanted !== undefined) await this.create(name, wanted, wasSynced)
      return
    }
    const managed = found.metadata.labels?.[this.label]
    if (managed !== "onstart" && managed !== "true") return
    if (managed === "onstart" && (wasSynced || !(await this.madeEarlier()).has(name))) return
    const { uid = "" } = found.metadata
    if (wanted === undefined) await orGone(apiservices.delete(name, { preconditions: { uid } }))
    else if (!deepEqual(typed(found.spec), typed(wanted.spec))) await apiservices.update({ ...found, spec: wanted.spec })
  }

  private madeEarlier(): Promise<ReadonlySet<string>> {
    this.atStart ??= this.listMadeEarlier().catch((error: unknown) => {
      this.atStart = undefined
      throw error
    })
    return this.atStart
  }

  private async listMadeEarlier(): Promise<ReadonlySet<string>> {
    const { items } = await this.deps.api(serverUser).apiregistration.v1.apiservices.list({ labelSelector: `${this.label}=onstart` })
    return new Set(items.map(({ metadata }) => metadata.name ?? ""))
  }

  private async create(name: string, { managed, spec }: WantedService, wasSynced: boolean): Promise<void> {
    const { apiservices } = this.deps.api(serverUser).apiregistration.v1
    try {
      await apiservices.create({ metadata: { name, labels: { [this.label]: managed } }, spec })
    } catch (error) {
      if (!isRefusal(error, "AlreadyExists")) throw error
      await this.syncOne(name, wasSynced)
    }
  }

  /** Undefined: the server itself serves no group version of this name. */
  private wantedOf(name: string): WantedService | undefined {
    const { kinds, vendor } = this.deps.registry.deps
    const dot = name.indexOf(".")
    const [version, wire] = [name.slice(0, dot), name.slice(dot + 1)]
    const neutral = vendor.neutralGroup(wire)
    const isOwn = this.own.has(name)
    if (!isOwn && !kinds.hasGroupVersion(neutral, version)) return undefined
    const place = isOwn ? apiPriorityOf(neutral, version) : usersPriority
    const spec = { ...(wire !== "" && { group: wire }), version, groupPriorityMinimum: place.group, versionPriority: place.version }
    return { managed: isOwn ? "onstart" : "true", spec }
  }
}

interface WantedService {
  readonly managed: Managed
  readonly spec: APIService["spec"]
}
