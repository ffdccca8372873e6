/**
 * Clients of objects with lifecycles: namespaces that are deleted, finalizers, owners, addresses, times to live,
 * elections.
 */
import { renewDeadlineMs } from "../../../runtime/controllers/leader-election.ts"
import { type ApiObject, isObject, type JsonObject } from "../../../runtime/base/json.ts"
import { type SimResponse, sendRequest, isTrouble, type SimRequest } from "../ask.ts"
import type { History } from "../history.ts"
import type { World } from "../world/world.ts"
import { turns, turnsUntil } from "../world/turns.ts"
import { Candidate } from "./candidate.ts"
import type { LifeHistory, ObjectCall } from "./history.ts"
import { unrest } from "./rest.ts"
import { type CustomResource, customApi, customResources, type CustomVersion, customVersions } from "./definitions.ts"
import { definitionBody, definitionPlace, type DefinitionShape, isCustom, stateOf, typeOf, versionsOf } from "./definitions.ts"
import { CustomWatches } from "./custom-watches.ts"
import { servedFaults } from "./served.ts"
import { isWatchedOver, type LifeAct } from "./steps.ts"
import { type Place, placeText, resources } from "./stored-objects.ts"

/** The clients' own finalizer. */
export const holder = "sim.example.org/hold"
/** Maximum number of requests in flight; further ones are dropped, as by clients with a rate limit. */
const requestsMax = 12
/** Shape of a definition that only lets its objects end. */
const lastShape: DefinitionShape = { mark: "last", storage: "v1", served: customVersions }
/** Rounds of some seconds within which every deletion that has begun must finish. */
const settleRounds = 60

/** An object, and the version under which a client asks for it. */
interface VersionedPlace extends Place {
  readonly version?: CustomVersion
}

interface Wanted extends VersionedPlace, SimRequest {
  readonly act: ObjectCall["act"]
  readonly expected: readonly number[]
  readonly manager?: string
  readonly applied?: { readonly text: string; readonly force: boolean }
  readonly sets?: string | number
  readonly label?: string
  readonly generate?: boolean
}

export class LifeClients {
  /** Uids that answers have shown, by place: they identify owners, also long after. */
  private readonly uids = new Map<string, string>()
  private readonly candidates = new Map<string, Candidate>()
  private readonly watches: CustomWatches
  private underWay = 0
  /** The newest revision that an answer has shown. */
  private told = 0
  private used = false

  constructor(
    private readonly world: World,
    private readonly history: History,
    private readonly lives: LifeHistory,
    private readonly note: (text: string) => void,
  ) {
    this.watches = new CustomWatches(world, history, lives, note)
  }

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
        if (held) this.act(round % this.world.servers.length, this.lettingGo(place))
      }
      // Objects that a definition left behind can end under another definition only.
      for (const resource of customResources) {
        const isLeft = stored.all().some(({ place }) => place.resource === resource)
        if (isLeft && stateOf(stored.at(definitionPlace(resource), Number.POSITIVE_INFINITY)) === undefined)
          this.act(round % this.world.servers.length, { act: "define", resource, shape: lastShape })
      }
      await this.calm()
      if (unrest(stored, this.steadySince()).length === 0) return
      this.world.clock.advance(5000)
      await turns(20)
    }
    this.complain(`the world came to rest, but ${unrest(stored, this.steadySince()).join(", and ")}`)
  }

  /** The start of the leader's term. A leader that was silent for too long begins a new one, without memory. */
  private steadySince(): number {
    const { servers, truth } = this.world
    const terms = truth.stored.changes.filter(
      ({ resource, namespace, before, object }) =>
        resource === "leases" &&
        !isWatchedOver({ resource, namespace, name: "" }) &&
        (holderOf(before) !== holderOf(object) || renewedMs(object) - renewedMs(before) > renewDeadlineMs),
    )
    return Math.max(terms.at(-1)?.revision ?? 0, ...servers.map(({ startedAt }) => startedAt ?? Number.POSITIVE_INFINITY))
  }

  /** Called when the world has come to rest. */
  async verifyServed(): Promise<void> {
    if (this.lives.calls.some(({ resource }) => resource === "customresourcedefinitions"))
      for (const fault of await servedFaults(this.world)) this.complain(fault)
    this.watches.closeAll()
  }

  private lettingGo({ resource, namespace, name }: Place): LifeAct {
    if (!isCustom(resource)) return { act: "let-go", namespace, name }
    const definition = stateOf(this.world.truth.stored.at(definitionPlace(resource), Number.POSITIVE_INFINITY))
    return { act: "let-go", resource, version: definition?.served[0] ?? "v1", namespace, name }
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
          ...named("DELETE", act),
          body: deleteOptions(act),
          expected: [200, 404, 409],
        })
        return
      case "define":
      case "redefine":
      case "undefine":
        await this.call(server, defined(act))
        if (act.act === "undefine" && act.force === true) await this.call(server, unheld(act.resource))
        return
      case "set-status":
        await this.call(server, statusSet(act))
        return
      case "set-scale":
        await this.call(server, scaleSet(act))
        return
      case "follow":
        return this.watches.follow(server, act, this.told)
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
        await this.call(server, { ...act, act: "list", name: "", ...collection("GET", act), expected: listExpected(act.resource) })
        return
    }
  }

  private async namespace(server: number, name: string, remove: boolean): Promise<void> {
    const place: Place = { resource: "namespaces", namespace: "", name }
    if (remove) await this.call(server, { act: "delete", ...place, ...named("DELETE", place), expected: [200, 404, 409] })
    else
      await this.call(server, { act: "create", ...place, ...collection("POST", place), body: { metadata: { name } }, expected: [201, 409] })
  }

  private made(act: Extract<LifeAct, { act: "make" }>): Wanted {
    const { namespace, name, tag, label, held, owners, blocks } = act
    const place = placeOf(act)
    const ownerReferences = owners.flatMap((text) => {
      const owner = ownerPlace(text, namespace)
      const uid = placeText(owner) === placeText(place) ? undefined : this.uids.get(placeText(owner))
      return uid === undefined ? [] : [{ ...typeOf(owner.resource), name: owner.name, uid, blockOwnerDeletion: blocks }]
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
      body: { ...bodyOf(place, metadata, { text: tag }), ...strayStatus(place, tag) },
      expected: [201, 403, 404, 409, ...(isCustom(place.resource) ? [405] : [])],
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
    const { act, resource, namespace, name, expected, manager, applied, sets, label, generate, version } = wanted
    const [since, at] = [this.visible(), truth.stored.shown()]
    const startedAt = this.world.servers[server]?.startedAt ?? since
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
      ...(sets !== undefined && { sets }),
      ...(label !== undefined && { label }),
      ...(generate !== undefined && { generate }),
      ...(version !== undefined && { version, startedAt: Math.min(startedAt, since) }),
    })
    this.note(
      `${act} ${placeText(wanted)}${version === undefined ? "" : ` ${version}`} (after ${since}) -> ${answer?.status ?? "no answer"} ${brief(body)}`,
    )
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

/** The renewal time of a lease, by the clock of its holder. */
function renewedMs(lease: ApiObject | undefined): number {
  return isObject(lease?.spec) ? Date.parse(String(lease.spec.renewTime)) : Number.NaN
}

function holderOf(lease: ApiObject | undefined): unknown {
  return isObject(lease?.spec) ? lease.spec.holderIdentity : undefined
}

/** A request about one object. */
function named(method: string, place: VersionedPlace): SimRequest {
  return { method, path: `${collectionPath(place)}/${place.name}` }
}

/** `widgets/p`, or only the name for a ConfigMap. */
function ownerPlace(text: string, namespace: string): Place {
  const [resource, name] = text.split("/")
  return name !== undefined && (resource === "widgets" || resource === "gears")
    ? { resource, namespace, name }
    : { resource: "configmaps", namespace, name: text }
}

function bodyOf({ resource, version }: VersionedPlace, metadata: JsonObject, fields: JsonObject): JsonObject {
  return isCustom(resource) ? { ...typeOf(resource, version), metadata, spec: fields } : { metadata, data: fields }
}

/** Marks parts that a write must not store: a status sent with the object, or a spec sent with the status. */
export const stray = "-stray"

function strayStatus({ resource }: VersionedPlace, tag: string): JsonObject {
  return isCustom(resource) ? { status: { state: `${tag}${stray}` } } : {}
}

/** A request about all objects of a kind. */
function collection(method: string, place: Omit<VersionedPlace, "name">): SimRequest {
  return { method, path: collectionPath(place) }
}

function collectionPath({ resource, namespace, version }: Omit<VersionedPlace, "name">): string {
  const api = version === undefined ? resources[resource].api : customApi(version)
  return `${api}${namespace === "" ? "" : `/namespaces/${namespace}`}/${resource}`
}

/** ConfigMaps unless the act says otherwise. */
function placeOf({ resource = "configmaps", namespace, name, version }: Partial<VersionedPlace> & Omit<Place, "resource">): VersionedPlace {
  return { resource, namespace, name, ...(version !== undefined && { version }) }
}

function changed(act: Extract<LifeAct, { act: "change" }>): Wanted {
  const { name, how, manager, tag, version } = act
  const place = placeOf(act)
  const { method, path } = named("PATCH", place)
  const force = how === "force"
  const query = `?fieldManager=${manager}${force ? "&force=true" : ""}`
  if (how === "merge")
    return {
      act: "change",
      ...place,
      method,
      path: path + query,
      body: { ...bodyOf(place, {}, { shared: tag }), ...strayStatus(place, tag) },
      manager,
      expected: [200, 404, 409],
    }
  return {
    act: "change",
    ...place,
    method,
    path: path + query,
    contentType: "application/apply-patch+yaml",
    body: { ...typeOf(place.resource, version), ...bodyOf(place, { name }, { shared: tag }) },
    manager,
    applied: { text: tag, force },
    expected: [200, 201, 403, 404, 409, ...(isCustom(place.resource) ? [405] : [])],
  }
}

/** Sets the status of an object. The request also changes other fields, which the server must ignore. */
function statusSet({ tag, ...place }: Extract<LifeAct, { act: "set-status" }>): Wanted {
  const { method, path } = named("PATCH", place)
  const body = { metadata: { labels: { in: `${tag}${stray}` } }, spec: { shared: `${tag}${stray}` }, status: { state: tag } }
  return { ...place, act: "status", method, path: `${path}/status`, body, sets: tag, expected: [200, 404, 409] }
}

function scaleSet({ how, replicas, ...place }: Extract<LifeAct, { act: "set-scale" }>): Wanted {
  const { method, path } = named("PATCH", place)
  const spec = { replicas }
  const wanted = { ...place, act: "scale", method, sets: replicas, expected: [200, 404, 409] } as const
  if (how === "merge") return { ...wanted, path: `${path}/scale`, body: { spec } }
  return {
    ...wanted,
    path: `${path}/scale?fieldManager=one&force=true`,
    contentType: "application/apply-patch+yaml",
    body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: place.name }, spec },
  }
}

/** Removes the finalizers of a definition, whatever waits for them. */
function unheld(resource: CustomResource): Wanted {
  const place = definitionPlace(resource)
  return { act: "force", ...place, ...named("PATCH", place), body: { metadata: { finalizers: null } }, expected: [200, 404, 409] }
}

function letGo(act: Extract<LifeAct, { act: "let-go" }>): Wanted {
  const place = placeOf(act)
  if (isCustom(place.resource)) {
    // Custom objects have no strategic merge patches. Clients add their finalizer first.
    const at = "/metadata/finalizers/0"
    const operations = [
      { op: "test", path: at, value: holder },
      { op: "remove", path: at },
    ]
    const contentType = "application/json-patch+json"
    return { act: "let-go", ...place, ...named("PATCH", place), contentType, body: operations, expected: [200, 404, 409, 422] }
  }
  return {
    act: "let-go",
    ...place,
    ...named("PATCH", place),
    contentType: "application/strategic-merge-patch+json",
    body: { metadata: { "$deleteFromPrimitiveList/finalizers": [holder] } },
    expected: [200, 404, 409],
  }
}

function swept(act: Extract<LifeAct, { act: "sweep" }>): Wanted {
  const { resource, label } = act
  const { method, path } = collection("DELETE", act)
  const query = label === undefined ? "" : `?labelSelector=in%3D${label}`
  const expected = listExpected(resource)
  return { act: "sweep", ...placeOf({ ...act, name: "" }), method, path: path + query, ...(label !== undefined && { label }), expected }
}

/** Expected statuses of a list: a definition may be absent. */
function listExpected(resource: Place["resource"]): readonly number[] {
  return isCustom(resource) ? [200, 404] : [200]
}

function defined(act: Extract<LifeAct, { act: "define" | "redefine" | "undefine" }>): Wanted {
  const place = definitionPlace(act.resource)
  if (act.act === "undefine") return { act: "delete", ...place, ...named("DELETE", place), expected: [200, 404, 409] }
  if (act.act === "define")
    return { act: "create", ...place, ...collection("POST", place), body: definitionBody(act.resource, act.shape), expected: [201, 409] }
  const body = { spec: { versions: versionsOf(act.shape) } }
  return { act: "change", ...place, ...named("PATCH", place), body, expected: [200, 404, 409] }
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
