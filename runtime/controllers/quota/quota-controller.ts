/**
 * Keeps the status of each ResourceQuota: its amounts, and their usage by the objects of its namespace. Each change of
 * an object updates a sum (`tracked-kind.ts`), so that its cost does not depend on the size of the namespace.
 */
import { Turns } from "../../base/turns.ts"
import { keyWork } from "../../base/work.ts"
import type { ResourceQuota, ResourceQuotaSpec } from "../../../generated/core/v1/resource-quota/types.ts"
import { formatQuantity, type Quantity } from "../../base/quantity.ts"
import { parseObject } from "../../registry/object-codec.ts"
import type { Kind } from "../../schema/kind.ts"
import { typed } from "../../schema/typed.ts"
import type { CachedObject, CacheEvent } from "../../storage/cache.ts"
import type { ControllerDeps } from "../controller.ts"
import { quotaController } from "../identities.ts"
import { keyOf, type KeyedController, type Keys, placeOf, startKeyedController } from "../keyed-controller.ts"
import { orUndefined } from "../refusals.ts"
import { add, sameAmounts, whole, zero } from "./amounts.ts"
import { CountedKinds } from "./counted-kinds.ts"
import type { Evaluator } from "./evaluator.ts"
import { claimEvaluator, serviceEvaluator } from "./other-usage.ts"
import { podEvaluator } from "./pod-usage.ts"
import { isScoped } from "./scopes.ts"
import { TrackedKind } from "./tracked-kind.ts"

/** The reference's `--resource-quota-sync-period`. */
const resyncMs = 5 * 60_000
/** Milliseconds after a status write in which further changes wait: a busy namespace is not written constantly. */
const pauseMs = 200

/** Called once at start. */
export function startQuotaController(deps: ControllerDeps): KeyedController {
  const quotas = new Quotas(deps)
  const controller = startKeyedController(deps, {
    queue: "resourcequota_primary",
    fault: "the status of a quota could not be brought up to date; tried again later",
    workers: 5,
    watched: [
      {
        kind: { group: "", version: "v1", resource: "resourcequotas" },
        changed: (quota, keys, event) => quotas.note(quota, keys, event),
      },
    ],
    work: (key, keys) => quotas.sync(key, keys),
    begin: (keys) => quotas.begin(keys),
    resync: { everyMs: resyncMs, add: (keys) => quotas.addAll(keys) },
  })
  return {
    async idle() {
      // The work of one may queue work for the other.
      for (let round = 0; round < 2; round++) {
        await controller.idle()
        await quotas.settled()
      }
      await controller.idle()
    },
    async stop() {
      await controller.stop()
      await quotas.stop()
    },
  }
}

class Quotas {
  /** The names that each quota counts, by namespace and name. */
  private readonly names = new Map<string, Map<string, readonly string[]>>()
  private readonly evaluators: readonly Evaluator[]
  private readonly tracked = new Map<Evaluator, TrackedKind>()
  private readonly counted: CountedKinds
  private readonly writtenMs = new Map<string, number>()
  private forgetTable = (): void => {}
  private keys: Keys = { add: () => {}, addAfter: () => {} }

  constructor(private readonly deps: ControllerDeps) {
    const { vendor } = deps.registry.deps
    this.evaluators = [podEvaluator(vendor), serviceEvaluator(), claimEvaluator(vendor)]
    this.counted = new CountedKinds(deps, (kind, namespace) => this.onCount(kind, namespace))
  }

  begin(keys: Keys): void {
    this.keys = keys
    this.forgetTable = this.deps.registry.deps.kinds.onChange(() => {
      void this.counted.keepCurrent().then(() => this.addAll(keys))
    })
  }

  note(quota: CachedObject, keys: Keys, event: CacheEvent | undefined): void {
    const key = keyOf(quota)
    const { namespace, name } = placeOf(key)
    if (event?.type === "DELETED") return this.forget(namespace, name)
    const { spec } = typed<ResourceQuota>(parseObject(quota.json()))
    const quotas = this.names.get(namespace) ?? new Map<string, readonly string[]>()
    this.names.set(namespace, quotas.set(name, Object.keys(spec.hard ?? {})))
    keys.add(key)
  }

  addAll(keys: Keys): void {
    for (const [namespace, quotas] of this.names) for (const name of quotas.keys()) keys.add(`${namespace}/${name}`)
  }

  async sync(key: string, keys: Keys): Promise<void> {
    const { namespace, name } = placeOf(key)
    const { resourcequotas } = this.deps.api(quotaController(this.deps.registry)).core.v1
    const quota = await orUndefined(resourcequotas.get(namespace, name))
    if (quota === undefined) return
    const hard = quota.spec.hard ?? {}
    const used = await this.usedOf(quota, keys)
    if (sameAmounts(quota.status.hard, hard) && sameAmounts(quota.status.used, used)) return
    await resourcequotas.status.update(namespace, { ...quota, status: { hard, used } })
    this.writtenMs.set(key, this.deps.clock.elapsedMs())
  }

  async settled(): Promise<void> {
    // Bounded: there are three evaluators.
    for (const kind of this.tracked.values()) await kind.settled()
    await this.counted.settled()
  }

  async stop(): Promise<void> {
    this.forgetTable()
    await Promise.all([...this.tracked.values(), this.counted].map((part) => part.stop()))
  }

  /** Keeps the stored amount of a name whose usage is unknown, as while its kind is missing. */
  private async usedOf({ metadata, spec, status }: ResourceQuota, keys: Keys): Promise<Record<string, string>> {
    const { namespace = "", name: quotaName = "" } = metadata
    const names = Object.keys(spec.hard ?? {})
    const used = new Map<string, Quantity>()
    const turns = new Turns()
    for (const name of names) {
      if (turns.isOver(keyWork)) await turns.next()
      const kind = this.evaluators.some((evaluator) => evaluator.counts(name)) ? undefined : this.counted.kindOf(name)
      if (kind !== undefined) used.set(name, isScoped(spec) ? zero : whole(await this.counted.count(kind, namespace)))
    }
    // Bounded: there are three evaluators.
    for (const evaluator of this.evaluators.filter(({ counts }) => names.some(counts))) {
      const sums = await this.sumsOf(evaluator, { namespace, spec })
      for (const name of names.filter(evaluator.counts)) used.set(name, sums.amounts.get(name) ?? zero)
      if (sums.nextMs !== undefined) keys.addAfter(`${namespace}/${quotaName}`, sums.nextMs - this.deps.clock.nowMs() + 1)
    }
    const texts = names.map((name) => {
      const amount = used.get(name)
      return [name, amount === undefined ? status.used?.[name] : formatQuantity(amount)] as const
    })
    return Object.fromEntries(texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))
  }

  private async sumsOf(
    evaluator: Evaluator,
    { namespace, spec }: { readonly namespace: string; readonly spec: ResourceQuotaSpec },
  ): Promise<{ amounts: Map<string, Quantity>; nextMs: number | undefined }> {
    const amounts = new Map<string, Quantity>()
    const { group, version, resource } = evaluator.kind
    const kind = this.deps.registry.deps.kinds.find(group, version, resource)
    if (kind === undefined) return { amounts, nextMs: undefined }
    const tracked = this.tracked.get(evaluator) ?? this.track(evaluator, kind)
    await tracked.follow(namespace)
    const nextMs = tracked.expire(namespace, this.deps.clock.nowMs())
    add(amounts, tracked.used(namespace, spec))
    return { amounts, nextMs }
  }

  private track(evaluator: Evaluator, kind: Kind): TrackedKind {
    const made = new TrackedKind(this.deps, kind, { evaluator, changed: (namespace) => this.onChange(namespace, evaluator.counts) })
    this.tracked.set(evaluator, made)
    return made
  }

  private onCount(kind: Kind, namespace: string): void {
    this.onChange(namespace, (name) => this.counted.kindOf(name) === kind)
  }

  private onChange(namespace: string, concerns: (name: string) => boolean): void {
    for (const [quota, names] of this.names.get(namespace) ?? []) {
      if (!names.some(concerns)) continue
      const key = `${namespace}/${quota}`
      const leftMs = (this.writtenMs.get(key) ?? Number.NEGATIVE_INFINITY) + pauseMs - this.deps.clock.elapsedMs()
      if (leftMs > 0) this.keys.addAfter(key, leftMs)
      else this.keys.add(key)
    }
  }

  private forget(namespace: string, name: string): void {
    const quotas = this.names.get(namespace)
    quotas?.delete(name)
    this.writtenMs.delete(`${namespace}/${name}`)
    if (quotas === undefined || quotas.size > 0) return
    this.names.delete(namespace)
    for (const kind of this.tracked.values()) kind.forget(namespace)
  }
}
