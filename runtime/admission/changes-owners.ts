import type { ApiObject } from "../base/json.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { typed } from "../schema/typed.ts"

/**
 * Whether an update changes only fields that the garbage collector changes before a deletion. Such an update needs no
 * rights to the object's content.
 */
export function changesOwnersAlone(object: ApiObject, old: ApiObject | undefined): boolean {
  if (old === undefined) return false
  const without = ({ metadata, ...content }: ApiObject): object => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...rest } = metadata ?? {}
    return { ...content, metadata: rest }
  }
  return deepEqual(typed(without(object)), typed(without(old)))
}
