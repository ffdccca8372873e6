/** Starts the built program on a store, writes to it from many clients, and stops it with signals meanwhile. */
import { readFileSync } from "node:fs"
import { once } from "node:events"
import { Agent, request } from "node:https"
import { join } from "node:path"
import { systemClock } from "../../runtime/base/clock.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import { type Program, startWith } from "../support/program.ts"

export type EndSignal = "SIGTERM" | "SIGINT"

/** When two signals are sent. */
export interface TwoSignals {
  readonly signals: readonly [EndSignal, EndSignal]
  /** Milliseconds from this moment to the first signal. `listening`: the program listens for signals. */
  readonly at: "listening" | "writing"
  readonly delayMs: number
  /** Milliseconds from the first signal to the second. `stopping`: once the program has logged that it stops. */
  readonly gapMs: number | "stopping"
}

export interface Stopped {
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
  /** Time from the first signal to the end of the process. */
  readonly tookMs: number
  /** Names of the objects whose creation was answered with 201. */
  readonly acknowledged: readonly string[]
}

const writers = 16
const path = "/api/v1/namespaces/default/configmaps"

export async function stopWhileWriting(dataDir: string, prefix: string, plan: TwoSignals): Promise<Stopped> {
  const env = plan.at === "listening" ? { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellsListening)}` } : {}
  const program = await startWith(env, dataDir, "--store=lmdb")
  const ended = once(program.child, "exit") as Promise<[number | null, string | null]>
  const acknowledged: string[] = []
  let writing = Promise.resolve()
  if (plan.at === "listening") await program.said(/listens for signals/)
  else {
    await program.said(/Serving on https/)
    writing = writeUntilGone(program, dataDir, prefix, acknowledged)
    await enough(acknowledged)
  }
  await pass(plan.delayMs)
  const beganMs = performance.now()
  program.child.kill(plan.signals[0])
  if (plan.gapMs === "stopping") await Promise.race([program.said(/stopping/).catch(() => undefined), ended])
  else await pass(plan.gapMs)
  program.child.kill(plan.signals[1])
  const [code, signal] = await ended
  const tookMs = performance.now() - beganMs
  await writing
  return { code, signal, output: program.output(), tookMs, acknowledged }
}

/** The names that are not in the store. */
export async function missingIn(dataDir: string, names: readonly string[]): Promise<readonly string[]> {
  const store = await openLmdbStore({ dir: join(dataDir, "store"), clock: systemClock })
  const { items } = await store.list({ prefix: "/" })
  await store.close()
  const stored = new Set(items.map(({ key }) => key.slice(key.lastIndexOf("/") + 1)))
  return names.filter((name) => !stored.has(name))
}

/** Prints when the program begins to listen for signals; until then a signal ends it like any other process. */
const tellsListening = `process.on("newListener", (name) => name === "SIGINT" && console.log("listens for signals"))`

const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves when all writers are at work. */
async function enough(acknowledged: readonly string[]): Promise<void> {
  while (acknowledged.length < writers) await pass(1)
}

/** Resolves when the connections of all writers are gone. */
async function writeUntilGone(program: Program, dataDir: string, prefix: string, acknowledged: string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(join(dataDir, "pki/ca.crt")) })
  const authorization = `Bearer ${readFileSync(join(dataDir, "admin.token"), "utf8").trim()}`
  const create = (name: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const headers = { authorization, "content-type": "application/json" }
      const asked = request({ agent, port: program.port, host: "127.0.0.1", path, method: "POST", headers }, (response) => {
        response.resume()
        response.on("close", () => resolve(response.complete ? response.statusCode : undefined))
      })
      asked.on("error", () => resolve(undefined))
      asked.end(JSON.stringify({ metadata: { name }, data: { text: "x".repeat(3000) } }))
    })
  const write = async (writer: number): Promise<void> => {
    for (let turn = 0; ; turn++) {
      const name = `${prefix}-${writer}-${turn}`
      const status = await create(name)
      if (status === undefined) return
      if (status === 201) acknowledged.push(name)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  agent.destroy()
}
