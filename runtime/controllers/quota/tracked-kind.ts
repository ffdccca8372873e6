/**
 * Sums up the usage of one kind's objects, in namespaces with quotas for it. A change of an object adds the difference;
 * a namespace is read once, in turns of the event loop, when it gets its first quota.
 */
import { readWork } from "../../base/work.ts"
import { Turns } from "../../base/turns.ts"
import type { Quantity } from "../../base/quantity.ts"
import type { ResourceQuotaSpec } from "../../../generated/core/v1/resource-quota/types.ts"
import { parseObject } from "../../registry/object-codec.ts"
import type { Kind } from "../../schema/kind.ts"
import { type CachedObject, type CacheEvent, UndecodableError } from "../../storage/cache.ts"
import { errorText } from "../../base/error-text.ts"
import type { ControllerDeps, Controller } from "../controller.ts"
import { keyOf, placeOf } from "../keyed-controller.ts"
import { type PacedInformer, startPacedInformer } from "../paced-informer.ts"
import { add, type Amounts, subtract } from "./amounts.ts"
import type { Evaluator, Usage } from "./evaluator.ts"
import { inScopes, isScoped, type Traits } from "./scopes.ts"

interface Counted {
  readonly revision: number
  readonly usage: Usage
}

interface Sum {
  readonly traits: Traits | undefined
  readonly amounts: Map<string, Quantity>
}

/** Work of computing and adding an object's usage, in the unit of `base/work.ts`. */
const takeWork = 20

/** One namespace. */
interface Tracked {
  readonly objects: Map<string, Counted>
  /** By traits, as text. */
  readonly sums: Map<string, Sum>
  /** Objects whose amounts end without a change. */
  readonly ending: Set<string>
  /** Objects deleted while the first read of the namespace may still find them. Absent: that read has ended. */
  gone?: Set<string>
  read: Promise<void>
}

/** Created with the first quota for its kind. */
export class TrackedKind implements Controller {
  private readonly namespaces = new Map<string, Tracked>()
  private readonly informer: PacedInformer
  private stopped = false

  /** `changed`: called with a namespace in which the sums have changed. */
  constructor(
    private readonly deps: ControllerDeps,
    private readonly kind: Kind,
    private readonly how: { readonly evaluator: Evaluator; readonly changed: (namespace: string) => void },
  ) {
    let known = new Set<string>()
    this.informer = startPacedInformer(deps, kind, {
      begin: () => {
        known = new Set(
          [...this.namespaces].flatMap(([namespace, { objects }]) => [...objects.keys()].map((name) => `${namespace}/${name}`)),
        )
      },
      object: (object) => {
        known.delete(keyOf(object))
        this.take(object)
      },
      end: () => {
        for (const key of known) this.drop(key, Number.POSITIVE_INFINITY)
        known = new Set()
      },
      event: (event) => this.onEvent(event),
    })
  }

  /** Resolves when the sums of a namespace include all of its objects. Called before `used`. */
  async follow(namespace: string): Promise<void> {
    let tracked = this.namespaces.get(namespace)
    if (tracked === undefined) {
      tracked = { objects: new Map(), sums: new Map(), ending: new Set(), gone: new Set(), read: Promise.resolve() }
      this.namespaces.set(namespace, tracked)
      const reading = this.read(namespace, tracked)
      tracked.read = reading
      // The next call retries.
      reading.catch(() => this.namespaces.delete(namespace))
    }
    await tracked.read
  }

  /** Called when no quota of a namespace counts the kind any more. */
  forget(namespace: string): void {
    this.namespaces.delete(namespace)
  }

  /** The usage of a namespace that a quota counts. */
  used(namespace: string, spec: ResourceQuotaSpec): Amounts {
    const used = new Map<string, Quantity>()
    for (const { traits, amounts } of this.namespaces.get(namespace)?.sums.values() ?? [])
      if (!isScoped(spec) || (traits !== undefined && inScopes(spec, traits))) add(used, amounts)
    return used
  }

  /** Removes expired amounts. Returns when the next ones expire; undefined for never. */
  expire(namespace: string, nowMs: number): number | undefined {
    const tracked = this.namespaces.get(namespace)
    let nextMs: number | undefined
    for (const name of tracked?.ending ?? []) {
      const counted = tracked?.objects.get(name)
      const ends = counted?.usage.ends
      if (tracked === undefined || counted === undefined || ends === undefined) continue
      if (ends.atMs < nowMs) this.replace(tracked, name, { ...counted, usage: { ...withoutEnd(counted.usage), amounts: ends.amounts } })
      else nextMs = Math.min(nextMs ?? ends.atMs, ends.atMs)
    }
    return nextMs
  }

  settled(): Promise<void> {
    return this.informer.settled()
  }

  async stop(): Promise<void> {
    this.stopped = true
    await this.informer.stop()
    await Promise.allSettled([...this.namespaces.values()].map(({ read }) => read))
  }

  private async read(namespace: string, tracked: Tracked): Promise<void> {
    const handle = await this.deps.registry.handle(this.kind)
    const turns = new Turns()
    for (const object of handle.cache.snapshot().entries({ prefix: handle.prefix(namespace) })) {
      if (this.stopped) return
      const work = takeWork + readWork(object)
      this.readOne(object, tracked)
      if (turns.isOver(work)) await turns.next()
    }
    delete tracked.gone
  }

  /** A value that cannot be decoded has no usage; the cache reports it. */
  private readOne(object: CachedObject, tracked: Tracked): void {
    try {
      if (tracked.gone?.has(placeOf(keyOf(object)).name) !== true) this.take(object)
    } catch (error) {
      if (!(error instanceof UndecodableError))
        this.deps.log.warn({ object: object.key, error: errorText(error) }, "an object could not be counted")
    }
  }

  private onEvent({ type, object, revision }: CacheEvent): void {
    if (type === "DELETED") this.drop(keyOf(object), revision)
    else this.take(object)
  }

  private take(object: CachedObject): void {
    const { namespace, name } = placeOf(keyOf(object))
    const tracked = this.namespaces.get(namespace)
    if (tracked === undefined) return
    const before = tracked.objects.get(name)
    if (before !== undefined && before.revision >= object.modRevision) return
    const usage = this.how.evaluator.usageOf(parseObject(object.json()))
    const isSame = before !== undefined && sumKey(before.usage) === sumKey(usage) && before.usage.amounts === usage.amounts
    this.replace(tracked, name, { revision: object.modRevision, usage })
    tracked.gone?.delete(name)
    if (!isSame || usage.ends !== undefined) this.how.changed(namespace)
  }

  private drop(key: string, revision: number): void {
    const { namespace, name } = placeOf(key)
    const tracked = this.namespaces.get(namespace)
    if (tracked === undefined || (tracked.objects.get(name)?.revision ?? 0) > revision) return
    this.replace(tracked, name, undefined)
    tracked.gone?.add(name)
    this.how.changed(namespace)
  }

  private replace({ objects, sums, ending }: Tracked, name: string, next: Counted | undefined): void {
    const before = objects.get(name)
    if (before !== undefined) {
      const key = sumKey(before.usage)
      const sum = sums.get(key)
      if (sum !== undefined) subtract(sum.amounts, before.usage.amounts)
      if (sum?.amounts.size === 0) sums.delete(key)
    }
    ending.delete(name)
    if (next === undefined) {
      objects.delete(name)
      return
    }
    objects.set(name, next)
    const { amounts, traits, ends } = next.usage
    const sum = sums.get(sumKey(next.usage)) ?? { traits, amounts: new Map<string, Quantity>() }
    add(sum.amounts, amounts)
    sums.set(sumKey(next.usage), sum)
    if (ends !== undefined) ending.add(name)
  }
}

function sumKey({ traits }: Usage): string {
  if (traits === undefined) return ""
  const { isTerminating, isBestEffort, crossesNamespaces, priorityClass } = traits
  return `${isTerminating} ${isBestEffort} ${crossesNamespaces} ${priorityClass}`
}

function withoutEnd({ amounts, traits }: Usage): Usage {
  return { amounts, ...(traits !== undefined && { traits }) }
}
