/**
 * What a delete request says about an object's dependents, as the finalizers that ask the garbage collector for it (catalog resources.yaml:
 * deletion.propagation).
 */
import type { Failure } from "../base/failure.ts"
import type { ObjectMeta } from "../base/json.ts"
import type { KindHandle, Registry } from "./registry.ts"

/** As clients write it in DeleteOptions. */
export type PropagationPolicy = "Orphan" | "Background" | "Foreground"

/** The words of a delete request about dependents. */
export interface Propagation {
  readonly propagationPolicy?: PropagationPolicy
  /** The deprecated spelling of Orphan and Background. */
  readonly orphanDependents?: boolean
}

/** Held until the dependents have lost their reference to the owner. */
export const orphanFinalizer = "orphan"
/** Held until the dependents that block the owner's deletion have gone. */
export const foregroundFinalizer = "foregroundDeletion"

type ResolvedPropagation = "orphan" | "foreground" | "background"

/**
 * The finalizers of an object once the request is taken in: what is asked for, else what the object has already, else the kind's default.
 * The list itself when nothing changes, so that its order stays.
 */
export function finalizersFor(
  registry: Registry,
  handle: KindHandle,
  request: Propagation,
  { finalizers = [] }: ObjectMeta,
): readonly string[] {
  const standard = handle.kind.rules.defaultPropagation
  if (standard === "unsupported" || registry.deps.garbageCollector === false) return finalizers
  const wanted = asked(request) ?? present(finalizers) ?? standard
  const next = finalizers.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  if (wanted === "orphan") next.push(orphanFinalizer)
  if (wanted === "foreground") next.push(foregroundFinalizer)
  return sameMembers(next, finalizers) ? finalizers : next
}

function asked({ orphanDependents, propagationPolicy }: Propagation): ResolvedPropagation | undefined {
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

function present(finalizers: readonly string[]): ResolvedPropagation | undefined {
  const first = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer)
  if (first === undefined) return undefined
  return first === orphanFinalizer ? "orphan" : "foreground"
}

function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  const [lefts, rights] = [new Set(left), new Set(right)]
  return left.every((one) => rights.has(one)) && right.every((one) => lefts.has(one))
}

/** Both spellings at once contradict each other. Called by the verbs before anything is read. */
export function propagationFailures({
  propagationPolicy,
  orphanDependents,
}: {
  propagationPolicy?: string
  orphanDependents?: boolean
}): Failure[] {
  if (propagationPolicy === undefined || orphanDependents === undefined) return []
  const detail = "orphanDependents and deletionPropagation cannot be both set"
  return [{ type: "Invalid", field: "propagationPolicy", value: propagationPolicy, detail }]
}
