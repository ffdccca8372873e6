/**
 * How much memory does an object cost in the watch cache, and does it grow when all objects are rewritten?
 * Run: node --expose-gc --import tsx bench/cache-memory.ts [objects]
 */
import { systemClock } from "../runtime/base/clock.ts"
import type { StoreEvent } from "../runtime/storage/store.ts"
import { openCache } from "../runtime/storage/watch-cache/watch-cache.ts"
import { codec, keyOf, syntheticStore, valueOf } from "./support/cache-fixtures.ts"

const count = Number(process.argv.slice(2).find((word) => !word.startsWith("--")) ?? 100_000)
const store = syntheticStore(count)
await store.list({ prefix: "", limit: 1000 })
growYoungGeneration()
const before = memory()

const cache = openCache({ store, prefix: "/registry/", clock: systemClock, limits: { windowBytes: 8 * 1024 * 1024 } })
const resource = cache.resource("configmaps", codec)
const start = performance.now()
await resource.ready
const fillMs = performance.now() - start
const filled = memory()

let wireBytes = 0
const listed = performance.now()
for (const object of resource.snapshot().entries({ prefix: "" })) wireBytes += object.json().byteLength
const firstListMs = performance.now() - listed
const withJson = memory()

let revision = count + 1
let value: Buffer | undefined
for (let index = 0; index < count; index++) {
  value = valueOf(index, 1)
  revision++
  const event: StoreEvent = { type: "put", key: keyOf(index), revision, value, createRevision: index + 2 }
  store.emit([event], revision)
  resource.get(keyOf(index))?.json()
}
const rewritten = memory()

console.log(
  JSON.stringify({ objects: count, wireMB: megabytes(wireBytes), fillMs: Math.round(fillMs), firstListMs: Math.round(firstListMs) }),
)
console.log(JSON.stringify({ afterFill: show(filled), afterFirstList: show(withJson), afterRewritingAll: show(rewritten) }))
await cache.close()

/**
 * Any server that has worked for a while has a young generation of the maximum size; that memory is not the cache's.
 */
function growYoungGeneration(): void {
  for (let round = 0; round < 8; round++) {
    const survivors = Array.from({ length: 200_000 }, (_, index) => ({ index, round }))
    if (survivors.length === 0) return
  }
}

/**
 * Resident memory, and allocated memory that was not freed. The allocator keeps memory that reading and decoding needed
 * briefly. Regions of slabs count completely as allocated, although only their written part is resident.
 */
interface Memory {
  readonly resident: number
  readonly live: number
}

function memory(): Memory {
  for (let round = 0; round < 5; round++) globalThis.gc?.()
  const { arrayBuffers, heapUsed, rss } = process.memoryUsage()
  return { resident: rss, live: arrayBuffers + heapUsed }
}

function show(now: Memory): string {
  const times = (bytes: number): string => `${megabytes(bytes)} MB = ${(bytes / wireBytes).toFixed(2)} x wire`
  return `live ${times(now.live - before.live)}, resident ${times(now.resident - before.resident)}`
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10
}
