/**
 * Clients of objects with lifecycles: namespaces that are deleted, finalizers, owners, addresses, times to live,
 * elections.
 */
import { type ApiObject, isObject, type JsonObject } from "../../../runtime/base/json.ts"
import { type SimResponse, sendRequest, isTrouble, type SimRequest } from "../ask.ts"
import type { History } from "../history.ts"
import type { World } from "../world/world.ts"
import { turns, turnsUntil } from "../world/turns.ts"
import { Candidate } from "./candidate.ts"
import type { LifeHistory, ObjectCall } from "./history.ts"
import { unrest } from "./rest.ts"
import type { LifeAct } from "./steps.ts"
import { type Place, placeText, resources } from "./stored-objects.ts"

/** The clients' own finalizer. */
export const holder = "sim.example.org/hold"
/** Maximum number of requests in flight; further ones are dropped, as by clients with a rate limit. */
const requestsMax = 12
/** Rounds of some seconds within which every deletion that has begun must finish. */
const settleRounds = 60

interface Wanted extends Place, SimRequest {
  readonly act: ObjectCall["act"]
  readonly expected: readonly number[]
  readonly manager?: string
  readonly applied?: { readonly text: string; readonly force: boolean }
  readonly label?: string
  readonly generate?: boolean
}

export class LifeClients {
  /** Uids that answers have shown, by place: they identify owners, also long after. */
  private readonly uids = new Map<string, string>()
  private readonly candidates = new Map<string, Candidate>()
  private underWay = 0
  /** The newest revision that an answer has shown. */
  private told = 0
  private used = false

  constructor(
    private readonly world: World,
    private readonly history: History,
    private readonly lives: LifeHistory,
    private readonly note: (text: string) => void,
  ) {}

  get idle(): boolean {
    return this.underWay === 0
  }

  /** Starts the act of a step, unless too many requests are in flight. */
  act(server: number, act: LifeAct): void {
    if (this.underWay >= requestsMax) return
    this.underWay++
    this.used = true
    void this.perform(server, act).finally(() => {
      this.underWay--
    })
  }

  /** Called when no fault is left: removes the clients' finalizers, and waits until all deletions have finished. */
  async settle(): Promise<void> {
    if (!this.used) return
    const { stored } = this.world.truth
    for (let round = 0; round < settleRounds; round++) {
      for (const { place, object } of stored.all()) {
        const held = object.metadata?.finalizers?.includes(holder) === true
        if (held) this.act(round % this.world.servers.length, { act: "let-go", namespace: place.namespace, name: place.name })
      }
      await this.calm()
      if (unrest(stored).length === 0) return
      this.world.clock.advance(5000)
      await turns(20)
    }
    this.complain(`the world came to rest, but ${unrest(stored).join(", and ")}`)
  }

  /** Called last: all values with a time to live must expire. */
  async outlive(): Promise<void> {
    const left = (): number => this.world.truth.stored.all().filter(({ place }) => place.resource === "events").length
    for (let hours = 0; hours < 12 && left() > 0; hours++) {
      this.world.clock.advance(3_700_000)
      await this.calm()
    }
    if (left() > 0) this.complain(`${left()} events are there long after their time to live`)
  }

  private async calm(): Promise<void> {
    await turns(50)
    await turnsUntil(() => this.idle && this.world.quiet(), 1000)
  }

  private async perform(server: number, act: LifeAct): Promise<void> {
    switch (act.act) {
      case "run-for":
        return this.candidate(act.candidate).round(server)
      case "namespace":
        return this.namespace(server, act.name, act.remove)
      case "make":
        await this.call(server, this.made(act))
        return
      case "change":
        await this.call(server, changed(act))
        return
      case "let-go":
        await this.call(server, letGo(act))
        return
      case "drop":
        await this.call(server, {
          act: "delete",
          ...placeOf(act),
          ...named("DELETE", placeOf(act)),
          body: deleteOptions(act),
          expected: [200, 404, 409],
        })
        return
      case "sweep":
        await this.call(server, swept(act))
        return
      case "serve":
      case "retype":
        await this.call(server, served(act))
        return
      case "happen":
        await this.call(server, happened(act))
        return
      case "look":
        await this.call(server, { ...act, act: "get", ...named("GET", act), expected: [200, 404] })
        return
      case "survey":
        await this.call(server, { ...act, act: "list", name: "", ...collection("GET", act), expected: [200] })
        return
    }
  }

  private async namespace(server: number, name: string, remove: boolean): Promise<void> {
    const place: Place = { resource: "namespaces", namespace: "", name }
    if (remove) await this.call(server, { act: "delete", ...place, ...named("DELETE", place), expected: [200, 404, 409] })
    else
      await this.call(server, { act: "create", ...place, ...collection("POST", place), body: { metadata: { name } }, expected: [201, 409] })
  }

  private made({ namespace, name, tag, label, held, owners, blocks }: Extract<LifeAct, { act: "make" }>): Wanted {
    const place: Place = { resource: "configmaps", namespace, name }
    const ownerReferences = owners.flatMap((owner) => {
      const uid = owner === name ? undefined : this.uids.get(placeText({ ...place, name: owner }))
      return uid === undefined ? [] : [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid, blockOwnerDeletion: blocks }]
    })
    const metadata = {
      ...(name === "" ? { generateName: "g-" } : { name }),
      ...labels(label),
      ...(held && { finalizers: [holder] }),
      ...(ownerReferences.length > 0 && { ownerReferences }),
    }
    return {
      act: "create",
      ...place,
      ...(name === "" && { generate: true }),
      ...collection("POST", place),
      body: { metadata, data: { text: tag } },
      expected: [201, 403, 404, 409],
    }
  }

  private candidate(name: string): Candidate {
    const known = this.candidates.get(name)
    if (known !== undefined) return known
    const candidate = new Candidate(name, {
      elapsedMs: () => this.world.clock.elapsedMs(),
      call: (server, wanted) => this.call(server, { ...wanted, expected: [200, 201, 404, 409] }),
      believes: (belief) => void this.lives.beliefs.push(belief),
    })
    this.candidates.set(name, candidate)
    return candidate
  }

  private async call(server: number, wanted: Wanted): Promise<SimResponse | undefined> {
    const { truth } = this.world
    const { act, resource, namespace, name, expected, manager, applied, label, generate } = wanted
    const [since, at] = [this.visible(), truth.stored.shown()]
    const answer = await sendRequest(this.world, server, wanted)
    const known = answer !== undefined && answer.status < 500 && answer.status !== 429
    const body: ApiObject = isObject(answer?.body) ? answer.body : {}
    this.lives.calls.push({
      act,
      resource,
      namespace,
      name,
      since,
      until: known ? truth.revision : Number.POSITIVE_INFINITY,
      at,
      status: answer?.status,
      answer: body,
      ...(manager !== undefined && { manager }),
      ...(applied !== undefined && { applied }),
      ...(label !== undefined && { label }),
      ...(generate !== undefined && { generate }),
    })
    this.note(`${act} ${placeText(wanted)} (after ${since}) -> ${answer?.status ?? "no answer"} ${brief(body)}`)
    if (answer !== undefined && !expected.includes(answer.status) && !isTrouble(answer.status))
      this.complain(`${act} of ${placeText(wanted)} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
    if (known) this.learn(wanted, { since, body })
    return answer
  }

  /**
   * The minimum that reads must show. The embedded store's newest commit may be durable before any client knows of it.
   */
  private visible(): number {
    return this.world.driver === "lmdb" ? this.told : this.world.truth.revision
  }

  private learn({ resource, act, namespace, name }: Wanted, { since, body: { metadata } }: { since: number; body: ApiObject }): void {
    const history = act === "delete" ? this.world.truth.stored.history({ resource, namespace, name }) : []
    const ended = history.find(({ object, revision }) => revision > since && object === undefined)
    this.told = Math.max(this.told, Number(metadata?.resourceVersion ?? 0), ended?.revision ?? 0)
    if (metadata?.uid === undefined || metadata.name === undefined) return
    this.uids.set(placeText({ resource, namespace: metadata.namespace ?? "", name: metadata.name }), metadata.uid)
  }

  private complain(text: string): void {
    this.history.complaints.push({ moment: this.history.now(), text })
  }
}

/** A request about one object. */
function named(method: string, place: Place): SimRequest {
  return { method, path: `${collectionPath(place)}/${place.name}` }
}

/** A request about all objects of a kind. */
function collection(method: string, place: Pick<Place, "resource" | "namespace">): SimRequest {
  return { method, path: collectionPath(place) }
}

function collectionPath({ resource, namespace }: Pick<Place, "resource" | "namespace">): string {
  return `${resources[resource].api}${namespace === "" ? "" : `/namespaces/${namespace}`}/${resource}`
}

function placeOf({ resource, namespace, name }: Place): Place {
  return { resource, namespace, name }
}

function changed({ namespace, name, how, manager, tag }: Extract<LifeAct, { act: "change" }>): Wanted {
  const place: Place = { resource: "configmaps", namespace, name }
  const { method, path } = named("PATCH", place)
  const force = how === "force"
  const query = `?fieldManager=${manager}${force ? "&force=true" : ""}`
  if (how === "merge")
    return { act: "change", ...place, method, path: path + query, body: { data: { shared: tag } }, manager, expected: [200, 404, 409] }
  return {
    act: "change",
    ...place,
    method,
    path: path + query,
    contentType: "application/apply-patch+yaml",
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { shared: tag } },
    manager,
    applied: { text: tag, force },
    expected: [200, 201, 403, 404, 409],
  }
}

function letGo({ namespace, name }: Extract<LifeAct, { act: "let-go" }>): Wanted {
  const place: Place = { resource: "configmaps", namespace, name }
  return {
    act: "let-go",
    ...place,
    ...named("PATCH", place),
    contentType: "application/strategic-merge-patch+json",
    body: { metadata: { "$deleteFromPrimitiveList/finalizers": [holder] } },
    expected: [200, 404, 409],
  }
}

function swept({ resource, namespace, label }: Extract<LifeAct, { act: "sweep" }>): Wanted {
  const { method, path } = collection("DELETE", { resource, namespace })
  const query = label === undefined ? "" : `?labelSelector=in%3D${label}`
  return { act: "sweep", resource, namespace, name: "", method, path: path + query, ...(label !== undefined && { label }), expected: [200] }
}

function served({ act, namespace, name, type, address, nodePort }: Extract<LifeAct, { act: "serve" | "retype" }>): Wanted {
  const place: Place = { resource: "services", namespace, name }
  const ports = [{ port: 80, ...(nodePort !== undefined && { nodePort }) }]
  const spec: JsonObject = {
    type,
    ...(type === "ExternalName" ? { externalName: "elsewhere.example.org" } : { ports }),
    ...(address !== undefined && { clusterIP: address }),
  }
  if (act === "retype") return { act: "change", ...place, ...named("PATCH", place), body: { spec }, expected: [200, 404, 409, 422] }
  return {
    act: "create",
    ...place,
    ...collection("POST", place),
    body: { metadata: { name, ...labels("in") }, spec },
    expected: [201, 403, 404, 409, 422],
  }
}

function happened({ namespace, name, label }: Extract<LifeAct, { act: "happen" }>): Wanted {
  const place: Place = { resource: "events", namespace, name }
  const body = {
    metadata: { name, ...labels(label) },
    involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace, name },
    reason: "Happened",
    message: "in a simulation",
    type: "Normal",
  }
  return { act: "create", ...place, ...collection("POST", place), body, expected: [201, 403, 404, 409] }
}

function deleteOptions({ policy }: Extract<LifeAct, { act: "drop" }>): JsonObject {
  return { propagationPolicy: policy }
}

function labels(label: string): { labels?: { in: string } } {
  return label === "" ? {} : { labels: { in: label } }
}

function brief({ kind, metadata, reason, items }: ApiObject): string {
  if (Array.isArray(items)) return `${items.length} at ${metadata?.resourceVersion}`
  if (kind === "Status") return typeof reason === "string" ? reason : ""
  const { name, uid, resourceVersion, deletionTimestamp, finalizers = [] } = metadata ?? {}
  return `${name} ${uid?.slice(0, 4)}@${resourceVersion}${deletionTimestamp === undefined ? "" : " going"} ${finalizers.join(" ")}`
}
