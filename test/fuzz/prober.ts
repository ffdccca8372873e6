/**
 * Another client, which requests `/livez` continuously on its own connection and measures how long the server leaves it
 * without a response.
 */
import { setTimeout } from "node:timers/promises"
import { createHttpClient } from "../support/http-client.ts"
import type { FuzzedServer } from "./server.ts"

const pauseMs = 20

export interface Prober {
  /**
   * Resolves once a request sent after the call has its response. Returns the longest time in milliseconds since the
   * last call during which the server was busy without responding. Time that a loaded machine took from the server does
   * not count.
   */
  longest(): Promise<number>
  stop(): void
}

export function startProber(server: FuzzedServer): Prober {
  const client = createHttpClient({ protocol: "http1", port: server.port, authority: server.authority })
  let isStopped = false
  let longest = 0
  let waiting: { resolve: () => void; asked: boolean }[] = []

  async function probe(): Promise<void> {
    const asking = waiting
    for (const one of asking) one.asked = true
    const [startedMs, busyMs] = [performance.now(), await server.busyMs()]
    try {
      await client.send({ method: "GET", path: "/livez", headers: { authorization: `Bearer ${server.token}` } })
    } catch {
      // The server has exited, which is reported elsewhere.
    }
    const heldMs = Math.min(performance.now() - startedMs, (await server.busyMs()) - busyMs)
    longest = Math.max(longest, heldMs)
    waiting = waiting.filter(({ asked }) => !asked)
    for (const { resolve, asked } of asking) if (asked) resolve()
  }

  async function go(): Promise<void> {
    while (!isStopped) {
      await probe()
      if (waiting.length === 0) await setTimeout(pauseMs)
    }
  }

  void go()
  return {
    async longest() {
      await new Promise<void>((resolve) => waiting.push({ resolve, asked: false }))
      const found = longest
      longest = 0
      return found
    },
    stop() {
      isStopped = true
      client.close()
    },
  }
}
