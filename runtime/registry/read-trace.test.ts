/** The steps that reads add to the trace of a request, which audit records. */
import { afterEach, expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import type { ApiObject } from "../base/json.ts"
import { TimedTrace } from "../base/trace.ts"
import { listObjects, type ListRequest } from "./read.ts"
import type { KindHandle } from "./registry.ts"
import { VersionConversion } from "./version-conversion.ts"

let opened: OpenRegistry | undefined
afterEach(() => opened?.close())

test("the objects of a list are decoded while another server converts them, selected ones too", async () => {
  opened = await openRegistry()
  for (const name of ["a", "b"]) await opened.create("configmaps", { metadata: { name, namespace: "n" }, data: { k: "v" } })
  const { registry } = opened
  const handle = await opened.handle("configmaps")
  const clock = createManualClock()
  let lists = 0
  const list = async (more: Partial<ListRequest>): Promise<unknown> => {
    const trace = new TimedTrace(clock)
    const request = { namespace: "n", freshness: { mode: "any" }, limit: 0, continueToken: "", tokenScope: "", trace } as const
    // Objects converted to a version are kept for a while.
    const conversion = convertingIn(40, clock, { handle, to: `v${++lists + 1}` })
    const page = await listObjects(registry, { ...handle, conversion }, { ...request, ...more })
    return { items: [...page.items].length, trace: trace.until(clock.elapsedMs()) }
  }
  expect(await list({})).toEqual({ items: 2, trace: [["decode-response-object", 40]] })
  expect(await list({ filter: () => true })).toEqual({ items: 2, trace: [["decode-response-object", 40]] })
  expect(await list({ filter: () => false, count: true })).toEqual({ items: 0, trace: [["decode-response-object", 40]] })
})

/** Returns a conversion that takes `ms` milliseconds. */
function convertingIn(
  ms: number,
  clock: ReturnType<typeof createManualClock>,
  { handle: { codec }, to }: { handle: KindHandle; to: string },
): VersionConversion {
  const version = (apiVersion: string) => ({ apiVersion, kind: "ConfigMap", normalize: (object: ApiObject) => object })
  return new VersionConversion({
    own: version(to),
    stored: version("v1"),
    convert: async (objects, apiVersion) => {
      await Promise.resolve()
      clock.advance(ms)
      return objects.map((object) => ({ ...object, apiVersion }))
    },
    codec,
    clock,
    known: new Map(),
  })
}
