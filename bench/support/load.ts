/**
 * Clients in a process of their own, so that their cost is neither mixed with the server's, nor delayed by the
 * benchmark.
 */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Call, CallMessage, RequestFigures, RequestPlan, ResultMessage, WatchFigures, WatchPlan } from "./load-plans.ts"
import { cpuSeconds, type Target } from "./server-process.ts"

export interface Load {
  requests(plan: RequestPlan): Promise<RequestFigures>
  /** Resolves when all watches are open; they replace the previous ones. */
  watch(plan: WatchPlan): Promise<void>
  watchFigures(): Promise<WatchFigures>
  endWatches(): Promise<void>
  /** CPU that the clients have used so far, in seconds. */
  cpuSeconds(): number
  close(): void
}

/** A server whose CPU is read: one process, or several if its store has its own. */
export interface Measurable {
  readonly pid: number
  readonly otherPids?: readonly number[]
}

/** The server's cost of a plan. */
export interface Measured extends RequestFigures {
  readonly perSecond: number
  readonly megabytesPerSecond: number
  /** The server's CPU per request. */
  readonly cpuUs: number
  /** The server's CPU divided by the elapsed time: 1 is one core. */
  readonly cores: number
}

/**
 * Delays inside the clients must not count as the server's: node's client keeps each stream for a while, and collecting
 * all at once, with threads that take the cores from the server, took 5 to 10 ms eight times a second. Frequent small
 * collections take 1 ms.
 */
const collectsLittle = ["--single-threaded-gc", "--max-semi-space-size=2"]

/** Called once per process of clients. */
export function openLoad(server: Target): Load {
  const worker = fork(fileURLToPath(new URL("load-worker.ts", import.meta.url)), {
    execArgv: [...collectsLittle, "--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })
  const target = { port: server.port, authority: server.authority, token: server.token }
  const call = caller(worker)

  async function figuresOf(): Promise<WatchFigures> {
    const { watches } = await call({ call: "watchFigures" }, target)
    if (watches === undefined) throw new Error("there are no watches to tell of")
    return watches
  }

  return {
    async requests(plan) {
      const { requests } = await call({ call: "requests", plan }, target)
      if (requests === undefined) throw new Error("a load process must tell what its requests came to")
      return requests
    },
    async watch(plan) {
      await call({ call: "watch", plan }, target)
    },
    watchFigures: figuresOf,
    async endWatches() {
      await call({ call: "endWatches" }, target)
    },
    cpuSeconds: () => cpuSeconds(worker.pid ?? 0),
    close: () => worker.disconnect(),
  }
}

function caller(worker: ChildProcess): (call: Call, target: CallMessage["target"]) => Promise<ResultMessage> {
  const waiting = new Map<number, { resolve(message: ResultMessage): void; reject(error: Error): void }>()
  let calls = 0
  worker.on("message", (message: ResultMessage) => {
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.failure === undefined) call?.resolve(message)
    else call?.reject(new Error(message.failure))
  })
  worker.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("the load process ended without an answer"))
    waiting.clear()
  })
  return (call, target) =>
    new Promise((resolve, reject) => {
      const id = calls++
      waiting.set(id, { resolve, reject })
      worker.send({ id, target, call } satisfies CallMessage)
    })
}

/**
 * Runs the requests of a plan and adds the server's cost. Throws when a request failed: figures of failed requests are
 * meaningless.
 */
export async function measured(server: Measurable, load: Load, plan: RequestPlan): Promise<Measured> {
  const before = cpuSecondsOf(server)
  const figures = await load.requests(plan)
  const cpu = cpuSecondsOf(server) - before
  if (figures.failed > 0) throw new Error(`${figures.failed} of ${plan.method} ${plan.path} failed, the first: ${figures.failure}`)
  return {
    ...figures,
    perSecond: figures.count / figures.seconds,
    megabytesPerSecond: figures.bytes / figures.seconds / 1e6,
    cpuUs: (cpu * 1e6) / Math.max(figures.count, 1),
    cores: cpu / figures.seconds,
  }
}

/** Seconds of CPU that all processes of a server have used so far. */
export function cpuSecondsOf({ pid, otherPids = [] }: Measurable): number {
  return [pid, ...otherPids].reduce((sum, one) => sum + cpuSeconds(one), 0)
}
