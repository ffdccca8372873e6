import type { ApiObject } from "../base/json.ts"
import { Turns } from "../base/turns.ts"
import { readWork } from "../base/work.ts"
import type { KindTable } from "./kinds.ts"
import { parseObject } from "./object-codec.ts"
import { awaitFreshness } from "./read.ts"
import type { Registry } from "./registry.ts"

/** Reads all objects below a storage path, including everything that was committed before the call, in turns. */
export async function readAll(registry: Registry, kinds: KindTable, storagePath: string): Promise<ApiObject[]> {
  const kind = kinds.all().find((candidate) => candidate.storage.path === storagePath && kinds.stored(candidate) === candidate)
  if (kind === undefined) return []
  const handle = await registry.handle(kind)
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const snapshot = handle.cache.snapshot()
  const objects: ApiObject[] = []
  const turns = new Turns()
  for (const entry of snapshot.entries({ prefix: handle.prefix("") })) {
    if (turns.isOver(readWork(entry))) await turns.next()
    objects.push(parseObject(entry.json()))
  }
  return objects
}
