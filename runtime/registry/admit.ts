/** Both moments of admission as the registry and verbs come to them; `admission/chain.ts` calls the plugins. */
import type { OpenAttributes } from "../admission/plugin.ts"
import type { ApiObject } from "../base/json.ts"
import type { KindParts } from "../schema/kind.ts"
import { normalizing } from "../encoding/normalize.ts"
import { documentValuesMax } from "../base/limits.ts"
import { atOnce, inTurns, takesTurns } from "../base/turns.ts"
import type { Registry } from "./registry.ts"

/** How an object of the request's kind is brought into its canonical form. */
export type ObjectForm = Pick<KindParts, "shape" | "applyDefaults">

export interface AdmittedStates {
  readonly object: ApiObject
  readonly old?: ApiObject | undefined
  /** Of the object, about: a large one is worked on in turns. Absent: a small one. */
  readonly bytes?: number
}

/**
 * The object that mutating plugins make of `object`: another one, normalized and defaulted, or `object` itself.
 * Managed fields stay those of `object`. A promise only when a plugin waits or has changed a large object.
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

/** The last step before a commit. Undefined, or a promise when a plugin waits. */
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

/** Both moments of a deletion, for which there is nothing to change. */
export async function admitDeletion(registry: Registry, attributes: OpenAttributes, old: ApiObject): Promise<void> {
  const { admission } = registry.deps
  attributes.object = undefined
  attributes.oldObject = old
  const mutated = admission.mutate(attributes)
  if (mutated instanceof Promise) await mutated
  const judged = admission.validate(attributes)
  if (judged !== undefined) await judged
}

/** What plugins made has passed no decoder yet. */
function canonical(
  registry: Registry,
  { object: made = {}, kind }: OpenAttributes,
  { object: before, bytes = 0 }: AdmittedStates,
  form: ObjectForm,
): ApiObject | Promise<ApiObject> {
  const stages = decoding(form, made, kind.kind)
  const finish = (object: ApiObject): ApiObject => {
    form.applyDefaults(object, { vendor: registry.deps.vendor })
    return withManagedFieldsOf(before, object)
  }
  if (takesTurns(bytes)) return inTurns(stages).then((normalized) => finish(normalized.object))
  return finish(atOnce(stages).object)
}

/** What does not decode is a fault of a plugin and none of the client. */
function* decoding({ shape }: ObjectForm, made: ApiObject, kind: string): ReturnType<typeof normalizing> {
  try {
    return yield* normalizing(shape, made, { maxValues: documentValuesMax, reportUnknown: false })
  } catch (error) {
    throw new Error(`an admission plugin made no ${kind} of a request's object`, { cause: error })
  }
}

function withManagedFieldsOf({ metadata: before }: ApiObject, object: ApiObject): ApiObject {
  const { managedFields: _made, ...metadata } = object.metadata ?? {}
  const tracked = before?.managedFields
  if (before === undefined && object.metadata === undefined) return object
  return { ...object, metadata: tracked === undefined ? metadata : { ...metadata, managedFields: tracked } }
}
