/** An owner that is named twice in the same words is kept once, and the client is told (reference: create, update and patch). */
import { deepEqual } from "../kit/field-path.ts"
import type { ApiObject, OwnerReference } from "../kit/json.ts"

/** Called for every object that a client sent, before it is told who owns which field. Changes `object`. */
export function dropDoubleOwners({ metadata }: ApiObject, warn: (text: string) => void): void {
  const references = metadata?.ownerReferences ?? []
  if (metadata === undefined || references.length < 2) return
  const kept: OwnerReference[] = []
  const doubles: string[] = []
  const seen = new Map<string, OwnerReference[]>()
  for (const reference of references) {
    const same = seen.get(reference.uid) ?? []
    if (same.some((other) => deepEqual({ ...other }, { ...reference }))) {
      doubles.push(reference.uid)
      continue
    }
    seen.set(reference.uid, [...same, reference])
    kept.push(reference)
  }
  if (doubles.length === 0) return
  metadata.ownerReferences = kept
  warn(`.metadata.ownerReferences names an owner more than once; it is kept once. Duplicate uids: ${doubles.join(", ")}`)
}
