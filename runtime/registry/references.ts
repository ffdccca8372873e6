/**
 * Looks up the objects that a written object refers to (`references` in schemas). The check is made at admission alone:
 * an object that is deleted afterwards, or between the look-up and the commit, leaves a dangling reference.
 */
import { ApiError } from "../base/errors.ts"
import type { ExpectedObject, Failures } from "../base/failure.ts"
import type { Trace } from "../base/trace.ts"
import { getObject } from "./read.ts"
import type { Registry } from "./registry.ts"

/**
 * Called after the validation of each write, dry runs included. Adds a failure for each name without an object. Returns
 * undefined if validation noted no references, as for most kinds. An object that is in the watch cache costs one
 * look-up in memory; before a missing one is reported, the newest state is read, since another server may have created
 * it.
 */
export function checkReferences(registry: Registry, failures: Failures, trace: Trace): undefined | Promise<void> {
  const expected = failures.takeExpected()
  return expected === undefined ? undefined : checkExpected({ registry, trace }, expected, failures)
}

async function checkExpected(reading: Reading, expected: readonly ExpectedObject[], failures: Failures): Promise<void> {
  const found = await Promise.all(expected.map(({ object }) => exists(reading, object)))
  for (const [index, { failure }] of expected.entries()) if (found[index] !== true) failures.add(failure)
}

interface Reading {
  readonly registry: Registry
  readonly trace: Trace
}

async function exists({ registry, trace }: Reading, { target, namespace, name }: ExpectedObject["object"]): Promise<boolean> {
  const kind = registry.deps.kinds.findKind(target.group, target.version, target.kind)
  // A slash would make the name part of another key.
  if (kind === undefined || name.includes("/") || namespace.includes("/")) return false
  const within = kind.namespaced ? namespace : ""
  if (kind.namespaced && within === "") return false
  const handle = registry.opened(kind) ?? (await registry.handle(kind))
  if (!handle.cache.readsStore && handle.cache.get(handle.key(within, name)) !== undefined) return true
  try {
    await getObject(registry, handle, { namespace: within, name, freshness: { mode: "most-recent" }, trace })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return false
    throw error
  }
}
