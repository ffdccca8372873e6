import type { ApiObject } from "../base/json.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { typed } from "../schema/typed.ts"

/**
 * Whether an update changes only what the garbage collector changes of an object that it is about to delete. Such an
 * update is allowed without the rights that the content of the object needs.
 */
export function changesOwnersAlone(object: ApiObject, old: ApiObject | undefined): boolean {
  if (old === undefined) return false
  const without = ({ metadata, ...content }: ApiObject): object => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...rest } = metadata ?? {}
    return { ...content, metadata: rest }
  }
  return deepEqual(typed(without(object)), typed(without(old)))
}
