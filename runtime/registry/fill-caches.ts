import { inParallel } from "../base/in-parallel.ts"
import { fillsAtOnce } from "../base/limits.ts"
import { isStored, type Kind } from "../schema/kind.ts"
import type { KindTable } from "./kinds.ts"
import type { Registry } from "./registry.ts"

interface FilledParts {
  readonly kinds: KindTable
  readonly registry: Registry
  readonly log: { error(values: object, text: string): void }
}

interface CacheFilling {
  readonly done: Promise<void>
  /** Names what is still missing; undefined once all caches are filled. */
  readonly fault: () => string | undefined
}

/**
 * Called once at start. Fills the cache of every stored resource before clients ask for it. `done` never rejects: a
 * cache that failed tries again.
 */
export function fillCaches({ kinds, registry, log }: FilledParts): CacheFilling {
  // Caches of definitions' kinds are filled on first use: there may be a thousand of them.
  const own = kinds.all().filter((kind) => kind.custom === undefined && isStored(kind))
  const left = new Set(own.filter((kind) => kinds.stored(kind) === kind))
  const fill = async (kind: Kind): Promise<void> => {
    try {
      await registry.handle(kind)
      await registry.deps.shapes?.adopt(kinds, kind)
    } catch (error) {
      // The store was closed, or the kind's code cannot be loaded: requests for the kind will report it.
      log.error({ err: error, kind: kind.kind }, "the cache of a kind could not be filled")
    }
    left.delete(kind)
  }
  const next = (): string | undefined => {
    for (const kind of left) return `${kind.resource} and ${left.size - 1} other resources are still being read from the store`
    return undefined
  }
  return { done: inParallel([...left], { atOnce: fillsAtOnce }, fill), fault: next }
}
