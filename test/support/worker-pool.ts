/**
 * The processes in which vitest runs test files. When one ends by itself, vitest names neither the file nor the reason,
 * and all tests may have passed before: this pool writes both to standard error.
 */
import { ForksPoolWorker, type PoolOptions, type PoolWorker } from "vitest/node"

const name = "reporting-forks"

class ReportingWorker extends ForksPoolWorker {
  /** The pool's name: a worker goes on with the next file only if the file asks for a pool of this name. */
  override readonly name = name
  private files: readonly string[] = []
  private stopping = false

  override async start(): Promise<void> {
    await super.start()
    // Node gives the code and the signal; vitest's type has one argument.
    const report = (code: number | null, signal?: NodeJS.Signals | null): void => {
      if (this.stopping) return
      console.error(`the process that runs ${this.files.join(", ")} ended by itself, with code ${code} and signal ${signal}`)
    }
    this.on("exit", report)
  }

  override send(message: Parameters<PoolWorker["send"]>[0]): void {
    if (message.type === "run" || message.type === "collect") this.files = message.context.files.map(({ filepath }) => filepath)
    if (message.type === "stop") this.stopping = true
    super.send(message)
  }
}

export const reportingPool = {
  name,
  createPoolWorker: (options: PoolOptions): PoolWorker => new ReportingWorker(options),
}
