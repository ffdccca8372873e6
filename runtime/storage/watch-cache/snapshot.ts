/** States of one resource at a revision, and the reconstruction of past ones. */
import type { CachedObject, ObjectRange, Selected, Snapshot } from "../cache.ts"
import type { CachedEntry } from "./entry.ts"
import type { EventWindow } from "./event-window.ts"
import type { LeafEncodings } from "./leaf-encodings.ts"
import { withPrefix } from "./value-index.ts"
import type { CacheLimits } from "./options.ts"
import type { Objects } from "./objects.ts"

/** An immutable state. Prefixes are full keys or relative to the resource. */
export class MapSnapshot implements Snapshot {
  constructor(
    readonly revision: number,
    private readonly objects: Objects,
    private readonly fullKey: (key: string) => string,
    private readonly gathered: LeafEncodings,
    /** Looks up the newest state's index; absent for past states. */
    private readonly indexed?: (selected: Selected) => readonly CachedEntry[] | undefined,
  ) {}

  entries({ prefix, startAfter }: { prefix: string; startAfter?: string }): Iterable<CachedObject> {
    return this.objects.entries(this.fullKey(prefix), startAfter === undefined ? undefined : this.fullKey(startAfter))
  }

  ranges({ prefix, startAfter }: { prefix: string; startAfter?: string }): Iterable<ObjectRange> {
    const from = startAfter === undefined ? undefined : this.fullKey(startAfter)
    return this.gathered.walk(this.objects.leafRanges(this.fullKey(prefix), from))
  }

  count({ prefix, startAfter }: { prefix: string; startAfter?: string }): number {
    return this.objects.count(this.fullKey(prefix), startAfter === undefined ? undefined : this.fullKey(startAfter))
  }

  selected({ prefix, selected }: { prefix: string; selected: Selected }): readonly CachedObject[] | undefined {
    const found = this.indexed?.(selected)
    return found === undefined ? undefined : withPrefix(found, this.fullKey(prefix))
  }
}

interface Checkpoint {
  readonly revision: number
  readonly objects: Objects
}

/**
 * Clones of the map at some revisions of the event window. A past state is the nearest later clone with the events in
 * between undone. Keeping a clone for every revision instead would cost a copied tree path (about 2 KB at 100,000
 * objects) per write for five minutes; undoing an event costs about a microsecond, and only on demand.
 */
export class Checkpoints {
  /** Ascending by revision. */
  private list: Checkpoint[] = []
  private eventsSince = 0

  constructor(private readonly limits: CacheLimits) {}

  /** Called before each revision changes the map: occasionally keeps a clone of the present state, at `revision`. */
  beforeChange(objects: Objects, revision: number): void {
    if (++this.eventsSince < this.limits.checkpointEvents) return
    this.eventsSince = 0
    this.insert({ revision, objects: objects.clone() })
  }

  /** Called after the window was trimmed: drops states before its beginning, which cannot be requested any more. */
  trim(low: number): void {
    const first = this.list.findIndex((checkpoint) => checkpoint.revision >= low)
    if (first !== 0) this.list = first < 0 ? [] : this.list.slice(first)
  }

  /** Called when the resource starts over. */
  clear(): void {
    this.list = []
    this.eventsSince = 0
  }

  /** The state at `revision`, which is in the window and not newer than `current`. */
  at(revision: number, current: Checkpoint, window: EventWindow): Objects {
    const nearest = this.list.find((checkpoint) => checkpoint.revision >= revision) ?? current
    const objects = nearest.objects.clone()
    let undone = 0
    for (const event of window.backwards(nearest.revision, revision)) {
      if (event.previous === undefined) objects.delete(event.object.key)
      else objects.set(event.previous)
      undone++
    }
    // The next page of the same list needs the same revision.
    if (undone > 16) this.insert({ revision, objects: objects.clone() })
    return objects
  }

  private insert(checkpoint: Checkpoint): void {
    const at = this.list.findIndex((each) => each.revision >= checkpoint.revision)
    if (at >= 0 && this.list[at]?.revision === checkpoint.revision) return
    this.list.splice(at < 0 ? this.list.length : at, 0, checkpoint)
    if (this.list.length > this.limits.checkpoints) this.list.shift()
  }
}
