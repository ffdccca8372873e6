/** Starts the storage worker, from built code or from sources, and exchanges messages with it. */
import { startThread } from "../../base/thread.ts"
import { StoreError } from "../store.ts"
import type { WorkerReply, WorkerRequest } from "./worker-protocol.ts"
import { guardExit, newGateWord } from "./write-gate.ts"

type Success = Exclude<WorkerReply, { type: "failed" }>

interface PendingRequest {
  readonly type: WorkerRequest["type"]
  resolve(reply: Success): void
  reject(error: StoreError): void
}

export interface WorkerLink {
  /**
   * Sends at once; replies arrive in the order of the requests. Rejects with StoreError when the worker refuses or has
   * ended: "undecided" for a commit that it received and did not answer.
   */
  request(request: WorkerRequest): Promise<Success>
  /** Lets the thread finish its requests, and resolves once it has ended. Later requests are rejected. */
  stop(): Promise<void>
}

const thread = { source: new URL("worker.ts", import.meta.url), bundle: "lmdb-worker.js" }

/**
 * Resolves once the thread loads its code; its first request is `open`. `onLost` is called when the thread ends without
 * a call of `stop`. Tests pass `spawn`.
 */
export async function startWorker(
  onLost: (error: StoreError) => void,
  spawn = (workerData: SharedArrayBuffer) => startThread({ ...thread, workerData }),
): Promise<WorkerLink> {
  const word = newGateWord()
  const worker = await spawn(word)
  const release = guardExit(word)
  const waiting: PendingRequest[] = []
  let stopping = false
  function failAll(reason: string): void {
    const error = new StoreError("unavailable", `the storage worker ${reason}`)
    for (const { reject, type } of waiting.splice(0)) reject(type === "commit" ? new StoreError("undecided", error.message) : error)
    if (!stopping) onLost(error)
    stopping = true
  }
  worker.on("message", (reply: WorkerReply) => {
    const next = waiting.shift()
    // An idle thread must not keep the process alive. A thread that is stopping does, until it has ended.
    if (waiting.length === 0 && !stopping) worker.unref()
    if (reply.type === "failed") next?.reject(new StoreError(reply.code, reply.message))
    else next?.resolve(reply)
  })
  worker.on("error", (error) => failAll(`failed: ${error.message}`))
  const exited = new Promise<void>((resolve) =>
    worker.once("exit", () => {
      release()
      failAll("has ended")
      resolve()
    }),
  )
  return {
    request(request) {
      if (stopping) return Promise.reject(new StoreError("unavailable", "the storage worker has ended"))
      if (waiting.length === 0) worker.ref()
      worker.postMessage(request, request.type === "commit" ? [request.batch] : [])
      return new Promise((resolve, reject) => waiting.push({ type: request.type, resolve, reject }))
    },
    async stop() {
      stopping = true
      worker.ref()
      // Never terminated: see `write-gate.ts`.
      worker.postMessage({ type: "close" } satisfies WorkerRequest)
      await exited
    },
  }
}
