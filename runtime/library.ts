/** The package as a library: a real server inside another program, most of all inside tests. */
import { systemClock } from "./clock.ts"
import { launch } from "./launch.ts"
import { silentLog } from "./logging.ts"
import { defaultOptions } from "./options/load.ts"
import type { Options } from "./options/table.ts"
import { systemRandom } from "./random.ts"

export type { Options } from "./options/table.ts"
export { StartError } from "./start-error.ts"

/** Every option of the command line under its own name, `{ "event-ttl": 60_000 }`, and what only a library needs. */
export interface LibraryOptions extends Partial<Options> {
  /** Default 0: any free port of 127.0.0.1. */
  readonly port?: number
}

export interface LibraryServer {
  /** `https://127.0.0.1:41234` */
  readonly url: string
  /** The administrator's bearer token. */
  readonly token: string
  /** What clients trust, PEM. */
  readonly caPem: string
  /** For kubectl and client libraries, YAML. */
  readonly kubeconfig: string
  /** Resolves when requests have ended and everything is closed. */
  stop(): Promise<void>
}

/**
 * Called by tests of controllers and clients. Without options: on a free port of this machine, objects in memory, nothing written to disk.
 * With `"data-dir"` the store is on disk there. Throws StartError.
 */
export async function startServer(given: LibraryOptions = {}): Promise<LibraryServer> {
  const { port = 0, ...options } = given
  const onDisk = given["data-dir"] !== undefined
  const { server, url, token, authority, kubeconfig } = await launch({
    options: { ...defaultOptions(), "bind-address": "127.0.0.1", store: onDisk ? "lmdb" : "memory", ...options },
    clock: systemClock,
    random: systemRandom,
    log: silentLog(),
    transient: !onDisk,
    port,
  })
  return { url, token, caPem: authority, kubeconfig, stop: () => server.stop() }
}
