/** Admission as the registry and the verbs call it; `admission/chain.ts` calls the plugins. */
import type { OpenAttributes } from "../admission/plugin.ts"
import { withManagers } from "../apply/managed-fields/with-managers.ts"
import type { ApiObject } from "../base/json.ts"
import type { KindParts, ValidationContext } from "../schema/kind.ts"
import { normalizing } from "../encoding/normalize.ts"
import { documentValuesMax } from "../base/limits.ts"
import type { Pace } from "../base/pace.ts"
import { inTurns, nextTurn, type Stages } from "../base/turns.ts"
import type { Registry } from "./registry.ts"

/** The parts of a kind that bring an object into its canonical form. */
export type ObjectForm = Pick<KindParts, "shape" | "applyDefaults">

export interface AdmittedStates {
  readonly object: ApiObject
  readonly old?: ApiObject | undefined
  /** Absent: the request's pace. */
  readonly pace?: Pace
}

/**
 * Runs the mutating plugins on `object`. Returns their object, normalized and defaulted, or `object` itself if no
 * plugin changed it. The managed fields of `object` are kept. Returns a promise only if a plugin is asynchronous or has
 * changed a large object.
 */
export function mutateObject(
  registry: Registry,
  attributes: OpenAttributes,
  states: AdmittedStates,
  form: ObjectForm,
): ApiObject | Promise<ApiObject> {
  const { admission } = registry.deps
  if (!admission.mutates(attributes.operation)) return states.object
  attributes.object = states.object
  attributes.oldObject = states.old
  const changed = admission.mutate(attributes)
  if (changed === false) return states.object
  if (changed === true) return canonical(registry, attributes, states, form)
  return changed.then((is) => (is ? canonical(registry, attributes, states, form) : states.object))
}

/**
 * Runs the validating plugins, as the last step before a commit. Returns a promise only if a plugin is asynchronous.
 */
export function validateObject(
  registry: Registry,
  attributes: OpenAttributes,
  { object, old }: { object?: ApiObject; old?: ApiObject | undefined },
): undefined | Promise<undefined> {
  const { admission } = registry.deps
  if (!admission.validates(attributes.operation)) return undefined
  attributes.object = object
  attributes.oldObject = old
  return admission.validate(attributes)
}

/** Runs mutating and validating plugins for a deletion, which has no object to change. */
export async function admitDeletion(registry: Registry, attributes: OpenAttributes, old: ApiObject): Promise<void> {
  const { admission } = registry.deps
  attributes.object = undefined
  attributes.oldObject = old
  const mutated = admission.mutate(attributes)
  if (mutated instanceof Promise) await mutated
  const judged = admission.validate(attributes)
  if (judged !== undefined) await judged
}

/** Normalizes and defaults an object that plugins made: unlike a client's, it has not passed a decoder. */
function canonical(
  registry: Registry,
  { object: made = {}, kind, pace: ofRequest }: OpenAttributes,
  { object: before, pace = ofRequest }: AdmittedStates,
  form: ObjectForm,
): ApiObject | Promise<ApiObject> {
  const stages = decoding(form, made, kind.kind)
  const finish = (object: ApiObject): ApiObject => {
    form.applyDefaults(object, { vendor: registry.deps.vendor })
    return withManagedFieldsOf(before, object)
  }
  const decoded = pace.run(stages)
  return decoded instanceof Promise ? decoded.then(({ object }) => finish(object)) : finish(decoded.object)
}

/** Throws a plain Error (500) for an object that does not decode: the plugin is at fault, not the client. */
function* decoding({ shape }: ObjectForm, made: ApiObject, kind: string): ReturnType<typeof normalizing> {
  try {
    return yield* normalizing(shape, made, { maxValues: documentValuesMax, reportUnknown: false })
  } catch (error) {
    throw new Error(`an admission plugin made no ${kind} of a request's object`, { cause: error })
  }
}

function withManagedFieldsOf({ metadata: before }: ApiObject, object: ApiObject): ApiObject {
  return before === undefined && object.metadata === undefined ? object : withManagers(object, before?.managedFields)
}

/**
 * Validates by the kind's schema. Called for each write; returns a promise only for validation that takes turns. The
 * object must not change meanwhile.
 */
export function validateByKind(parts: KindParts, object: ApiObject, context: ValidationContext): undefined | Promise<void> {
  if (parts.validating !== undefined) {
    const stages = parts.validating(object, context)
    return stages.next().done === true ? undefined : nextTurn().then(() => inTurns(stages))
  }
  let parked: Stages<void>[] | undefined
  const later = (stages: Stages<void>): void => {
    parked ??= []
    parked.push(stages)
  }
  const { failures, vendor, old, passed, subresource, allowsPrivileged, bytes } = context
  parts.validate(object, { failures, vendor, old, passed, subresource, allowsPrivileged, bytes, later })
  return parked === undefined ? undefined : inTurns(oneByOne(parked))
}

function* oneByOne(parked: readonly Stages<void>[]): Stages<void> {
  for (const stages of parked) yield* stages
}
