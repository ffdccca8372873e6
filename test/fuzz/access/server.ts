/** A server in this process whose users come in by files and certificates, for cases that need a whole request. */
import { systemClock } from "../../../runtime/base/clock.ts"
import { systemRandom } from "../../../runtime/base/random.ts"
import { launch } from "../../../runtime/launch/launch.ts"
import { silentLog } from "../../../runtime/launch/logging.ts"
import { defaultOptions } from "../../../runtime/options/load.ts"
import type { Options } from "../../../runtime/options/table.ts"

export interface AccessServer {
  readonly port: number
  readonly authority: string
  stop(): Promise<void>
}

/** Requests without a known credential are refused; all others may do everything. */
export async function startAccessServer(options: Partial<Options>): Promise<AccessServer> {
  const { server, authority } = await launch({
    options: {
      ...defaultOptions(),
      ...{ store: "memory", vendor: "kubernetes", "bind-address": "127.0.0.1", "anonymous-auth": false },
      ...options,
    },
    clock: systemClock,
    random: systemRandom,
    log: silentLog(),
    transient: true,
    port: 0,
  })
  return { port: server.port, authority, stop: () => server.stop() }
}
