/**
 * Turns the propagation policy of a delete request into the finalizers that the garbage collector acts on; catalog
 * resources.yaml: deletion.propagation.
 */
import type { Failure } from "../base/failure.ts"
import type { ObjectMeta } from "../base/json.ts"
import type { KindHandle, Registry } from "./registry.ts"

/** The values in DeleteOptions. */
export type PropagationPolicy = "Orphan" | "Background" | "Foreground"

/** The options of a delete request about dependents. */
export interface Propagation {
  readonly propagationPolicy?: PropagationPolicy | undefined
  /** Deprecated form of Orphan and Background. */
  readonly orphanDependents?: boolean | undefined
}

/** Keeps the object until no dependent refers to it. */
export const orphanFinalizer = "orphan"
/** Keeps the object until the dependents that block its deletion are gone. */
export const foregroundFinalizer = "foregroundDeletion"

type ResolvedPropagation = "orphan" | "foreground" | "background"

/**
 * The finalizers of an object after a delete request: as the request asks, else as the object already has, else the
 * default of the kind. Returns the same array if nothing changes, so that its order stays.
 */
export function finalizersFor(
  registry: Registry,
  handle: KindHandle,
  request: Propagation,
  { finalizers = [] }: ObjectMeta,
): readonly string[] {
  const defaultPropagation = handle.kind.rules.defaultPropagation
  if (defaultPropagation === "unsupported" || registry.deps.garbageCollector === false) return finalizers
  const propagation = requestedPropagation(request) ?? currentPropagation(finalizers) ?? defaultPropagation
  const next = finalizers.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  if (propagation === "orphan") next.push(orphanFinalizer)
  if (propagation === "foreground") next.push(foregroundFinalizer)
  return sameMembers(next, finalizers) ? finalizers : next
}

function requestedPropagation({ orphanDependents, propagationPolicy }: Propagation): ResolvedPropagation | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? "orphan" : "background"
  switch (propagationPolicy) {
    case "Orphan":
      return "orphan"
    case "Foreground":
      return "foreground"
    case "Background":
      return "background"
    case undefined:
      return undefined
  }
}

function currentPropagation(finalizers: readonly string[]): ResolvedPropagation | undefined {
  const first = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer)
  if (first === undefined) return undefined
  return first === orphanFinalizer ? "orphan" : "foreground"
}

function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  const [lefts, rights] = [new Set(left), new Set(right)]
  return left.every((one) => rights.has(one)) && right.every((one) => lefts.has(one))
}

/** Refuses a request that sets both forms. Called by the verbs before they read any object. */
export function propagationFailures({
  propagationPolicy,
  orphanDependents,
}: {
  propagationPolicy?: string | undefined
  orphanDependents?: boolean | undefined
}): Failure[] {
  if (propagationPolicy === undefined || orphanDependents === undefined) return []
  const detail = "orphanDependents and deletionPropagation cannot be both set"
  return [{ type: "Invalid", field: "propagationPolicy", value: propagationPolicy, detail }]
}
