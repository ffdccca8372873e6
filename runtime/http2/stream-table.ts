import type { ServerStream } from "./stream.ts"

/**
 * The streams that are open on a connection, a few hundred at most. An array and no Map: a Map makes itself anew after so many deletions, and the one
 * it was, once it is old, keeps the streams that were in it, and all that hangs on them, from being collected with the young.
 */
export class StreamTable {
  private readonly streams: ServerStream[] = []

  get size(): number {
    return this.streams.length
  }

  /** The newest are looked for most. */
  get(id: number): ServerStream | undefined {
    const { streams } = this
    for (let index = streams.length - 1; index >= 0; index--) {
      const stream = streams[index]
      if (stream !== undefined && stream.id === id) return stream
    }
    return undefined
  }

  add(stream: ServerStream): void {
    this.streams.push(stream)
  }

  remove(stream: ServerStream): void {
    const { streams } = this
    const index = streams.lastIndexOf(stream)
    const last = streams.pop()
    if (last !== undefined && index >= 0 && index < streams.length) streams[index] = last
  }

  /** Those that are meant, as they are now. */
  filter(isMeant: (stream: ServerStream) => boolean): readonly ServerStream[] {
    return this.streams.filter(isMeant)
  }

  /** As it is now. */
  all(): readonly ServerStream[] {
    return [...this.streams]
  }
}
