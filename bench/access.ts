/**
 * What do client certificates, RBAC with a thousand bindings, and an audit log at Metadata add to the CPU of a get and
 * of a create? Two servers on lmdb, one with none of them and one with all, are asked in turns: each row has the
 * fastest rounds of both. `--only=audit` and the like name what the second server has.
 * Run: npm run bench -- access
 */
import { accessParts, openAccess, posting, send } from "./support/access.ts"
import { type Http2Client, openHttp2Client, type Request } from "./support/http2-client.ts"
import { openOptions } from "./support/options.ts"
import { cpuSeconds, type ServerProcess, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const rounds = options.number("rounds", { small: 6, full: 30 })
const gets = options.number("gets", { small: 10_000, full: 20_000 })
const creates = options.number("creates", { small: 3000, full: 6000 })
const bindings = options.number("bindings", { small: 1000, full: 1000 })
const only = options.word("only", accessParts.join(",")).split(",")
options.done()

const clients = 16
const configMaps = "/api/v1/namespaces/default/configmaps"

interface Asked {
  readonly server: ServerProcess
  readonly client: Http2Client
  stop(): Promise<void>
}

const off = await asked([])
const on = await asked(only)
try {
  await compare(off, on)
} finally {
  await off.stop()
  await on.stop()
}
process.exit()

/** A server with these parts, and a client that may use it. */
async function asked(parts: readonly string[]): Promise<Asked> {
  const access = await openAccess(parts, bindings)
  const server = await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes", ...access.options] })
  const client = openHttp2Client(await access.prepare(server))
  await send(client, creating("asked"))
  return {
    server,
    client,
    async stop() {
      client.close()
      await server.stop()
      access.close()
    },
  }
}

async function compare(off: Asked, on: Asked): Promise<void> {
  const getting: Request = { method: "GET", path: `${configMaps}/asked` }
  let made = 0
  const verbs = {
    get: { requests: gets, request: () => getting },
    create: { requests: creates, request: () => creating(`m${made++}`) },
  }
  for (const [verb, { request, requests }] of Object.entries(verbs)) {
    const costs = { off: [] as number[], on: [] as number[] }
    // The first round is not counted: it compiles.
    for (let round = 0; round <= rounds; round++) {
      const [offUs, onUs] = round % 2 === 0 ? [await cost(off), await cost(on)] : [await cost(on), await cost(off)].reverse()
      if (round === 0) continue
      costs.off.push(offUs ?? 0)
      costs.on.push(onUs ?? 0)
    }
    const [offUs, onUs] = [quarter(costs.off), quarter(costs.on)]
    printRow({ verb, with: only.join(" "), rounds, requests, offUs, onUs, addedUs: onUs - offUs })

    async function cost({ client, server }: Asked): Promise<number> {
      const before = cpuSeconds(server.pid)
      let next = 0
      await Promise.all(
        Array.from({ length: clients }, async () => {
          while (next++ < requests) await send(client, request())
        }),
      )
      return ((cpuSeconds(server.pid) - before) * 1e6) / requests
    }
  }
}

/** The first quartile: other work on the machine can only increase the values. */
function quarter(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? Number.NaN
}

function creating(name: string): Request {
  return posting(configMaps, { kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(900) } }, "v1")
}
