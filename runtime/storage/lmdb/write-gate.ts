/**
 * Keeps the process from ending while the storage worker is inside a transaction. When a process exits, node terminates
 * its threads wherever they are, and waits for each to release what it holds. A thread that was inside a transaction
 * then waits for LMDB's lock, which it holds itself, and the process never ends.
 *
 * So the worker passes a gate for each request, and a process that ends shuts the gate: it waits for the request in
 * progress, and the worker begins no other. This holds for every exit of the process, also an exit that a program which
 * uses the library calls.
 */
import { workerEndMs } from "../../base/stop-limits.ts"
import { killProcess } from "../../base/kill-process.ts"

const open = 0
const writing = 1
const shut = 2

/** Called once per worker: the memory that it shares with the main thread. */
export function newGateWord(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
}

/** Both threads have one, over the same word. */
export class WriteGate {
  private readonly word: Int32Array

  constructor(shared: SharedArrayBuffer) {
    this.word = new Int32Array(shared)
  }

  /** The worker's side: does the work, or returns undefined if the process is ending. */
  within<T>(work: () => T): T | undefined {
    if (Atomics.compareExchange(this.word, 0, open, writing) !== open) return undefined
    try {
      return work()
    } finally {
      Atomics.store(this.word, 0, open)
      Atomics.notify(this.word, 0)
    }
  }

  /** Blocks this thread until the worker is idle and cannot begin. False if that takes longer than `waitMs`. */
  shut(waitMs: number): boolean {
    const endMs = performance.now() + waitMs
    while (Atomics.compareExchange(this.word, 0, open, shut) === writing) {
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) return false
      Atomics.wait(this.word, 0, writing, leftMs)
    }
    return true
  }
}

/** The gates of the running workers. */
const gates = new Set<WriteGate>()

/** Called when a worker starts. The returned function is called when the worker has ended. */
export function guardExit(word: SharedArrayBuffer): () => void {
  const gate = new WriteGate(word)
  if (gates.size === 0) process.on("exit", onExit)
  gates.add(gate)
  return () => {
    gates.delete(gate)
    if (gates.size === 0) process.off("exit", onExit)
  }
}

function onExit(): void {
  shutAll(gates, workerEndMs, killProcess)
}

/** Exported for tests. `kill`: ends the process when a worker does not finish, since it would never end by itself. */
export function shutAll(all: Iterable<Pick<WriteGate, "shut">>, waitMs: number, kill: (why: string) => void): void {
  for (const gate of all) {
    if (gate.shut(waitMs)) continue
    return kill(`the thread of the store has not finished a transaction for ${waitMs / 1000} s`)
  }
}
