/**
 * Behaviours that another version of the kind names run for writes through every version of its storage: the object is
 * converted to the version that names them, and what they change is converted back.
 */
import { deepClone, deepEqual } from "../encoding/field-path.ts"
import { normalize } from "../encoding/normalize.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Behaviour } from "../schema/behaviour.ts"
import type { TypeShape } from "../schema/shape.ts"
import { keepStoredOnly } from "./keep-stored-only.ts"

/** How the version of the request and the version that names the behaviours convert into each other. Pure. */
export interface VersionPair {
  /** The shape of the request's version. */
  readonly shape: TypeShape
  readonly there: (object: ApiObject) => ApiObject
  readonly back: (object: ApiObject) => ApiObject
}

/**
 * Wraps a behaviour for writes through a version that does not name it. What the conversion loses stays in the object.
 * Paths of failures are those of the version that names the behaviour. Called once per behaviour and version.
 */
export function behaviourOfVersion(behaviour: Behaviour, pair: VersionPair): Behaviour {
  const { there } = pair
  const { companion, deletesInSteps } = behaviour
  const wrapped: { -readonly [Name in keyof Behaviour]: Behaviour[Name] } = {}
  if (deletesInSteps !== undefined) wrapped.deletesInSteps = deletesInSteps
  if (companion !== undefined) wrapped.companion = companion
  if (behaviour.decoded !== undefined) wrapped.decoded = (object) => changed(pair, object, (other) => behaviour.decoded?.(other))
  if (behaviour.prepareCreate !== undefined)
    wrapped.prepareCreate = (object, context) => changed(pair, object, (other) => behaviour.prepareCreate?.(other, context))
  if (behaviour.prepareUpdate !== undefined)
    wrapped.prepareUpdate = (object, old, context) =>
      changed(pair, object, (other) => behaviour.prepareUpdate?.(other, there(old), context))
  if (behaviour.startDeletion !== undefined)
    wrapped.startDeletion = (object) => changed(pair, object, (other) => behaviour.startDeletion?.(other))
  if (behaviour.graceSeconds !== undefined) wrapped.graceSeconds = (object, asked) => behaviour.graceSeconds?.(there(object), asked) ?? 0
  if (behaviour.mayRemove !== undefined) wrapped.mayRemove = (object) => behaviour.mayRemove?.(there(object)) ?? true
  if (behaviour.commit !== undefined)
    wrapped.commit = async ({ object, old }, context) => {
      const before = old === undefined ? {} : { old: there(old) }
      if (object === undefined) return behaviour.commit?.(before, context)
      const other = deepClone(there(object))
      const unchanged = deepClone(other)
      const ops = await behaviour.commit?.({ object: other, ...before }, context)
      takeBack(pair, object, { other, unchanged })
      return ops
    }
  return wrapped
}

function changed(pair: VersionPair, object: ApiObject, change: (other: ApiObject) => void): void {
  const other = deepClone(pair.there(object))
  const unchanged = deepClone(other)
  change(other)
  takeBack(pair, object, { other, unchanged })
}

/** Makes in `object` the changes between `unchanged` and `other`. */
function takeBack(pair: VersionPair, object: ApiObject, { other, unchanged }: { other: ApiObject; unchanged: ApiObject }): void {
  if (deepEqual(other, unchanged)) return
  const kept = keepStoredOnly(pair.shape, { old: object, returned: pair.back(unchanged), next: pair.back(other) })
  const next: JsonObject = normalize(pair.shape, kept).object
  for (const name of Object.keys(object)) if (!Object.hasOwn(next, name)) delete object[name]
  Object.assign(object, next)
}
