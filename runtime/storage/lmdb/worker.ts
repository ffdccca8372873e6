/**
 * The storage worker: the one thread that writes, so that waiting for the disk never blocks the event loop. Bundled as
 * an entry of its own.
 */
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { assert } from "../../base/assert.ts"
import { createEngine, type Engine } from "./engine.ts"
import { dataFile, type Environment, openEnvironment, storeErrorOf } from "./environment.ts"
import { createPreallocation, type Preallocation } from "./preallocate.ts"
import { usedFileBytes } from "./measure.ts"
import type { OpenRequest, WorkerReply, WorkerRequest } from "./worker-protocol.ts"
import { WriteGate } from "./write-gate.ts"

assert(parentPort !== null, "the storage worker runs in a worker thread")
const port = parentPort
assert(workerData instanceof SharedArrayBuffer, "the storage worker gets the word of its gate")
const gate = new WriteGate(workerData)

/** State of the worker, opened by the first request. */
interface Opened {
  readonly dir: string
  readonly environment: Environment
  readonly engine: Engine
  readonly headroom: Preallocation
}

let opened: Opened | undefined

port.on("message", (request: WorkerRequest) => {
  const reply = gate.within(() => answer(request)) ?? ending
  port.postMessage(reply, reply.type === "committed" ? [reply.results] : [])
  if (reply.type === "committed" && request.type === "commit") opened?.headroom.committed(request.length)
  if (request.type === "close") port.close()
})

/** The reply is not read any more: the process is about to end. */
const ending: WorkerReply = { type: "failed", code: "unavailable", message: "the process is ending" }

function answer(request: WorkerRequest): WorkerReply {
  if (request.type === "open") return attempt(request.dir, () => open(request))
  if (request.type === "close") return close()
  assert(opened !== undefined, "the first request opens the environment")
  const parts = opened
  return attempt(parts.dir, () => perform(request, parts))
}

function attempt(dir: string, work: () => WorkerReply): WorkerReply {
  try {
    return work()
  } catch (error) {
    const { code, message } = storeErrorOf(error, dir)
    return { type: "failed", code, message }
  }
}

function open({ dir, mapSize }: OpenRequest): WorkerReply {
  const environment = openEnvironment({ dir, ...(mapSize !== undefined && { mapSize }) })
  const headroom = createPreallocation({ path: join(dir, dataFile), usedBytes: () => usedFileBytes(environment) })
  opened = { dir, environment, engine: createEngine(environment), headroom }
  return { type: "done" }
}

function close(): WorkerReply {
  opened?.headroom.stop()
  void opened?.environment.root.close()
  return { type: "done" }
}

function perform(request: Exclude<WorkerRequest, { type: "open" | "close" }>, { engine }: Opened): WorkerReply {
  switch (request.type) {
    case "commit": {
      const { results, revision } = engine.apply(Buffer.from(request.batch, 0, request.length))
      return { type: "committed", results: results.bytes.buffer, revision }
    }
    case "compact":
      engine.compact(request.revision)
      return { type: "done" }
    case "sweep":
      return { type: "swept", all: engine.sweep() }
    case "try-room":
      engine.tryRoom(request.bytes)
      return { type: "done" }
  }
}
