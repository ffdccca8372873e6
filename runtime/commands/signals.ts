/** How signals end a process that serves. */
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { killProcess } from "../base/kill-process.ts"
import { endAfterDrainMs, hurriedEndMs, interruptedStartMs } from "../base/stop-limits.ts"
import type { StopOptions } from "../server-stop.ts"

/** The exit codes of a process that the signal ended. */
const exitCodes = { SIGTERM: 143, SIGINT: 130 } as const

type EndSignal = keyof typeof exitCodes

interface SignalOptions {
  readonly clock: Clock
  readonly log: Pick<Logger, "info">
  /** Default: the process, its exit and its last resort. Tests pass others. */
  readonly process?: {
    on(event: EndSignal | "beforeExit", listener: (signal: EndSignal) => void): unknown
    exit(code: number): void
  }
  readonly kill?: (why: string) => void
}

/**
 * The first signal begins the stop; a second one ends it without waiting for clients. After either, a process that does
 * not end in time is killed with SIGKILL. No acknowledged write is lost.
 */
export class EndSignals {
  /** Resolves with the first signal, even one that arrives while the server starts. */
  readonly first: Promise<EndSignal>
  private readonly hurried = new AbortController()
  private readonly process
  private receive: (signal: EndSignal) => void = () => {}
  private received: EndSignal | undefined
  private second: EndSignal | undefined
  private hasStarted = false
  private isOver = false
  private cancelStart: (() => void) | undefined
  /** Elapsed time at which the process is killed. */
  private killMs = Number.POSITIVE_INFINITY
  private cancelKill: (() => void) | undefined

  /** Called once, before the server starts. */
  constructor(private readonly options: SignalOptions) {
    this.process = options.process ?? process
    this.first = new Promise((resolve) => {
      this.receive = resolve
    })
    for (const signal of ["SIGTERM", "SIGINT"] as const) this.process.on(signal, this.on)
  }

  /** Called when the server has started: until then the process just exits; stored objects stay. */
  started(): void {
    this.hasStarted = true
    this.cancelStart?.()
  }

  /** Called when the parent, which would have sent a signal, is gone: as SIGTERM. */
  parentEnded(): void {
    this.on("SIGTERM")
  }

  /** For the stop of the server. */
  readonly stopOptions: Required<StopOptions> = {
    hurry: this.hurried.signal,
    onDrained: () => this.killAfter(endAfterDrainMs, "it has not ended since its last client left"),
  }

  /**
   * Called when the server has stopped. Returns the exit code. On a normal end node removes its signal handlers first,
   * so a late signal would kill the process. An explicit exit keeps them.
   */
  over(): number {
    this.isOver = true
    const code = this.second === undefined ? 0 : exitCodes[this.second]
    this.process.on("beforeExit", () => this.process.exit(code))
    return code
  }

  private readonly on = (signal: EndSignal): void => {
    if (this.received === undefined) {
      this.received = signal
      this.receive(signal)
      if (!this.hasStarted) this.cancelStart = this.options.clock.after(interruptedStartMs, () => this.leaveStart(signal))
      return
    }
    if (!this.hasStarted) return this.leaveStart(signal)
    if (this.second !== undefined || this.isOver) return
    this.second = signal
    this.options.log.info({ signal }, "stopping without waiting for clients")
    this.hurried.abort()
    this.killAfter(hurriedEndMs, "it has not ended since the second signal")
  }

  private leaveStart(signal: EndSignal): void {
    this.options.log.info({ signal }, "ending before the server has started")
    this.process.exit(exitCodes[signal])
  }

  /** Of several times, the earliest counts. */
  private killAfter(delayMs: number, why: string): void {
    const { clock, kill = killProcess } = this.options
    const killMs = clock.elapsedMs() + delayMs
    if (killMs >= this.killMs) return
    this.cancelKill?.()
    this.killMs = killMs
    this.cancelKill = clock.after(delayMs, () => kill(`${why}, ${delayMs / 1000} s ago`))
  }
}
