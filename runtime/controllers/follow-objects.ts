/**
 * Keeps a server's index of some kinds equal to their objects in the watch cache. Every server has its own watch, since
 * its authorizers use the index.
 */
import { isObject, type JsonObject } from "../base/json.ts"
import type { Stages } from "../base/turns.ts"
import { parsingJson } from "../encoding/json/text.ts"
import type { Kind } from "../schema/kind.ts"
import type { CachedObject, CacheEvent } from "../storage/cache.ts"
import type { Controller, ControllerDeps } from "./controller.ts"
import { type PacedHandler, startPacedInformer } from "./paced-informer.ts"

export interface Place {
  readonly namespace: string
  readonly name: string
}

/** Receives the objects of one kind, one call after the other. Handles large objects in stages. */
export interface Take {
  /** Called for each version. The object's bytes are valid only in this turn. */
  put(place: Place, object: CachedObject): void | Stages<void>
  remove(place: Place): void | Stages<void>
}

export interface ObjectFollower extends Controller {
  /** Resolves when all objects that the store had at the start are handled. */
  readonly ready: Promise<void>
  /** Why that is not the case yet; undefined once it is. */
  fault(): string | undefined
  /** Resolves when all received objects are handled. */
  settled(): Promise<void>
}

/** A kind, undefined if the server does not have it, and the handler of its objects. */
export type Followed = readonly [kind: Kind | undefined, take: Take]

/** Called once at start. `pending`: text of `fault` until all objects are read. */
export function followObjects(deps: ControllerDeps, followed: readonly Followed[], pending: string): ObjectFollower {
  const informers = followed.flatMap(([kind, take]) =>
    kind === undefined ? [] : [startPacedInformer(deps, kind, new Follower(kind, take))],
  )
  const settled = async (): Promise<void> => {
    await Promise.all(informers.map((informer) => informer.settled()))
  }
  let fault: string | undefined = pending
  const ready = settled().then(() => {
    fault = undefined
  })
  return {
    ready,
    fault: () => fault,
    settled,
    async stop() {
      await Promise.all(informers.map((informer) => informer.stop()))
    },
  }
}

/** Combines several followers. */
export function allOf(followers: readonly ObjectFollower[]): ObjectFollower {
  const each = async (of: (follower: ObjectFollower) => Promise<void>): Promise<void> => {
    await Promise.all(followers.map(of))
  }
  return {
    ready: each(({ ready }) => ready),
    fault: () => followers.map((follower) => follower.fault()).find((fault) => fault !== undefined),
    settled: () => each((follower) => follower.settled()),
    stop: () => each((follower) => follower.stop()),
  }
}

/** Parses the document of an object. Its bytes are read before the first stage ends. */
export function* parsingDocument(object: CachedObject): Stages<JsonObject> {
  const { value } = yield* parsingJson(object.json().toString("utf8"))
  return isObject(value) ? value : {}
}

/** Reads the place from the end of a key; the object would have to be decoded for it. */
function placeIn(key: string, { namespaced }: Pick<Kind, "namespaced">): Place {
  const slash = key.lastIndexOf("/")
  return {
    namespace: namespaced ? key.slice(key.lastIndexOf("/", slash - 1) + 1, slash) : "",
    name: key.slice(slash + 1),
  }
}

class Follower implements PacedHandler {
  /** The places of all objects, by their keys. */
  private readonly known = new Map<string, Place>()
  private unseen = new Set<string>()

  constructor(
    private readonly kind: Pick<Kind, "namespaced">,
    private readonly take: Take,
  ) {}

  begin(): void {
    this.unseen = new Set(this.known.keys())
  }

  object(object: CachedObject): void | Stages<void> {
    this.unseen.delete(object.key)
    return this.put(object)
  }

  *end(): Stages<void> {
    for (const key of this.unseen) {
      const stages = this.remove(key)
      if (stages !== undefined) yield* stages
      yield
    }
  }

  event({ type, object }: CacheEvent): void | Stages<void> {
    return type === "DELETED" ? this.remove(object.key) : this.put(object)
  }

  private put(object: CachedObject): void | Stages<void> {
    let place = this.known.get(object.key)
    if (place === undefined) {
      place = placeIn(object.key, this.kind)
      this.known.set(object.key, place)
    }
    return this.take.put(place, object)
  }

  private remove(key: string): void | Stages<void> {
    const place = this.known.get(key)
    if (place === undefined) return
    this.known.delete(key)
    return this.take.remove(place)
  }
}
