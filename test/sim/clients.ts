/** Many clients that send HTTP requests to the servers of a world, and record requests and answers. */
import { type SimResponse, sendRequest, isTrouble, type SimRequest } from "./ask.ts"
import type { Content, Freshness, History, Outcome, WatchRecord, Write } from "./history.ts"
import { contentOf, type Shown } from "./truth.ts"
import type { Condition, Step } from "./plan.ts"
import { OpenWatch, resumePoint } from "./watch-client.ts"
import { simToken } from "./world/server.ts"
import { turns } from "./world/turns.ts"
import type { World } from "./world/world.ts"

const collection = "/api/v1/namespaces/sim/configmaps"
/** Maximum number of requests in flight; further ones are dropped, as by clients with a rate limit. */
const requestsMax = 24
/** Versions of an object that clients remember. */
const rememberedMax = 4

type Of<Do extends Step["do"]> = Extract<Step, { do: Do }>

export class Clients {
  /** Contents of each object that answers have shown, newest last. */
  private readonly remembered = new Map<string, Content[]>()
  /** Versions of the collection that answers have shown. */
  private readonly versions: number[] = []
  private readonly slots = new Map<number, OpenWatch>()
  /** The end of a slot's last watch, and its scope. */
  private readonly resumable = new Map<number, { readonly record: WatchRecord; readonly at: number }>()
  private underWay = 0
  private watches = 0

  constructor(
    private readonly world: World,
    private readonly history: History,
    private readonly note: (text: string) => void,
  ) {}

  get idle(): boolean {
    return this.underWay === 0
  }

  write(step: Of<"create" | "put" | "patch" | "delete">): void {
    const ifVersion = "condition" in step ? this.versionOf(step.name, step.condition) : undefined
    const condition = ifVersion !== undefined && { ifVersion }
    const write: Write =
      step.do === "create"
        ? { do: "create", text: step.tag, label: step.label }
        : step.do === "put"
          ? { do: "put", text: step.tag, label: step.label, ...condition }
          : step.do === "patch"
            ? { do: "patch", patched: step.tag, ...condition }
            : { do: "delete", ...condition }
    this.begin(async () => {
      const call = this.history.now()
      const answer = await this.send(step.server, requestOf(step.name, write))
      const outcome = this.outcomeOf(write, answer)
      this.note(`${step.name} ${JSON.stringify(write)} (${call}) -> ${answer?.status ?? "no answer"} ${JSON.stringify(outcome)}`)
      if (outcome.is === "never") return
      if (outcome.is === "done" && outcome.content !== undefined) this.remember(step.name, outcome.content)
      const end = outcome.is === "unknown" ? Number.POSITIVE_INFINITY : this.history.now()
      this.history.writes.push({ name: step.name, write, call, return: end, outcome })
    })
  }

  /** Two objects in one commit, as behaviours write objects that belong together. */
  writePair(step: Of<"twins">): void {
    const store = this.world.servers[step.server]?.running?.parts.registry.deps.store
    if (store === undefined) return
    this.begin(async () => {
      const call = this.history.now()
      const write: Write = { do: "set", text: step.tag, label: "in" }
      const writes = step.names.map((name) => ({
        type: "put" as const,
        key: `/registry/configmaps/sim/${name}`,
        value: storedValue(name, write),
      }))
      let outcome: Outcome = { is: "unknown" }
      try {
        const result = await this.unlessDead(step.server, store.commit({ checks: [], writes }))
        if (result?.ok === true) outcome = { is: "done", content: { version: result.revision, text: step.tag, patched: "", label: "in" } }
      } catch {
        // Whether it happened is unknown.
      }
      const end = outcome.is === "unknown" ? Number.POSITIVE_INFINITY : this.history.now()
      for (const name of step.names) this.history.writes.push({ name, write, call, return: end, outcome })
      this.note(`${step.names.join("+")} ${JSON.stringify(write)} (${call}) -> ${JSON.stringify(outcome)}`)
    })
  }

  /** A patch that changes nothing reads the newest state too. */
  get(step: Of<"get">): void {
    this.begin(async () => {
      const call = this.history.now()
      const byPatch = step.freshness === "by-patch"
      const path = `${collection}/${step.name}${step.freshness === "any" ? "?resourceVersion=0" : ""}`
      const answer = await this.send(step.server, byPatch ? { method: "PATCH", path, body: {} } : { method: "GET", path })
      const found = answer?.status === 200 && isShown(answer.body) ? contentOf(answer.body) : undefined
      this.note(`get ${step.name} ${step.freshness} (${call}) -> ${answer?.status ?? "no answer"} ${JSON.stringify(found)}`)
      this.expectStatus(answer, byPatch ? [200, 404, 409] : [200, 404], "get")
      if (answer?.status !== 200 && answer?.status !== 404) return
      if (found !== undefined) this.remember(step.name, found)
      const mode = step.freshness === "any" ? "any" : "consistent"
      this.history.gets.push({ name: step.name, freshness: { mode }, call, return: this.history.now(), content: found })
    })
  }

  list(step: Of<"list">): void {
    const freshness = this.freshnessOf(step.freshness)
    this.begin(async () => {
      const call = this.history.now()
      let end = call
      const pages: { version: number; items: ReadonlyMap<string, Content> }[] = []
      let next = ""
      do {
        const answer = await this.send(step.server, { method: "GET", path: listPath(step, freshness, next) })
        const page = answer?.status === 200 ? pageOf(answer.body) : undefined
        this.note(
          `list ${JSON.stringify({ ...freshness, label: step.label, limit: step.limit })} (${call}) -> ${answer?.status ?? "no answer"} ${page?.version ?? ""}`,
        )
        this.expectStatus(answer, [200, 410], "list")
        if (answer?.status === 410 && freshness.mode !== "exact" && next === "")
          this.complain("a list that is no page and asks for no past was answered with 410")
        if (page === undefined) break
        pages.push(page)
        if (pages.length === 1) end = this.history.now()
        next = page.next
        if (next !== "") await turns(step.pause)
      } while (next !== "")
      const [first] = pages
      if (first === undefined) return
      this.versions.push(first.version)
      for (const { items } of pages) for (const [name, content] of items) this.remember(name, content)
      const whole = next === "" && pages.length > 0
      this.history.lists.push({ freshness, label: step.label ? "in" : undefined, call, return: end, pages, whole })
    })
  }

  watch(step: Of<"watch">): void {
    this.slots.get(step.slot)?.leave()
    const resumed = step.from === "resume" ? this.resumable.get(step.slot) : undefined
    const after = resumed?.at ?? (step.from === "state" ? undefined : this.versions.at(-1 - 2 * step.slot))
    const label = resumed === undefined ? (step.label ? "in" : undefined) : resumed.record.label
    const name = resumed === undefined ? step.name : resumed.record.name
    const wire = this.world.servers[step.server]?.wire
    if (wire === undefined) return
    const beganMs = this.world.clock.elapsedMs()
    const record: WatchRecord = { id: `w${this.watches++}`, label, name, after, events: [], state: "live", beganMs }
    const watch = new OpenWatch(record, {
      note: this.note,
      compacted: () => this.world.compacted(),
      elapsedMs: () => this.world.clock.elapsedMs(),
      complain: (text) => this.complain(text),
      over: () => {
        if (this.slots.get(step.slot) === watch) this.slots.delete(step.slot)
        const at = resumePoint(record)
        if (record.state === "gone" || at === undefined) this.resumable.delete(step.slot)
        else this.resumable.set(step.slot, { record, at })
      },
      seen: (event) => {
        if (event.type === "BOOKMARK") this.versions.push(event.version)
        else {
          this.versions.push(event.content.version)
          if (event.type !== "DELETED") this.remember(event.name, event.content)
        }
      },
    })
    this.slots.set(step.slot, watch)
    this.history.watches.push(record)
    const path = watchPath({ after, label, name })
    this.note(`watch ${record.id} on ${step.server}: ${path}`)
    wire.request({ method: "GET", path, headers: { authorization: `Bearer ${simToken}` } }).then(
      (response) => watch.follow(response),
      () => watch.leave(),
    )
  }

  slot(step: Of<"pause" | "unpause" | "leave">): void {
    const watch = this.slots.get(step.slot)
    if (step.do === "pause") watch?.pause()
    else if (step.do === "unpause") watch?.unpause()
    else watch?.leave()
  }

  /** Called at the end: resumes all slow readers. */
  unpauseAll(): void {
    for (const watch of this.slots.values()) watch.unpause()
  }

  /** Called when the world has come to rest. A watch that is still open has got every event, or never will. */
  closeAll(revision: number): void {
    for (const watch of [...this.slots.values()]) {
      watch.record.completeTo = revision
      watch.leave()
    }
  }

  get liveWatches(): readonly WatchRecord[] {
    return [...this.slots.values()].filter((watch) => watch.following).map(({ record }) => record)
  }

  /** Called at the end with a request that must succeed, since no fault is left. */
  async expectSuccess(server: number, request: { method: string; path: string; body?: unknown }, what: string): Promise<unknown> {
    const answer = await this.send(server, request)
    if (answer === undefined || answer.status >= 300)
      this.complain(
        `nothing is wrong any more, but ${what} is answered with ${answer?.status ?? "nothing"}: ${JSON.stringify(answer?.body)}`,
      )
    return answer?.body
  }

  private begin(work: () => Promise<void>): void {
    if (this.underWay >= requestsMax) return
    this.underWay++
    void work().finally(() => {
      this.underWay--
    })
  }

  private send(server: number, question: SimRequest): Promise<SimResponse | undefined> {
    return sendRequest(this.world, server, question)
  }

  /** Resolves with undefined when the process dies, since its calls then stay without an answer. */
  private async unlessDead<T>(server: number, call: Promise<T>): Promise<T | undefined> {
    const running = this.world.servers[server]?.running
    let settled = false
    const result = call.finally(() => {
      settled = true
    })
    result.catch(() => undefined)
    while (!settled) {
      if (this.world.servers[server]?.running !== running) return undefined
      await turns(1)
    }
    return result
  }

  private outcomeOf(write: Write, answer: SimResponse | undefined): Outcome | { readonly is: "never" } {
    this.expectStatus(answer, [200, 201, 404, 409], write.do)
    switch (answer?.status) {
      case 200:
      case 201:
        return write.do !== "delete" && isShown(answer.body) ? { is: "done", content: contentOf(answer.body) } : { is: "done" }
      case 404:
        return { is: "missing" }
      // The store was not able to do it, or the server starts or stops: these statuses guarantee that nothing was done.
      case 429:
      case 503:
        return { is: "never" }
      case 409:
        return { is: write.do === "create" ? "exists" : "conflict" }
      default:
        return { is: "unknown" }
    }
  }

  private expectStatus(answer: SimResponse | undefined, expected: readonly number[], what: string): void {
    if (answer === undefined || expected.includes(answer.status) || isTrouble(answer.status)) return
    this.complain(`${what} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
  }

  private complain(text: string): void {
    this.history.complaints.push({ moment: this.history.now(), text })
  }

  private remember(name: string, content: Content): void {
    const known = this.remembered.get(name) ?? []
    this.remembered.set(name, known)
    if (known.some(({ version }) => version === content.version)) return
    known.push(content)
    known.sort((left, right) => left.version - right.version)
    if (known.length > rememberedMax) known.shift()
  }

  private versionOf(name: string, condition: Condition): number | undefined {
    if (condition === "none") return undefined
    const known = this.remembered.get(name) ?? []
    return condition === "known" ? known.at(-1)?.version : known.at(0)?.version
  }

  private freshnessOf(mode: Of<"list">["freshness"]): Freshness {
    if (mode === "consistent" || mode === "any") return { mode }
    const version = this.versions.at(-1)
    return version === undefined ? { mode: "consistent" } : { mode, version }
  }
}

function requestOf(name: string, write: Write): { method: string; path: string; body?: unknown } {
  const path = `${collection}/${name}`
  switch (write.do) {
    case "create":
      return { method: "POST", path: collection, body: objectOf(name, write) }
    case "put":
    case "set":
      return { method: "PUT", path, body: objectOf(name, write) }
    case "patch":
      return {
        method: "PATCH",
        path,
        body: {
          ...(write.ifVersion !== undefined && { metadata: { resourceVersion: String(write.ifVersion) } }),
          data: { patched: write.patched },
        },
      }
    case "delete":
      return {
        method: "DELETE",
        path,
        body: write.ifVersion === undefined ? {} : { preconditions: { resourceVersion: String(write.ifVersion) } },
      }
  }
}

function objectOf(name: string, { text, label, ifVersion }: { text: string; label: string; ifVersion?: number }) {
  const labels = label === "" ? {} : { labels: { in: label } }
  const version = ifVersion === undefined ? {} : { resourceVersion: String(ifVersion) }
  return { metadata: { name, ...version, ...labels }, data: { text } }
}

/** The value in the form in which servers store it. */
function storedValue(name: string, write: { text: string; label: string }): Buffer {
  const { metadata, data } = objectOf(name, write)
  const full = { ...metadata, namespace: "sim", uid: `uid-${write.text}`, creationTimestamp: "2024-01-01T00:00:00Z" }
  return Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: full, data }))
}

function listPath(step: Of<"list">, freshness: Freshness, next: string): string {
  const query = new URLSearchParams()
  if (step.label) query.set("labelSelector", "in=in")
  if (step.limit > 0) query.set("limit", String(step.limit))
  if (next !== "") query.set("continue", next)
  else if (freshness.mode === "any") query.set("resourceVersion", "0")
  else if (freshness.mode !== "consistent") {
    query.set("resourceVersion", String(freshness.version))
    query.set("resourceVersionMatch", freshness.mode === "exact" ? "Exact" : "NotOlderThan")
  }
  return `${collection}?${query}`
}

function watchPath({ after, label, name }: { after: number | undefined; label: string | undefined; name: string | undefined }): string {
  const query = new URLSearchParams({ watch: "1", allowWatchBookmarks: "1" })
  if (label !== undefined) query.set("labelSelector", `in=${label}`)
  if (name !== undefined) query.set("fieldSelector", `metadata.name=${name}`)
  if (after !== undefined) query.set("resourceVersion", String(after))
  else {
    query.set("sendInitialEvents", "1")
    query.set("resourceVersionMatch", "NotOlderThan")
  }
  return `${collection}?${query}`
}

function isShown(body: unknown): body is Shown {
  return typeof body === "object" && body !== null && "metadata" in body
}

function pageOf(body: unknown): { version: number; items: Map<string, Content>; next: string } | undefined {
  if (!isList(body)) return undefined
  const items = new Map(body.items.map((item) => [item.metadata.name ?? "", contentOf(item)]))
  return { version: Number(body.metadata.resourceVersion), items, next: body.metadata.continue ?? "" }
}

function isList(body: unknown): body is { metadata: { resourceVersion: string; continue?: string }; items: Shown[] } {
  return typeof body === "object" && body !== null && "items" in body && Array.isArray(body.items)
}
