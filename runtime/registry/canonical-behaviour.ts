/** Hooks of authors, whose values become those that decoding gives: the same before and after a restart. */
import type { ApiObject } from "../base/json.ts"
import { normalize } from "../encoding/normalize.ts"
import type { Behaviour } from "../schema/behaviour.ts"
import type { TypeShape } from "../schema/shape.ts"

/**
 * Wraps hooks that may change an object, so that what they write is brought into canonical form: `1h` is stored as
 * `1h0m0s`, and a time loses its milliseconds. Called once per kind and behaviour of an author; those of this package
 * write canonical values. `shape`: of the version whose objects the behaviour sees.
 */
export function canonicalBehaviour(behaviour: Behaviour, shape: TypeShape): Behaviour {
  const settled = (object: ApiObject): void => {
    const { object: canonical } = normalize(shape, object, { reportUnknown: false })
    for (const name of Object.keys(object)) delete object[name]
    Object.assign(object, canonical)
  }
  const { decoded, prepareCreate, prepareUpdate, startDeletion, commit } = behaviour
  return {
    ...behaviour,
    ...(decoded !== undefined && {
      decoded(object) {
        decoded.call(behaviour, object)
        settled(object)
      },
    }),
    ...(prepareCreate !== undefined && {
      prepareCreate(object, context) {
        prepareCreate.call(behaviour, object, context)
        settled(object)
      },
    }),
    ...(prepareUpdate !== undefined && {
      prepareUpdate(object, old, context) {
        prepareUpdate.call(behaviour, object, old, context)
        settled(object)
      },
    }),
    ...(startDeletion !== undefined && {
      startDeletion(object) {
        startDeletion.call(behaviour, object)
        settled(object)
      },
    }),
    ...(commit !== undefined && {
      async commit(change, context) {
        const ops = await commit.call(behaviour, change, context)
        if (change.object !== undefined) settled(change.object)
        return ops
      },
    }),
  }
}
