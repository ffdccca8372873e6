/**
 * The generated guards (`isPod`, `isLease`) under both vendors, whose groups have different names on the wire: they
 * hold for a server's objects of their kind, decoded from JSON or from protobuf, and for nothing else.
 */
import { expect, onTestFinished, test } from "vitest"
import { kinds } from "../generated/index.ts"
import { fileNameOf } from "../codegen/new.ts"
import type { ApiObject } from "../runtime/base/json.ts"
import { type VendorName, vendorProfile } from "../runtime/base/vendor.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import { codecOfKind, unwrapUnknown } from "../runtime/encoding/protobuf/codec.ts"
import type { Kind } from "../runtime/schema/kind.ts"
import { createHttpClient } from "./support/http-client.ts"
import { everyVersion, startInProcess } from "./support/in-process.ts"
import { leastObjects } from "./support/least-objects.ts"

type Guard = (object: ApiObject) => boolean

/** The guard of a kind, from the file that the generator writes for it. */
async function guardOf({ group, version, kind }: Kind): Promise<Guard> {
  const types: Record<string, Guard | undefined> = await import(
    `../generated/${group === "" ? "core" : group}/${version}/${fileNameOf(kind)}/types.ts`
  )
  const guard = types[`is${kind}`]
  if (guard === undefined) throw new Error(`there is no guard for ${kind}`)
  return guard
}

test.each<VendorName>(["orch", "kubernetes"])("guards hold for what a server of vendor %s returns", async (name) => {
  const at = await startInProcess({ store: "memory", vendor: name, ...everyVersion })
  onTestFinished(at.stop)
  const client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  onTestFinished(() => client.close())
  const vendor = vendorProfile(name)
  const creatable = kinds.filter(({ served, verbs }) => served !== false && verbs.includes("create") && verbs.includes("get"))
  expect(creatable.length).toBeGreaterThan(11)
  const guards = new Map(await Promise.all(kinds.map(async (kind) => [kind, await guardOf(kind)] as const)))
  for (const kind of creatable) {
    const { group, version } = kind
    const root = group === "" ? `/api/${version}` : `/apis/${vendor.group(group)}/${version}`
    const collection = `${root}/${kind.namespaced ? "namespaces/default/" : ""}${kind.resource}`
    const more = leastObjects[kind.kind === "Event" ? `${group === "" ? "v1" : "events"} Event` : kind.kind]
    const body = Buffer.from(JSON.stringify({ metadata: { name: `a-${group === "" ? "core" : "other"}-${version}` }, ...more }))
    const authorization = `Bearer ${at.token}`
    const made = await client.send({
      method: "POST",
      path: collection,
      headers: { authorization, "content-type": "application/json" },
      body,
    })
    expect([made.status, made.status === 201 ? "" : made.body.toString()]).toEqual([201, ""])
    const json: ApiObject = JSON.parse(made.body.toString())
    expect(json.apiVersion).toBe(vendor.apiVersion(group === "" ? version : `${group}/${version}`))
    expect(holding(guards, json)).toEqual([kind])
    if (kind.storage.format === "json") continue
    const path = `${collection}/${json.metadata?.name}`
    const read = await client.send({ method: "GET", path, headers: { authorization, accept: vendor.compactMediaType } })
    const { apiVersion, kind: word, raw } = unwrapUnknown(read.body)
    const parts = await kind.load()
    const { object: compact } = normalize(parts.shape, { apiVersion, kind: word, ...codecOfKind(parts).decode(raw) })
    expect(holding(guards, compact)).toEqual([kind])
  }
})

/** The kinds whose guards hold for the object. */
function holding(guards: ReadonlyMap<Kind, Guard>, object: ApiObject): readonly Kind[] {
  return [...guards].filter(([, guard]) => guard(object)).map(([kind]) => kind)
}
