/**
 * Follows services and pods for the controllers of endpoints: the services that a change affects, and the pods that a
 * service selects. The controllers of one server share it, so that each pod is read once.
 */
import { lookWork, requirementWork } from "../../base/work.ts"
import { Turns } from "../../base/turns.ts"
import { isDeepStrictEqual } from "node:util"
import { isObject } from "../../base/json.ts"
import { labelSelectorOfMap } from "../../query/selector.ts"
import { parseObject } from "../../registry/object-codec.ts"
import type { CachedObject } from "../../storage/cache.ts"
import type { ControllerDeps, Controller } from "../controller.ts"
import { keyOf, type Keys, placeOf } from "../keyed-controller.ts"
import { type PacedHandler, startPacedInformer } from "../paced-informer.ts"
import { type PodRecord, podRecord } from "./pod-record.ts"
import { SelectedServices } from "./selected-services.ts"

export interface ServicePods extends Controller {
  /**
   * Adds `namespace/name` of each service that a change affects to `keys`, and all known services at once. A service
   * with many pods is added a little later: its pods change often, and each time all of them are processed.
   */
  subscribe(keys: Keys): () => void
  /** The zone of a node, by its name; "" if it has none or is unknown. */
  zoneOf(node: string): string
  /**
   * Resolves with true once all pods and nodes are known: earlier results would be incomplete. With false when the work
   * ends.
   */
  known(): Promise<boolean>
  /** Resolves when all received events are handled. For tests. */
  settled(): Promise<void>
  /** The pods that match the selector of a service, found in turns of the event loop. */
  select(key: string, selector: Readonly<Record<string, string>>): Promise<readonly PodRecord[]>
}

/** Neutral name. */
const zoneLabel = "topology.orch.io/zone"

interface Shared {
  readonly pods: Followed
  users: number
}

/** Pods of a service up to which it is updated at once. */
const podsAtOnceMax = 100
/** Delay per pod of larger services, and the longest delay. */
const delayMsPerPod = 1
const delayMaxMs = 1000

const shared = new WeakMap<ControllerDeps, Shared>()

/** Called by each controller of endpoints when it starts. The work ends when the last of them stops it. */
export function shareServicePods(deps: ControllerDeps): ServicePods {
  const found = shared.get(deps) ?? { pods: new Followed(deps), users: 0 }
  found.users++
  shared.set(deps, found)
  const { pods } = found
  return {
    subscribe: (keys) => pods.subscribe(keys),
    zoneOf: (node) => pods.zoneOf(node),
    known: () => pods.known,
    settled: () => pods.settled(),
    select: (key, selector) => pods.select(key, selector),
    async stop() {
      found.users--
      if (found.users > 0) return
      shared.delete(deps)
      await pods.stop()
    },
  }
}

class Followed {
  readonly known: Promise<boolean>
  private readonly pods = new Map<string, Map<string, PodRecord>>()
  /** The pods of each node, by their keys. */
  private readonly podsOf = new Map<string, Set<string>>()
  private readonly zones = new Map<string, string>()
  private readonly services = new Map<string, SelectedServices>()
  private readonly serviceKeys = new Set<string>()
  /** The number of pods that a service selected when it was last processed. */
  private readonly sizes = new Map<string, number>()
  private readonly listeners = new Set<Keys>()
  private readonly informers
  private tellKnown = (_known: boolean): void => {}

  constructor(deps: ControllerDeps) {
    this.known = new Promise((resolve) => {
      this.tellKnown = resolve
    })
    const { kinds } = deps.registry.deps
    const follow = (resource: string, handler: PacedHandler) => {
      const kind = kinds.find("", "v1", resource)
      return kind === undefined ? [] : [startPacedInformer(deps, kind, handler)]
    }
    const zone = deps.registry.deps.vendor.domain(zoneLabel)
    const missing = new Set(["pods", "nodes"].filter((resource) => kinds.find("", "v1", resource) !== undefined))
    const complete = (resource: string): void => {
      missing.delete(resource)
      if (missing.size === 0) this.tellKnown(true)
    }
    if (missing.size === 0) this.tellKnown(true)
    this.informers = [
      ...follow("services", this.serviceHandler()),
      ...follow(
        "nodes",
        this.nodeHandler(zone, () => complete("nodes")),
      ),
      ...follow(
        "pods",
        this.podHandler(() => complete("pods")),
      ),
    ]
  }

  subscribe(keys: Keys): () => void {
    this.listeners.add(keys)
    for (const key of this.serviceKeys) keys.add(key)
    return () => this.listeners.delete(keys)
  }

  async settled(): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.settled()))
  }

  async select(key: string, selector: Readonly<Record<string, string>>): Promise<readonly PodRecord[]> {
    const test = labelSelectorOfMap(selector)
    const work = lookWork + requirementWork * test.requirements.length
    const turns = new Turns()
    const selected: PodRecord[] = []
    for (const pod of this.pods.get(placeOf(key).namespace)?.values() ?? []) {
      if (pod.serves && test.matches(pod.labels)) selected.push(pod)
      if (turns.isOver(work)) await turns.next()
    }
    if (this.serviceKeys.has(key)) this.sizes.set(key, selected.length)
    return selected
  }

  async stop(): Promise<void> {
    this.tellKnown(false)
    await Promise.all(this.informers.map((informer) => informer.stop()))
  }

  private serviceHandler(): PacedHandler {
    let gone = new Set<string>()
    const take = (object: CachedObject): void => {
      const key = keyOf(object)
      gone.delete(key)
      this.takeService(key, selectorOf(object))
    }
    return {
      begin: () => {
        gone = new Set(this.serviceKeys)
      },
      object: take,
      end: () => {
        for (const key of gone) this.forgetService(key)
      },
      event: ({ type, object }) => (type === "DELETED" ? this.forgetService(keyOf(object)) : take(object)),
    }
  }

  private takeService(key: string, selector: Readonly<Record<string, string>> | undefined): void {
    const { namespace, name } = placeOf(key)
    const services = this.services.get(namespace) ?? new SelectedServices()
    services.set(name, selector)
    if (services.size > 0) this.services.set(namespace, services)
    else this.services.delete(namespace)
    this.serviceKeys.add(key)
    this.tell(key)
  }

  private forgetService(key: string): void {
    this.takeService(key, undefined)
    this.serviceKeys.delete(key)
    this.sizes.delete(key)
  }

  zoneOf(node: string): string {
    return this.zones.get(node) ?? ""
  }

  private nodeHandler(label: string, complete: () => void): PacedHandler {
    let gone = new Set<string>()
    const take = (object: CachedObject): void => {
      const name = object.field("metadata.name")
      gone.delete(name)
      this.changeZone(name, object.labels()[label] ?? "")
    }
    return {
      begin: () => {
        gone = new Set(this.zones.keys())
      },
      object: take,
      end: () => {
        for (const name of gone) this.changeZone(name, "")
        complete()
      },
      event: ({ type, object }) => (type === "DELETED" ? this.changeZone(object.field("metadata.name"), "") : take(object)),
    }
  }

  private changeZone(node: string, zone: string): void {
    if (this.zoneOf(node) === zone) return
    if (zone === "") this.zones.delete(node)
    else this.zones.set(node, zone)
    const services = new Set<string>()
    for (const key of this.podsOf.get(node) ?? []) {
      const { namespace, name } = placeOf(key)
      const pod = this.pods.get(namespace)?.get(name)
      if (pod?.serves !== true) continue
      for (const service of this.services.get(namespace)?.selecting(pod.labels) ?? []) services.add(`${namespace}/${service}`)
    }
    for (const service of services) this.tell(service)
  }

  private podHandler(complete: () => void): PacedHandler {
    let gone = new Map<string, PodRecord>()
    const take = (object: CachedObject): void => {
      const key = keyOf(object)
      gone.delete(key)
      this.changePod(key, podRecord(object))
    }
    return {
      begin: () => {
        const all = [...this.pods.values()].flatMap((pods) => [...pods.values()])
        gone = new Map(all.map((pod) => [`${pod.namespace}/${pod.name}`, pod]))
      },
      object: take,
      end: () => {
        for (const key of gone.keys()) this.changePod(key, undefined)
        gone = new Map()
        complete()
      },
      event: ({ type, object }) => (type === "DELETED" ? this.changePod(keyOf(object), undefined) : take(object)),
    }
  }

  private changePod(key: string, now: PodRecord | undefined): void {
    const { namespace, name } = placeOf(key)
    const pods = this.pods.get(namespace) ?? new Map<string, PodRecord>()
    const before = pods.get(name)
    if (now === undefined) pods.delete(name)
    else pods.set(name, now)
    if (pods.size > 0) this.pods.set(namespace, pods)
    else this.pods.delete(namespace)
    this.moveToNode(key, before?.nodeName ?? "", now?.nodeName ?? "")
    // Most changes of a pod do not affect endpoints.
    if ((before?.serves !== true && now?.serves !== true) || isDeepStrictEqual(before, now)) return
    const services = this.services.get(namespace)
    const concerned = [before, now].flatMap((pod) => (pod === undefined ? [] : (services?.selecting(pod.labels) ?? [])))
    for (const service of new Set(concerned)) this.tell(`${namespace}/${service}`)
  }

  private moveToNode(key: string, from: string, to: string): void {
    if (from === to) return
    const left = this.podsOf.get(from)
    left?.delete(key)
    if (left?.size === 0) this.podsOf.delete(from)
    if (to === "") return
    const joined = this.podsOf.get(to) ?? new Set<string>()
    joined.add(key)
    this.podsOf.set(to, joined)
  }

  private tell(key: string): void {
    const size = this.sizes.get(key) ?? 0
    for (const keys of this.listeners) {
      if (size <= podsAtOnceMax) keys.add(key)
      else keys.addAfter(key, Math.min(size * delayMsPerPod, delayMaxMs))
    }
  }
}

function selectorOf(service: CachedObject): Record<string, string> | undefined {
  const spec = parseObject(service.json())["spec"]
  const selector = isObject(spec) ? spec["selector"] : undefined
  if (!isObject(selector)) return undefined
  return Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, String(value)]))
}
