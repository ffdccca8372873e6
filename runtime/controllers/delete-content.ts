/**
 * Deletes all objects below a prefix, for a namespace or a definition that is being deleted. Sweeps repeat while
 * finalizers hold objects, so they read each version of an object only once, and in turns.
 */
import { serverAttributes } from "../admission/server-identity.ts"
import { ApiError } from "../base/errors.ts"
import { errorText } from "../base/error-text.ts"
import { inParallel } from "../base/in-parallel.ts"
import { Turns } from "../base/turns.ts"
import type { User } from "../base/user.ts"
import { keyWork, lookWork, readWork } from "../base/work.ts"
import { deleteObject } from "../registry/delete.ts"
import type { KindHandle, Registry } from "../registry/registry.ts"
import { readMetadata } from "../registry/stored-metadata.ts"
import { type CachedObject, type Snapshot, UndecodableError } from "../storage/cache.ts"
import { finalizersKeptMax } from "./limits.ts"

/** Stores write concurrent commits as one batch; more parallel deletions would only delay requests. */
const deletesAtOnce = 16

/** The fields of an object that a sweep uses. */
interface Content {
  readonly namespace: string
  readonly name: string
  readonly uid: string | undefined
  readonly isDeleted: boolean
  readonly finalizers: readonly string[]
}

const known = new WeakMap<CachedObject, Content>()

/** Reads the fields of an object's version, and returns the work done. Throws UndecodableError. */
function contentOf(entry: CachedObject): { readonly content: Content; readonly work: number } {
  const kept = known.get(entry)
  if (kept !== undefined) return { content: kept, work: lookWork }
  const { metadata, work } = readMetadata(entry)
  const { namespace = "", name = "", uid, deletionTimestamp, finalizers = [] } = metadata
  const content = { namespace, name, uid, isDeleted: deletionTimestamp !== undefined, finalizers }
  if (finalizers.length <= finalizersKeptMax) known.set(entry, content)
  return { content, work: work + finalizers.length * lookWork }
}

/**
 * Deletes the objects of a snapshot below `prefix` that are not being deleted already. Returns the reasons for failed
 * deletions, but none for an object that is gone or was replaced.
 */
export async function deleteContent(
  registry: Registry,
  handle: KindHandle,
  { prefix, snapshot, user }: { readonly snapshot: Snapshot; readonly prefix: string; readonly user: User },
): Promise<string[]> {
  const faults: string[] = []
  const fault = (name: string, error: unknown): void => void faults.push(`${handle.kind.resource} ${name}: ${errorText(error)}`)
  const left: CachedObject[] = []
  await visitContent(
    snapshot.entries({ prefix }),
    (entry, { isDeleted }) => {
      if (!isDeleted) left.push(entry)
    },
    (error) => fault("", error),
  )
  // A deletion reads the whole object.
  const cost = (entry: CachedObject): number => keyWork + readWork(entry)
  await inParallel(left, { atOnce: deletesAtOnce, cost }, async (entry) => {
    const { name, namespace, uid } = contentOf(entry).content
    try {
      const attributes = serverAttributes(user, "DELETE", { kind: handle.kind, namespace, name })
      await deleteObject(registry, handle, { attributes, ...(uid !== undefined && { uid }), propagationPolicy: "Background" })
    } catch (error) {
      // Already deleted, or replaced meanwhile: the next sweep handles it.
      if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) fault(name, error)
    }
  })
  return faults
}

/** Calls `visit` with each object, in turns, and `onUndecodable` for objects that cannot be read. */
export async function visitContent(
  entries: Iterable<CachedObject>,
  visit: (entry: CachedObject, content: Content) => void,
  onUndecodable: (error: UndecodableError) => void,
): Promise<void> {
  const turns = new Turns()
  for (const entry of entries) {
    const work = visitOne(entry, visit, onUndecodable)
    if (turns.isOver(work)) await turns.next()
  }
}

function visitOne(
  entry: CachedObject,
  visit: (entry: CachedObject, content: Content) => void,
  onUndecodable: (error: UndecodableError) => void,
): number {
  try {
    const { content, work } = contentOf(entry)
    visit(entry, content)
    return work
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error
    onUndecodable(error)
    return keyWork
  }
}
