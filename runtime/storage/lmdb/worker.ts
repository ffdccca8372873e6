/**
 * The storage worker: the one thread that writes, so that waiting for the disk never blocks the event loop. Bundled as
 * an entry of its own.
 */
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { assert } from "../../base/assert.ts"
import { createEngine } from "./engine.ts"
import { dataFile, openEnvironment, storeErrorOf } from "./environment.ts"
import { createPreallocation } from "./preallocate.ts"
import { usedFileBytes } from "./measure.ts"
import type { WorkerData, WorkerReply, WorkerRequest } from "./worker-protocol.ts"

assert(parentPort !== null, "the storage worker runs in a worker thread")
const port = parentPort
const { dir, mapSize }: WorkerData = workerData
const environment = openEnvironment({ dir, ...(mapSize !== undefined && { mapSize }) })
const engine = createEngine(environment)
const headroom = createPreallocation({ path: join(dir, dataFile), usedBytes: () => usedFileBytes(environment) })

port.on("message", (request: WorkerRequest) => {
  const reply = answer(request)
  port.postMessage(reply, reply.type === "committed" ? [reply.results] : [])
  if (reply.type === "committed" && request.type === "commit") headroom.committed(request.length)
  if (request.type === "close") port.close()
})
port.postMessage({ type: "done" } satisfies WorkerReply)

function answer(request: WorkerRequest): WorkerReply {
  try {
    return perform(request)
  } catch (error) {
    const { code, message } = storeErrorOf(error, dir)
    return { type: "failed", code, message }
  }
}

function perform(request: WorkerRequest): WorkerReply {
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
    case "close":
      headroom.stop()
      void environment.root.close()
      return { type: "done" }
  }
}
