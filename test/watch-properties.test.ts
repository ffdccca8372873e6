/**
 * Properties of every history, over HTTP: a list at a version is the replay of the events up to it; a watch with a
 * selector is the filtered watch without one; a watch that begins later gets the remaining events; a bookmark comes
 * after everything up to its version. Specification sections 4.4 and 4.6.
 */
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createHttpClient, type HttpClient, type OpenAnswer, readAll } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

let at: InProcess
let client: HttpClient
let runs = 0

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "orch" })
  client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
})

afterAll(async () => {
  client.close()
  await at.stop()
})

const objectName = fc.constantFrom("a", "b", "c")
const label = fc.constantFrom("in", "out", "")

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), name: objectName, label }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), name: objectName }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("elsewhere" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 90 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("watch" as const) }) },
)

/** Selectors as clients write them, with their meaning. */
const labelSelectors: readonly Selector[] = [
  { query: "labelSelector=in%3Din", matches: ({ labels }) => labels === "in" },
  { query: "labelSelector=in!%3Din", matches: ({ labels }) => labels !== "in" },
  { query: "labelSelector=in", matches: ({ labels }) => labels !== "" },
  { query: "labelSelector=!in", matches: ({ labels }) => labels === "" },
  { query: "labelSelector=in+in+(in,else)", matches: ({ labels }) => labels === "in" },
  { query: "labelSelector=in+notin+(out),in", matches: ({ labels }) => labels === "in" },
]
const fieldSelectors: readonly Selector[] = [
  { query: "fieldSelector=metadata.name%3Db", matches: ({ name }) => name === "b" },
  { query: "fieldSelector=metadata.name!%3Db", matches: ({ name }) => name !== "b" },
  {
    query: "fieldSelector=metadata.name!%3Da,metadata.name!%3Dc&labelSelector=in",
    matches: ({ name, labels }) => name === "b" && labels !== "",
  },
  { query: "fieldSelectorSyntax=extended&fieldSelector=data.text%3E2", matches: ({ text }) => text > "2" },
]

interface Selector {
  readonly query: string
  readonly matches: (seen: Omit<Seen, "type">) => boolean
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const history = fc.array(step, { minLength: 5, maxLength: 40 })

it("watches agree with lists, with each other and with their bookmarks", async () => {
  const count = { changes: 0, bookmarks: 0, left: 0 }
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom(...labelSelectors), fc.constantFrom(...fieldSelectors), async (steps, byLabel, byField) => {
      const { all, labelled, named, later, begin, latest, collection } = await happen(steps, byLabel.query, byField.query)
      const events = all.filter(isChange)
      count.changes += events.length
      count.bookmarks += all.length - events.length
      count.left += labelled.filter(
        ({ type, version }) => type === "DELETED" && !events.some((event) => event.type === "DELETED" && event.version === version),
      ).length
      for (const told of [all, labelled, named, ...later.map(({ told }) => told)]) expectMarked(told)
      expect(labelled.filter(isChange), "label selector").toEqual(selected(events, byLabel.matches))
      expect(named.filter(isChange), "field selector").toEqual(selected(events, byField.matches))
      for (const { from, told } of later)
        expect(told.filter(isChange), `from ${from}`).toEqual(events.filter(({ version }) => version > from))
      // Other writes create versions too; only the event of a deletion contains its version.
      const end = Math.max(latest, ...events.map(({ version }) => version))
      const versions = Array.from({ length: end - begin + 1 }, (_, index) => begin + index)
      const lists = await Promise.all(versions.map((version) => listAt(collection, version)))
      for (const [index, version] of versions.entries()) expect(lists[index], `list at ${version}`).toEqual(replay(events, version))
    }),
    { numRuns: 30 },
  )
  // The random runs covered every case.
  for (const tried of Object.values(count)) expect(tried).toBeGreaterThan(0)
})

interface Seen {
  readonly type: string
  readonly version: number
  readonly name: string
  readonly labels: string
  readonly text: string
}

interface Told {
  readonly all: Seen[]
  readonly labelled: Seen[]
  readonly named: Seen[]
  readonly later: { readonly from: number; readonly told: Seen[] }[]
  /** The versions before and after the steps. */
  readonly begin: number
  readonly latest: number
  readonly collection: string
}

/** Runs the steps while watches are open; returns the events that they received. */
async function happen(steps: readonly Step[], byLabel: string, byField: string): Promise<Told> {
  const namespace = `run-${runs++}`
  const { version: begin } = await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } })
  const collection = `/api/v1/namespaces/${namespace}/configmaps`
  const all = await watch(collection, begin)
  const labelled = await watch(collection, begin, `&${byLabel}`)
  const named = await watch(collection, begin, `&${byField}`)
  const later: { from: number; answer: OpenAnswer }[] = []
  let latest = begin
  for (const [index, each] of steps.entries()) {
    if (each.do === "wait") at.clock.advance(each.seconds * 1000)
    else if (each.do === "watch") later.push({ from: latest, answer: await watch(collection, latest) })
    else latest = Math.max(latest, await change(collection, each, index))
  }
  at.clock.advance(lifeSeconds * 1000)
  return {
    all: await told(all),
    labelled: await told(labelled),
    named: await told(named),
    later: await Promise.all(later.map(async ({ from, answer }) => ({ from, told: await told(answer) }))),
    begin,
    latest,
    collection,
  }
}

/** Returns the version of the change, or an earlier one. */
async function change(collection: string, each: Step, index: number): Promise<number> {
  const data = { text: String(index) }
  if (each.do === "elsewhere") {
    const { version } = await send("POST", collection.replace("configmaps", "secrets"), { metadata: { generateName: "s-" } })
    return version
  }
  if (each.do === "delete") {
    await send("DELETE", `${collection}/${each.name}`)
    return 0
  }
  if (each.do === "clear") {
    await send("DELETE", collection)
    return 0
  }
  if (each.do !== "put") return 0
  const metadata = { name: each.name, ...(each.label !== "" && { labels: { in: each.label } }) }
  const { version } = await send("PUT", `${collection}/${each.name}`, { metadata, data })
  if (version !== 0) return version
  return (await send("POST", collection, { metadata, data })).version
}

/** Longer than a run waits, shorter than the window of history. */
const lifeSeconds = 4000

async function watch(collection: string, from: number, more = ""): Promise<OpenAnswer> {
  const query = `watch=1&allowWatchBookmarks=1&timeoutSeconds=${lifeSeconds}&resourceVersion=${from}${more}`
  const answer = await client.open({ method: "GET", path: `${collection}?${query}`, headers: { authorization: `Bearer ${at.token}` } })
  expect(answer.status).toBe(200)
  return answer
}

async function told(answer: OpenAnswer): Promise<Seen[]> {
  const text = (await readAll(answer.body)).toString()
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { type, object } = JSON.parse(line)
      return { type, ...seen(object) }
    })
}

interface Shown {
  readonly metadata: { readonly name?: string; readonly resourceVersion: string; readonly labels?: { readonly in?: string } }
  readonly data?: { readonly text?: string }
}

function seen({ metadata, data }: Shown): Omit<Seen, "type"> {
  return {
    version: Number(metadata.resourceVersion),
    name: metadata.name ?? "",
    labels: metadata.labels?.in ?? "",
    text: data?.text ?? "",
  }
}

/** The version of the object or list in the response; 0 when the request failed. */
async function send(method: string, path: string, object?: object): Promise<{ version: number }> {
  const headers = { authorization: `Bearer ${at.token}`, ...(object !== undefined && { "content-type": "application/json" }) }
  const body = object === undefined ? {} : { body: Buffer.from(JSON.stringify(object)) }
  const answer = await client.send({ method, path, headers, ...body })
  expect(answer.status).toBeLessThan(500)
  return { version: answer.status < 300 ? Number(JSON.parse(answer.body.toString()).metadata.resourceVersion ?? 0) : 0 }
}

async function listAt(collection: string, version: number): Promise<Omit<Seen, "type">[]> {
  const path = `${collection}?resourceVersion=${version}&resourceVersionMatch=Exact`
  const { body } = await client.send({ method: "GET", path, headers: { authorization: `Bearer ${at.token}` } })
  const { items, metadata }: { items: Shown[]; metadata: { resourceVersion: string } } = JSON.parse(body.toString())
  expect(metadata.resourceVersion).toBe(String(version))
  return items.map(seen)
}

function replay(events: readonly Seen[], version: number): Omit<Seen, "type">[] {
  const objects = new Map<string, Omit<Seen, "type">>()
  for (const { type, ...object } of events) {
    if (object.version > version) break
    if (type === "DELETED") objects.delete(object.name)
    else objects.set(object.name, object)
  }
  return [...objects.values()].sort((left, right) => (left.name < right.name ? -1 : 1))
}

/** The events that a selector produces: entering is ADDED, leaving is DELETED with the last state that matched. */
function selected(events: readonly Seen[], matches: (seen: Omit<Seen, "type">) => boolean): Seen[] {
  const shown = new Map<string, Seen>()
  const told: Seen[] = []
  for (const event of events) {
    const before = shown.get(event.name)
    if (event.type === "DELETED" || !matches(event)) {
      if (before !== undefined) told.push({ ...before, type: "DELETED", version: event.version })
      shown.delete(event.name)
      continue
    }
    told.push({ ...event, type: before === undefined ? "ADDED" : "MODIFIED" })
    shown.set(event.name, event)
  }
  return told
}

function isChange({ type }: Seen): boolean {
  return type !== "BOOKMARK"
}

/** Expects that no event follows a bookmark that covers it, and that versions never decrease. */
function expectMarked(told: readonly Seen[]): void {
  let latest = 0
  for (const { type, version } of told) {
    if (type === "BOOKMARK") expect(version).toBeGreaterThanOrEqual(latest)
    else expect(version).toBeGreaterThan(latest)
    latest = version
  }
}
