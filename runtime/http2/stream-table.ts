import type { ServerStream } from "./stream.ts"

/**
 * The open streams of a connection, a few hundred at most. An array, since a Map allocates a new table after many
 * deletions. Once the previous table is in the old generation of the heap, it keeps its streams, and everything that
 * they refer to, from being collected with the young generation.
 */
export class StreamTable {
  private readonly streams: ServerStream[] = []

  get size(): number {
    return this.streams.length
  }

  /** Starts at the newest stream, which is looked up most often. */
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

  /** Returns a copy: streams may close during the iteration. */
  filter(isMeant: (stream: ServerStream) => boolean): readonly ServerStream[] {
    return this.streams.filter(isMeant)
  }

  /** Returns a copy: streams may close during the iteration. */
  all(): readonly ServerStream[] {
    return [...this.streams]
  }
}
