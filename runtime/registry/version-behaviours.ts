/**
 * Behaviours that another version of the kind names run for writes through every version of its storage: the object is
 * converted to the version that names them, and their changes are converted back.
 */
import { deepClone, deepEqual } from "../encoding/field-path.ts"
import { normalize } from "../encoding/normalize.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Behaviour } from "../schema/behaviour.ts"
import type { TypeShape } from "../schema/shape.ts"
import { keepStoredOnly } from "./keep-stored-only.ts"
import { fullStored, rememberStored, type StoredConversions } from "./stored-state.ts"

/** The version of the request, and conversions between the stored version and the one that names the behaviours. */
export interface VersionPair {
  /** The shape of the request's version. */
  readonly shape: TypeShape
  readonly own: StoredConversions
  readonly other: Pick<StoredConversions, "fromStored" | "toStored">
}

/**
 * Wraps a behaviour for writes through a version that does not name it. Fields that the conversion loses stay in the
 * object. Paths of failures belong to the version that names the behaviour. Called once per behaviour and version.
 */
export function behaviourOfVersion(behaviour: Behaviour, pair: VersionPair): Behaviour {
  const there = (object: ApiObject): ApiObject => pair.other.fromStored(fullStored(pair.own, object))
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
      const view = viewOf(pair, object)
      const ops = await behaviour.commit?.({ object: view.other, ...before }, context)
      takeBack(pair, object, view)
      return ops
    }
  return wrapped
}

function changed(pair: VersionPair, object: ApiObject, change: (other: ApiObject) => void): void {
  const view = viewOf(pair, object)
  change(view.other)
  takeBack(pair, object, view)
}

/** An object as a behaviour of the other version sees it. */
interface OtherView {
  /** The object that the behaviour changes. */
  readonly other: ApiObject
  readonly unchanged: ApiObject
  readonly stored: ApiObject
}

function viewOf(pair: VersionPair, object: ApiObject): OtherView {
  const stored = fullStored(pair.own, object)
  const unchanged = pair.other.fromStored(stored)
  return { other: deepClone(unchanged), unchanged: deepClone(unchanged), stored }
}

/** Makes the changes of the behaviour in `object`, and in the stored object that is remembered beside it. */
function takeBack({ shape, own, other }: VersionPair, object: ApiObject, view: OtherView): void {
  if (deepEqual(view.other, view.unchanged)) return
  const states = { old: view.stored, returned: other.toStored(view.unchanged), next: other.toStored(view.other) }
  const stored = own.ofStored(keepStoredOnly(own.storedShape, states))
  const kept = keepStoredOnly(shape, { old: object, returned: own.fromStored(view.stored), next: own.fromStored(stored) })
  const next: JsonObject = normalize(shape, kept).object
  for (const name of Object.keys(object)) if (!Object.hasOwn(next, name)) delete object[name]
  Object.assign(object, next)
  rememberStored(object, stored)
}
