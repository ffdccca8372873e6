/**
 * Reads long YAML in a separate thread: the library takes 2 s per MiB. The process has one such thread, started on
 * demand and ended when idle. It reads one document at a time; others wait. Whatever happens to the thread, every
 * request gets a response.
 */
import type { Worker } from "node:worker_threads"
import { ApiError, badRequest, tooLarge, tooManyRequests, unavailable } from "../base/errors.ts"
import { yamlReadTimeoutMs, yamlThreadIdleMs, yamlThreadMemoryMiB, yamlWaitingMax } from "../base/limits.ts"
import { startThread, type ThreadOptions } from "../base/thread.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import { requestEnded } from "./long-documents.ts"

/** The thread's result for a document: its JSON text, or its error. */
export type YamlReply = { readonly json: string; readonly duplicates: string[] } | { readonly code: number; readonly message: string }

/** A document that the thread has read. */
export interface ReadYaml {
  readonly json: string
  /** As in `ParsedYaml`. */
  readonly duplicates: string[]
}

export interface YamlThreadOptions {
  /** Default: the module that reads YAML. */
  readonly thread?: Pick<ThreadOptions, "source" | "bundle">
  /** Default `yamlReadTimeoutMs`. */
  readonly timeoutMs?: number
  /** Default `yamlThreadIdleMs`. */
  readonly idleMs?: number
  /** Default `yamlThreadMemoryMiB`. */
  readonly memoryMiB?: number
}

interface Job {
  readonly body: Uint8Array
  resolve(read: ReadYaml): void
  reject(error: unknown): void
}

const reader = { source: new URL("yaml-worker.ts", import.meta.url), bundle: "yaml-worker.js" }

/** Created once per process, and by tests. */
export class YamlThread {
  private worker: Promise<Worker> | undefined
  private current: Job | undefined
  private readonly waiting: Job[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly options: YamlThreadOptions = {}) {}

  /** Whether the thread runs. */
  get isRunning(): boolean {
    return this.worker !== undefined
  }

  /**
   * Called with the bytes of a body. Throws ApiError: as `parseYaml`, 413 for a document that takes too long or too
   * much memory, 429 when too many wait.
   */
  read(body: Uint8Array, signal?: DeadlineSignal): Promise<ReadYaml> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(requestEnded(signal))
      if (this.waiting.length >= yamlWaitingMax)
        return reject(
          tooManyRequests(`too many long YAML documents wait to be read: the limit is ${yamlWaitingMax}; try again, or send JSON`, 1),
        )
      const onAbort = (): void => {
        const at = this.waiting.indexOf(job)
        if (at >= 0) this.waiting.splice(at, 1)
        reject(requestEnded(signal))
      }
      const settled = (): void => signal?.removeEventListener("abort", onAbort)
      const job: Job = {
        body,
        resolve: (read) => {
          settled()
          resolve(read)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      }
      signal?.addEventListener("abort", onAbort)
      this.waiting.push(job)
      this.next()
    })
  }

  /** Ends the thread. Refuses the current and the waiting documents with 503; the next one starts the thread again. */
  async stop(): Promise<void> {
    for (const job of this.waiting.splice(0)) job.reject(unavailable("the server is shutting down"))
    await this.end(unavailable("the server is shutting down"))
  }

  private next(): void {
    if (this.current !== undefined) return
    this.current = this.waiting.shift()
    if (this.current === undefined) this.after(this.options.idleMs ?? yamlThreadIdleMs, () => this.end(undefined))
    else void this.send(this.current)
  }

  private async send(job: Job): Promise<void> {
    const limit = this.options.timeoutMs ?? yamlReadTimeoutMs
    this.after(limit, () => this.end(tooLarge(`yaml: the document takes longer than ${limit} ms to read, which is the limit; send JSON`)))
    try {
      this.worker ??= this.start()
      const worker = await this.worker
      if (this.current === job) worker.postMessage(job.body)
    } catch (error) {
      await this.end(unavailable(`yaml: no thread to read the document: ${error instanceof Error ? error.message : String(error)}`))
    }
  }

  private async start(): Promise<Worker> {
    const memory = this.options.memoryMiB ?? yamlThreadMemoryMiB
    const worker = await startThread({ ...(this.options.thread ?? reader), resourceLimits: { maxOldGenerationSizeMb: memory } })
    // The thread does not keep the process alive; the waiting request does.
    worker.unref()
    worker.on("message", (reply: YamlReply) => this.settle(reply))
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const outOfMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY"
      const reason = outOfMemory
        ? `takes more than ${memory} MiB of memory to read, which is the limit`
        : `cannot be read: ${error.message}`
      void this.end(tooLarge(`yaml: the document ${reason}; send JSON`))
    })
    worker.on("exit", () => void this.end(unavailable("yaml: the thread that read the document has ended")))
    return worker
  }

  private settle(reply: YamlReply): void {
    const job = this.current
    this.current = undefined
    if ("json" in reply) job?.resolve(reply)
    else job?.reject(reply.code === 413 ? tooLarge(reply.message) : badRequest(reply.message))
    this.next()
  }

  /** Terminates the thread; `error` refuses its current document. */
  private async end(error: ApiError | undefined): Promise<void> {
    const { worker, current } = this
    this.worker = undefined
    this.current = undefined
    clearTimeout(this.timer)
    if (error !== undefined) current?.reject(error)
    const thread = await worker?.catch(() => undefined)
    thread?.removeAllListeners()
    // Ignores later errors of the thread.
    thread?.on("error", () => undefined)
    await thread?.terminate()
    if (this.waiting.length > 0) this.next()
  }

  private after(ms: number, act: () => Promise<void>): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void act(), ms)
    this.timer.unref()
  }
}

/** The thread of this process. */
export const yamlThread = new YamlThread()
