/** Drops duplicate owner references and warns the client, as the reference does on create, update and patch. */
import { shortList } from "../base/bounded-text.ts"
import { stringify } from "../encoding/json/text.ts"
import type { ApiObject, JsonObject, OwnerReference } from "../base/json.ts"

/**
 * Called for every object that a client sent whole, before its fields are tracked, and for the result of admission and
 * of every patch. Modifies `object`.
 */
export function dedupOwnerReferences({ metadata }: ApiObject, warn: (text: string) => void): void {
  const references = metadata?.ownerReferences ?? []
  if (metadata === undefined || references.length < 2 || !hasTwins(references)) return
  const kept: OwnerReference[] = []
  const doubles: string[] = []
  const seen = new Set<string>()
  for (const reference of references) {
    const words = wordsOf(reference)
    if (seen.has(words)) {
      doubles.push(reference.uid)
      continue
    }
    seen.add(words)
    kept.push(reference)
  }
  if (doubles.length === 0) return
  metadata.ownerReferences = kept
  warn(`.metadata.ownerReferences names an owner more than once; it is kept once. Duplicate uids: ${shortList(doubles)}`)
}

function hasTwins(references: readonly OwnerReference[]): boolean {
  const uids = new Set<string>()
  for (const { uid } of references) uids.add(uid)
  return uids.size < references.length
}

/** A text that is equal for references with the same fields, in any order. */
function wordsOf(reference: JsonObject): string {
  return stringify(
    Object.keys(reference)
      .sort()
      .map((name) => [name, reference[name] ?? null]),
  )
}
