/** All steps of a write between decoding and commit, one at a time, each with an object of the requested size. */
import { applyConfiguration } from "../../runtime/apply/managed-fields/apply.ts"
import { trackUpdate } from "../../runtime/apply/managed-fields/track-update.ts"
import type { Versions } from "../../runtime/apply/managed-fields/versions.ts"
import { ApiError } from "../../runtime/base/errors.ts"
import { type Failure, Failures } from "../../runtime/base/failure.ts"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import { createObject } from "../../runtime/registry/create.ts"
import { deleteObject } from "../../runtime/registry/delete.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "../../runtime/registry/object-meta.ts"
import { versionsOf } from "../../runtime/registry/managed-fields.ts"
import type { KindHandle, Registry } from "../../runtime/registry/registry.ts"
import { updateObject } from "../../runtime/registry/update.ts"
import { writeAttributes } from "../support/write-attributes.ts"
import { tableRow } from "../../runtime/wire/table.ts"

/** Continues where validation would stop: code after the last reported failure must not be slow either. */
class AllFailures extends Failures {
  override get full(): boolean {
    return false
  }

  override add(failure: Failure): void {
    this.list.push(failure)
  }
}

/** An object as a client would send it, and its former state: its lists in another order. */
export interface Sizes {
  readonly object: ApiObject
  readonly before: ApiObject
  /** Items in each of its lists. */
  readonly count: number
}

export interface Operation {
  readonly name: string
  /** Prepares everything and returns the function to measure; only that is counted. */
  prepare(sizes: Sizes): Promise<() => unknown>
}

export interface KindUnderTest {
  readonly registry: Registry
  readonly handle: KindHandle
  readonly namespace: string
}

const decodedBefore = new WeakMap<JsonObject, ApiObject>()

/** Decodes an object as a request's body; decoded once, then copied. */
export function decoded(under: KindUnderTest, sent: JsonObject): ApiObject {
  let object = decodedBefore.get(sent)
  if (object === undefined) {
    object = decodedAnew(under, sent)
    decodedBefore.set(sent, object)
  }
  return structuredClone(object)
}

export function decodedAnew({ registry, handle }: KindUnderTest, sent: JsonObject): ApiObject {
  const { object } = normalize(handle.parts.shape, structuredClone(sent))
  const whole: ApiObject = { ...object, kind: handle.kind.kind, apiVersion: handle.apiVersion }
  handle.parts.applyDefaults(whole, { vendor: registry.deps.vendor })
  return whole
}

/** The failures of an object; `old` is absent on creation. `every`: also failures beyond the limit of a response. */
export function faultsOf(under: KindUnderTest, object: ApiObject, old?: ApiObject, every = false): readonly Failure[] {
  const { handle, registry } = under
  const failures = every ? new AllFailures() : new Failures()
  const { namespaced, nameRule } = handle.kind
  const options = { namespaced, nameRule, failures }
  if (old === undefined) validateObjectMeta(object.metadata ?? {}, options)
  else validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, { options, isOfKind: true })
  handle.parts.validate(object, { failures, vendor: registry.deps.vendor, ...(old !== undefined && { old }) })
  return failures.list
}

function prepared({ handle }: KindUnderTest, object: ApiObject, old?: ApiObject): void {
  const context = { failures: new Failures(), dryRun: true }
  for (const behaviour of handle.behaviours) {
    behaviour.decoded?.(object)
    if (old === undefined) behaviour.prepareCreate?.(object, context)
    else behaviour.prepareUpdate?.(object, old, context)
  }
}

async function ignoringFaults(run: Promise<unknown>): Promise<void> {
  try {
    await run
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

export async function operationsOf(under: KindUnderTest): Promise<Operation[]> {
  const versions = await versionsOf(under.registry, under.handle, "")
  return [
    decoding(under),
    judging(under, "creation"),
    judging(under, "update"),
    showing(under),
    creating(under),
    updating(under),
    tracking(under, versions),
    ...applying(under, versions),
  ]
}

function decoding(under: KindUnderTest): Operation {
  return {
    name: "decoding and defaults",
    prepare:
      async ({ object }) =>
      () =>
        decoded(under, object),
  }
}

function judging(under: KindUnderTest, on: "creation" | "update"): Operation {
  return {
    name: `preparation and rules on ${on}`,
    prepare: async ({ object, before }) => {
      const [next, old] = [decoded(under, object), on === "update" ? decoded(under, before) : undefined]
      const judged = structuredClone(next)
      return () => {
        faultsOf(under, judged, old, true)
        prepared(under, next, old)
      }
    },
  }
}

function showing(under: KindUnderTest): Operation {
  const { handle, registry } = under
  const { columns, rowConditions, warnings } = handle.parts
  const { vendor } = registry.deps
  return {
    name: "warnings and the row of a Table",
    prepare: async ({ object, before }) => {
      const [next, old] = [decoded(under, object), decoded(under, before)]
      next.metadata = { ...next.metadata, generation: 2 }
      return () => {
        warnings?.(next, { failures: new Failures(), vendor })
        warnings?.(next, { failures: new Failures(), vendor, old })
        tableRow(next, {
          vendor,
          version: "v1",
          columns,
          includeObject: "None",
          nowMs: 0,
          ...(rowConditions !== undefined && { rowConditions }),
        })
      }
    },
  }
}

function creating(under: KindUnderTest): Operation {
  const { registry, handle, namespace } = under
  return {
    name: "creation",
    prepare: async ({ object }) => {
      const next = decoded(under, object)
      return () =>
        ignoringFaults(
          createObject(registry, handle, {
            attributes: writeAttributes("CREATE", handle, { namespace, dryRun: true, manager: "m" }),
            object: next,
            managedFields: "tracked",
          }),
        )
    },
  }
}

let stored = 0

/** Only updates, one at a time, of objects that can be stored: services allocate numbers, which others would lack. */
function updating(under: KindUnderTest): Operation {
  const { registry, handle, namespace } = under
  let latest: string | undefined
  return {
    name: "update",
    prepare: async ({ object, before }) => {
      if (latest !== undefined)
        await ignoringFaults(
          deleteObject(registry, handle, {
            attributes: writeAttributes("DELETE", handle, { namespace, name: latest }),
            gracePeriodSeconds: 0,
          }),
        )
      const name = `stored-${stored++}`
      latest = name
      const named = (one: ApiObject): ApiObject => {
        const object = decoded(under, one)
        return { ...object, metadata: { ...object.metadata, name } }
      }
      try {
        await createObject(registry, handle, {
          attributes: writeAttributes("CREATE", handle, { namespace, manager: "m" }),
          object: named(before),
          managedFields: "tracked",
        })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return () => undefined
      }
      const next = named(object)
      const transform = (): ApiObject => next
      return () =>
        ignoringFaults(
          updateObject(registry, handle, {
            attributes: writeAttributes("UPDATE", handle, { namespace, name, dryRun: true, manager: "other" }),
            transform,
            put: true,
            managedFields: "tracked",
          }),
        )
    },
  }
}

const now = "2026-01-02T03:04:05Z"

function owned(under: KindUnderTest, versions: Versions, sent: ApiObject): ApiObject {
  const object = decoded(under, sent)
  const managedFields = trackUpdate({ versions, next: object, manager: "m", subresource: "", now })
  return { ...object, metadata: { ...object.metadata, ...(managedFields !== undefined && { managedFields }) } }
}

function tracking(under: KindUnderTest, versions: Versions): Operation {
  return {
    name: "owners after an update",
    prepare: async ({ object, before }) => {
      const [next, old] = [decoded(under, object), owned(under, versions, before)]
      next.metadata = {
        ...next.metadata,
        ...(next.metadata?.managedFields === undefined && { managedFields: old.metadata?.managedFields ?? [] }),
      }
      return () => trackUpdate({ versions, old, next, manager: "other", subresource: "", now })
    },
  }
}

function applying(under: KindUnderTest, versions: Versions): Operation[] {
  return [true, false].map((force) => ({
    name: force ? "apply by force" : "apply",
    prepare: async ({ object, before }) => {
      const live = owned(under, versions, before)
      const { metadata, ...rest } = object
      const { managedFields: _sent, ...kept } = metadata ?? {}
      const config: JsonObject = {
        ...structuredClone(rest),
        kind: under.handle.kind.kind,
        apiVersion: under.handle.apiVersion,
        metadata: kept,
      }
      const apply = { versions, config, force, manager: "applier", subresource: "", now, lastAppliedAnnotation: "last" }
      return async () => {
        await ignoringFaults(Promise.resolve().then(() => applyConfiguration({ ...apply, live })))
        await ignoringFaults(
          Promise.resolve().then(() => {
            const first = applyConfiguration({ ...apply, live, force: true })
            applyConfiguration({
              ...apply,
              live: first,
              config: { kind: config.kind ?? "", apiVersion: config.apiVersion ?? "", metadata: { name: "n" } },
            })
          }),
        )
      }
    },
  }))
}
