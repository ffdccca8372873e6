/**
 * Same act, same verb: for every way that a client takes, the server asks authorizers the questions of kube-apiserver,
 * and a refusal of any of them ends the act. `acts.yaml` was recorded of kube-apiserver; `record.ts` compares it again.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { User } from "../../../runtime/base/user.ts"
import { type AuthorizedRequest, type Authorizer, namespaceOf } from "../../../runtime/authz/authorize.ts"
import { inProcessClient } from "../../../runtime/client/in-process-client.ts"
import { vendorProfile } from "../../../runtime/base/vendor.ts"
import { accountTokens } from "../../support/account-keys.ts"
import { createHttpClient, type Protocol } from "../../support/http-client.ts"
import { adminToken, everyVersion, type InProcess, startInProcess } from "../../support/in-process.ts"
import { type Act, isReviewed } from "./acts.ts"
import { type Answer, perform, performInProcess, prepareActs } from "./perform.ts"
import { actor, type Asked, askedText, differences, readTable, type Table } from "./table.ts"

const user: User = { name: actor, groups: ["system:authenticated"], extra: {} }
const vendor = vendorProfile("kubernetes")

/** A server whose only authorizer records the actor's questions and denies the ones that a test chooses. */
interface Recorded {
  readonly at: InProcess
  readonly acts: readonly Act[]
  asked: Asked[]
  isDenied: (asked: Asked) => boolean
}

async function startRecorded(http2: "own" | "node"): Promise<Recorded> {
  const at = await startInProcess({
    store: "memory",
    vendor: "kubernetes",
    ...everyVersion,
    http2,
    authorizationModes: ["RBAC"],
    users: [user],
    serviceAccounts: accountTokens(),
  })
  const recorded: Omit<Recorded, "acts"> = { at, asked: [], isDenied: () => false }
  // The filter, plugins and reviews share this list.
  const authorizers = at.server.parts.authorizers as Authorizer[]
  authorizers.splice(0, authorizers.length, (request) => {
    if (request.user.groups.includes("system:masters")) return { opinion: "allow", reason: "" }
    const question = askedOf(request)
    recorded.asked.push(question)
    return recorded.isDenied(question) ? { opinion: "deny", reason: "" } : { opinion: "allow", reason: "" }
  })
  const client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  const acts = await prepareActs(client, adminToken)
  client.close()
  return Object.assign(recorded, { acts })
}

function askedOf({ user: { name: asking }, info }: AuthorizedRequest): Asked {
  const { verb, group, version, resource, subresource, name } = info
  return { user: asking, verb, group: vendor.group(group), version, resource, subresource, namespace: namespaceOf(info), name }
}

let servers: Record<"own" | "node", Recorded>
beforeAll(async () => {
  servers = { own: await startRecorded("own"), node: await startRecorded("node") }
}, 120_000)
afterAll(async () => {
  for (const { at } of Object.values(servers)) await at.stop()
})

interface Listener {
  readonly name: string
  readonly server: "own" | "node"
  /** Questions of an act to deny in turn: all, or those after the filter's, which is the same everywhere. */
  readonly denies: "all" | "further"
  readonly performing: (recorded: Recorded) => Performing
}

interface Performing {
  /** Undefined: the listener has no such act. */
  perform(act: Act): Promise<Answer | undefined>
  close(): void
}

const listeners: readonly Listener[] = [
  { name: "HTTP/1.1", server: "own", denies: "further", performing: overHttp("http1") },
  { name: "HTTP/2", server: "own", denies: "all", performing: overHttp("http2") },
  { name: "HTTP/2 of node", server: "node", denies: "further", performing: overHttp("http2") },
  {
    name: "in process",
    server: "own",
    denies: "all",
    performing: ({ at }) => {
      const client = inProcessClient(at.server.parts, user)
      return {
        perform: (act) => performInProcess(client, { ...act, place: { ...act.place, group: vendor.neutralGroup(act.place.group) } }),
        close: () => {},
      }
    },
  },
]

function overHttp(protocol: Protocol): Listener["performing"] {
  return ({ at }) => {
    const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
    return { perform: (act) => perform(client, act, user.name), close: () => client.close() }
  }
}

describe.each(listeners)("$name", ({ server, denies, performing }) => {
  let recorded: Recorded
  let by: Performing
  beforeAll(() => {
    recorded = servers[server]
    by = performing(recorded)
  })
  afterAll(() => by.close())

  it("asks for the verbs of the table, and does nothing without one of them", { timeout: 300_000 }, async () => {
    const found: Table = new Map()
    const performed: Table = new Map()
    const unheld: string[] = []
    const table = readTable()
    for (const act of recorded.acts) {
      recorded.asked = []
      const answer = await by.perform(act)
      if (answer === undefined) continue
      const asked = [...recorded.asked]
      note(
        found,
        act,
        asked.map((question) => askedText(act, question)),
      )
      note(performed, act, table.get(act.of)?.get(act.way) ?? [])
      for (const [index, { user: asking, verb, resource }] of asked.entries()) {
        if (isReviewed(act, index) || (index === 0 && denies === "further")) continue
        recorded.isDenied = (one) => one.user === asking && one.verb === verb && one.resource === resource
        const refused = await by.perform(act)
        recorded.isDenied = () => false
        if (refused?.status !== 403) unheld.push(`${act.way} ${act.of} without ${verb} ${resource}: ${refused?.status} ${refused?.text}`)
      }
    }
    expect(differences(found, performed)).toEqual([])
    expect(unheld).toEqual([])
    expect(found.size).toBeGreaterThan(80)
  })
})

function note(table: Table, { of, way }: Act, texts: readonly string[]): void {
  const ways = table.get(of) ?? new Map<string, readonly string[]>()
  table.set(of, ways)
  ways.set(way, texts)
}

it("knows all resources of the table, and the table all of them", () => {
  const known = new Set(servers.own.acts.map(({ of }) => of))
  expect([...known].toSorted()).toEqual([...readTable().keys()].toSorted())
})
