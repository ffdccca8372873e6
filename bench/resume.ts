/**
 * What does it cost when a herd of watches resumes after a restart, over tens of megabytes of history that the new
 * process has never seen? Resident memory above the idle server's, at its maximum and after all have caught up, and
 * whether each watch got every event. `stalled` watches never read: how much do they hold?
 * Run: npm run bench -- resume
 */
import { mkdtempSync, rmSync } from "node:fs"
import type { ClientHttp2Stream } from "node:http2"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { configMapBody, configMapsIn } from "./support/config-maps.ts"
import { openHttp2Client } from "./support/http2-client.ts"
import { openOptions } from "./support/options.ts"
import { forgetPeak, peakMb, residentMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const megabytes = options.number("megabytes", { small: 10, full: 60 })
const herds = options.numbers("watchers", { small: [20], full: [50, 500] })
const stalled = options.number("stalled", { small: 20, full: 100 })
const bytes = options.number("bytes", { small: 4096, full: 4096 })
options.done()

const path = configMapsIn("default")
const objects = 100
/** Below the number of streams that a server usually allows on one connection. */
const watchersPerConnection = 50
/** Time until an idle server has come to rest. */
const restMs = 3000
/** How long watches that read nothing stay open. */
const ignoredMs = 10_000
/** How long a watch may get no event before it counts as lost. */
const patienceMs = 30_000

const folder = mkdtempSync(join(tmpdir(), "bench-resume-"))
const { events, start } = await fill()
for (const watchers of herds) await resume({ watchers, readsNothing: false })
await resume({ watchers: stalled, readsNothing: true })
rmSync(folder, { recursive: true, force: true })

/** Creates objects and updates them; resolves with the version before the updates. */
async function fill(): Promise<{ events: number; start: string }> {
  const server = await startServerProcess({ store: "lmdb", dataDir: folder })
  const client = openHttp2Client(server, 4)
  const body = (index: number): Buffer =>
    Buffer.from(
      configMapBody(`object-${index % objects}`, bytes)
        .replace("{now}", String(index))
        .replace("{bucket}", "1"),
    )
  const send = async (index: number, method: string, below: string): Promise<string> => {
    const { head, status } = await client.send({ method, path: `${path}${below}`, body: body(index), contentType: "application/json" })
    if (status >= 300) throw new Error(`a write was answered ${status}: ${head.toString()}`)
    return /"resourceVersion":"(\d+)"/.exec(head.toString())?.[1] ?? ""
  }
  let start = ""
  for (let index = 0; index < objects; index++) start = await send(index, "POST", "")
  const updates = Math.round((megabytes * 1024 * 1024) / bytes)
  // Each update must change something.
  let next = objects
  const write = async (): Promise<void> => {
    while (next < objects + updates) {
      const index = next++
      await send(index, "PUT", `/object-${index % objects}`)
    }
  }
  // No object has two updates in flight.
  await Promise.all(Array.from({ length: 32 }, write))
  client.close()
  await server.stop()
  return { events: updates, start }
}

async function resume({ watchers, readsNothing }: { watchers: number; readsNothing: boolean }): Promise<void> {
  const server = await startServerProcess({ store: "lmdb", dataDir: folder })
  const client = openHttp2Client(server, Math.ceil(watchers / watchersPerConnection))
  await client.connected()
  await client.send({ method: "GET", path: `${path}?limit=1` })
  await setTimeout(restMs)
  const atRest = residentMb(server)
  forgetPeak(server)
  const started = performance.now()
  const streams = await Promise.all(Array.from({ length: watchers }, () => client.open(`${path}?watch=1&resourceVersion=${start}`)))
  const told = readsNothing ? [] : await Promise.all(streams.map(counted))
  if (readsNothing) await setTimeout(ignoredMs)
  const seconds = (performance.now() - started) / 1000
  const peak = peakMb(server)
  await setTimeout(restMs)
  printRow({
    watchers,
    readsNothing,
    megabytes,
    seconds,
    restMb: atRest,
    peakAboveRestMb: peak - atRest,
    afterAboveRestMb: residentMb(server) - atRest,
    ...(!readsNothing && { toldEverything: told.every((count) => count === events), events }),
  })
  client.close()
  await server.stop()
}

/** Number of events on a stream that is read continuously, until it has all of them. */
function counted(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve) => {
    let count = 0
    let lastMs = performance.now()
    const patience = setInterval(() => performance.now() - lastMs > patienceMs && over(), 1000)
    const over = (): void => {
      clearInterval(patience)
      resolve(count)
    }
    stream.on("data", (chunk: Buffer) => {
      lastMs = performance.now()
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++
      if (count >= events) over()
    })
    stream.once("close", over)
  })
}
