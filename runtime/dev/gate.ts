/**
 * The secure port of one server after another. The port and its connections stay while servers change; requests that
 * arrive during a change wait for the next server.
 */
import type { App } from "../http/env.ts"
import type { Listener, ListenOptions } from "../http/listen.ts"

type OpenPort = Pick<Listener, "port" | "close" | "setTls"> & Partial<Pick<Listener, "drain">>
type Listen = (options: ListenOptions) => Promise<OpenPort>

/** Created once per program. */
export class Gate {
  private app: App | undefined
  private listener: OpenPort | undefined
  /** Resolves when the change in progress has ended. */
  private change: Promise<void> | undefined
  private closing = false

  constructor(private readonly openPort: Listen) {}

  /** `ServerOptions.listen` of each server. The first one opens the port, with its own certificate and limits. */
  readonly listen: Listen = async (options) => {
    this.app = options.app
    this.listener ??= await this.openPort({ ...options, app: (...exchange) => this.pass(...exchange) })
    const { listener } = this
    const { port, setTls } = listener
    return {
      port,
      ...(setTls !== undefined && { setTls }),
      drain: () => (this.closing ? listener.drain?.() : undefined),
      close: async (how) => (this.closing ? listener.close(how) : undefined),
    }
  }

  /** Requests wait until `act` has ended. Servers that stop meanwhile leave the port open. */
  async duringChange(act: () => Promise<void>): Promise<void> {
    const changed = act()
    this.change = changed.catch(() => undefined)
    try {
      await changed
    } finally {
      this.change = undefined
    }
  }

  /** Called before the last server stops: it closes the port. */
  beginClosing(): void {
    this.closing = true
  }

  private pass(...exchange: Parameters<App>): void {
    if (this.change === undefined) this.answer(...exchange)
    else void this.change.then(() => this.answer(...exchange))
  }

  private answer(...exchange: Parameters<App>): void {
    if (this.app === undefined) throw new Error("a request arrived before the first server")
    this.app(...exchange)
  }
}
