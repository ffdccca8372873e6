/**
 * How many events per second does the cache take in and deliver, at 0, 100 and 1,000 watchers of everything, and when
 * the same watchers watch 1,000 other namespaces?
 * Run: node --import tsx bench/cache-fan-out.ts
 */
import { systemClock } from "../runtime/base/clock.ts"
import { openCache } from "../runtime/storage/watch-cache/watch-cache.ts"
import { codec, keyOf, syntheticStore, valueOf } from "./support/cache-fixtures.ts"

const count = 10_000
const values = Array.from({ length: 1000 }, (_, index) => valueOf(index, 1))

for (const { watchers, scope } of [
  { watchers: 0, scope: "all" },
  { watchers: 100, scope: "all" },
  { watchers: 1000, scope: "all" },
  { watchers: 1000, scope: "other namespaces" },
]) {
  const store = syntheticStore(count)
  const cache = openCache({ store, prefix: "/registry/", clock: systemClock })
  const resource = cache.resource("configmaps", codec)
  await resource.ready
  let delivered = 0
  let frames = 0
  let revision = count + 1
  for (let watcher = 0; watcher < watchers; watcher++) {
    resource.subscribe({
      prefix: scope === "all" ? "" : `elsewhere-${watcher}/`,
      afterRevision: revision,
      onEvents(events) {
        for (const event of events) {
          delivered++
          event.object.derived("frame", () => {
            frames++
            return event.object.json()
          })
        }
      },
      onEnd: () => undefined,
    })
  }
  const events = watchers === 1000 && scope === "all" ? 5000 : 50_000
  const start = performance.now()
  for (let index = 0; index < events; index++) {
    revision++
    store.emit(
      [{ type: "put", key: keyOf((index * 7919) % count), revision, value: values[index % 1000] ?? Buffer.alloc(0), createRevision: 2 }],
      revision,
    )
  }
  const seconds = (performance.now() - start) / 1000
  console.log(
    JSON.stringify({
      watchers,
      scope,
      eventsPerSecond: Math.round(events / seconds),
      deliveriesPerSecond: Math.round(delivered / seconds),
      framesPerEvent: frames / events,
    }),
  )
  await cache.close()
}
