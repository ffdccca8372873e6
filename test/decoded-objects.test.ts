/**
 * Behaviours, checks, cells and warnings read typed objects without looking whether a struct is present. They rely on
 * decoding alone, since they also see objects that no validator has accepted: objects of requests, and objects that
 * other programs stored. Whatever the shape of a kind accepts, they answer or refuse.
 */
import fc from "fast-check"
import { afterAll, beforeAll, test } from "vitest"
import { ApiError } from "../runtime/base/errors.ts"
import { Failures } from "../runtime/base/failure.ts"
import type { ApiObject, JsonObject } from "../runtime/base/json.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import type { KindHandle } from "../runtime/registry/registry.ts"
import { kinds } from "../generated/index.ts"
import { arbitraryObject } from "./support/arbitrary-objects.ts"
import { type OpenRegistry, openRegistry } from "./support/open-registry.ts"

const runs = 60

let one: OpenRegistry
beforeAll(async () => {
  one = await openRegistry()
})
afterAll(() => one.close())

/** Called with a refusal, or with a fault of the program, which it throws again. */
function allowRefusal(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

/** Calls everything synchronous of a kind on `sent` as a new object, and as an update of `before`. */
function callAll({ parts, behaviours }: KindHandle, sent: JsonObject, before: JsonObject): void {
  const { vendor } = one.registry.deps
  const stored = (): ApiObject => normalize(parts.shape, before).object
  const decoded = (): ApiObject => {
    const { object } = normalize(parts.shape, sent)
    parts.applyDefaults(object, { vendor })
    return object
  }
  for (const object of [stored(), decoded()]) {
    for (const column of parts.columns) column.value(object, { nowMs: 0, vendor })
    parts.rowConditions?.(object, { nowMs: 0, vendor })
    parts.warnings?.(object, { failures: new Failures(), vendor })
  }
  parts.validate(decoded(), { failures: new Failures(), vendor })
  for (const subresource of [undefined, "status"]) {
    const scope = { vendor, ...(subresource !== undefined && { subresource }) }
    parts.validate(decoded(), { ...scope, failures: new Failures(), old: stored() })
  }
  for (const behaviour of behaviours) {
    allowRefusal(() => behaviour.decoded?.(decoded()))
    allowRefusal(() => behaviour.prepareCreate?.(decoded(), { dryRun: false, failures: new Failures() }))
    allowRefusal(() => behaviour.prepareUpdate?.(decoded(), stored(), { dryRun: false, failures: new Failures() }))
    allowRefusal(() => behaviour.graceSeconds?.(stored(), undefined))
    allowRefusal(() => behaviour.startDeletion?.(stored()))
    allowRefusal(() => behaviour.mayRemove?.(stored()))
  }
}

test.each(kinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))("%s", async (_name, kind) => {
  const handle = await one.registry.handle(kind)
  const document = arbitraryObject(handle.parts.shape)
  callAll(handle, {}, {})
  fc.assert(
    fc.property(document, document, (sent, before) => callAll(handle, sent, before)),
    { numRuns: runs },
  )
})
