/**
 * How long do a snapshot, a walk over 10,000 objects, a page of 500 at the beginning and near the end, and a page of a
 * past state take?
 * Run: node --import tsx bench/cache-reads.ts
 */
import { systemClock } from "../runtime/base/clock.ts"
import { openCache } from "../runtime/storage/watch-cache/watch-cache.ts"
import { bestOf, codec, keyOf, syntheticStore, valueOf } from "./support/cache-fixtures.ts"

const count = 10_000
const store = syntheticStore(count)
const cache = openCache({ store, prefix: "/registry/", clock: systemClock })
const resource = cache.resource("configmaps", codec)
await resource.ready
for (const object of resource.snapshot().entries({ prefix: "" })) object.json()

let bytes = 0
const walkMs = bestOf(50, () => {
  bytes = 0
  for (const object of resource.snapshot().entries({ prefix: "" })) bytes += object.modRevision
})
const jsonMs = bestOf(50, () => {
  bytes = 0
  for (const object of resource.snapshot().entries({ prefix: "" })) bytes += object.json().byteLength
})
const snapshotUs = bestOf(50, () => {
  for (let index = 0; index < 1000; index++) resource.snapshot()
})
const countUs = bestOf(50, () => {
  for (let index = 0; index < 100; index++) resource.snapshot().count({ prefix: "namespace-1/" })
})
const labelsMs = bestOf(20, () => {
  for (const object of resource.snapshot().entries({ prefix: "" })) object.labels()
})

const sortedKeys = Array.from(resource.snapshot().entries({ prefix: "" }), ({ key }) => key)
const pageUs = [0, 0.5, 0.9].map((share) => {
  const startAfter = sortedKeys[Math.floor(count * share)] ?? ""
  const ms = bestOf(200, () => {
    let left = 500
    for (const object of resource.snapshot().entries({ prefix: "", startAfter })) if (object.json().byteLength === 0 || --left === 0) break
  })
  return round(ms * 1000)
})

let revision = count + 1
const writes = 5000
for (let index = 0; index < writes; index++) {
  revision++
  store.emit([{ type: "put", key: keyOf((index * 7919) % count), revision, value: valueOf(index, 1), createRevision: 2 }], revision)
}
const start = performance.now()
let asked = 0
for (let past = revision - writes; past < revision; past += 50) {
  await resource.snapshotAt(past)
  asked++
}
const pastMs = (performance.now() - start) / asked
console.log(
  JSON.stringify({
    objects: count,
    megabytes: Math.round(bytes / 1e5) / 10,
    walkMs: round(walkMs),
    walkWithJsonMs: round(jsonMs),
    labelsMs: round(labelsMs),
  }),
)
console.log(JSON.stringify({ pageOf500Us: { atStart: pageUs[0], inTheMiddle: pageUs[1], nearTheEnd: pageUs[2] } }))
console.log(JSON.stringify({ snapshotUs: round(snapshotUs), countOfNamespaceUs: round(countUs * 10), pastStateMs: round(pastMs) }))
await cache.close()

function round(value: number): number {
  return Math.round(value * 100) / 100
}
