/** The compact messages of a list, which is gone through twice: lengths stand before contents. */
import type { KindHandle } from "../registry/registry.ts"
import type { CachedObject } from "../storage/cache.ts"
import { compactMessageOf } from "./represent.ts"

/**
 * Messages of objects, for two passes. What the first one finds at hand stays there for the second, until it is released: as soon as somebody asks for
 * an object's JSON its message is encoded from that, and has another length where another program stored fields that are unknown here.
 */
export class HeldMessages implements Iterable<Buffer> {
  private readonly held: CachedObject[] = []
  private passes = 0

  constructor(
    private readonly handle: KindHandle,
    private readonly objects: readonly CachedObject[],
  ) {}

  *[Symbol.iterator](): Generator<Buffer> {
    const message = this.passes++ === 0 ? this.hold : this.repeat
    for (const object of this.objects) yield message(object)
  }

  /** Called once, when nobody goes through them any more. */
  release(): void {
    for (const object of this.held.splice(0)) object.releaseMessage?.()
  }

  private readonly hold = (object: CachedObject): Buffer => {
    const { handle } = this
    const stored = handle.kind === handle.stored ? object.holdMessage?.() : undefined
    if (stored === undefined) return compactMessageOf(handle, object)
    this.held.push(object)
    return stored
  }

  private readonly repeat = (object: CachedObject): Buffer => compactMessageOf(this.handle, object)
}

/** The pieces of a list of the messages, which are released once those are written or nobody wants more of them. */
export function* releasing(messages: HeldMessages, pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* pieces
  } finally {
    messages.release()
  }
}
