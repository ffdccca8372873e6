import { expect, test } from "vitest"
import { openRegistry } from "../../test/support/open-registry.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"

test("an end that another server's clock has set in the future is brought forward to now by a delete request", async () => {
  const ahead = await openRegistry({ clock: createManualClock(1_700_000_060_000) })
  const behind = await openRegistry({ store: ahead.store, clock: createManualClock(1_700_000_000_000) })
  try {
    await ahead.create("configmaps", { metadata: { name: "a", namespace: "n", finalizers: ["example.com/x"] } })
    const ends = []
    for (const server of [ahead, behind, ahead]) ends.push((await server.remove("configmaps", "n/a")).object.metadata?.deletionTimestamp)
    expect(ends).toEqual(["2023-11-14T22:14:20Z", "2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z"])
  } finally {
    await behind.close()
    await ahead.close()
  }
})
