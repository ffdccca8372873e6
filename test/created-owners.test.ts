/**
 * The creator of an object of any kind owns the fields that the general comparison with an empty object finds: the fast
 * path gives the same bytes.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { kinds } from "../generated/index.ts"
import { encodeEntries } from "../runtime/apply/managed-fields/entry.ts"
import { entriesAfterUpdate, trackUpdate } from "../runtime/apply/managed-fields/track-update.ts"
import type { Versions } from "../runtime/apply/managed-fields/versions.ts"
import { stringify } from "../runtime/encoding/json/text.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import { vendorProfile } from "../runtime/base/vendor.ts"
import { arbitraryObject } from "./support/arbitrary-objects.ts"

const runs = Number(process.env.OWNERS_RUNS ?? 100)

describe.each(kinds.map((kind) => [`${kind.group === "" ? "core" : kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
  "%s",
  (_, kind) => {
    it.each([{}, { "f:status": {} }])("is owned by its creator, except %o", async (reset) => {
      const parts = await kind.load()
      const { shape } = parts
      const same = <Value>(object: Value): Value => object
      const versions: Versions = { current: { apiVersion: "v1", shape, reset, toStored: same, fromStored: same }, find: () => undefined }
      const property = fc.property(arbitraryObject(shape), (document) => {
        const next = normalize(shape, { kind: kind.kind, apiVersion: "v1", ...document }).object
        parts.applyDefaults(next, { vendor: vendorProfile("orch") })
        delete next.metadata?.managedFields
        const update = { versions, next, manager: "creator", subresource: "", now: "2026-01-02T03:04:05Z" }
        expect(stringify(trackUpdate(update) ?? null)).toBe(stringify(encodeEntries(entriesAfterUpdate(update, [])) ?? null))
      })
      fc.assert(property, { numRuns: runs })
    })
  },
)
