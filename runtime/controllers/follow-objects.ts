/**
 * Keeps what a server knows of some kinds equal to their objects in the watch cache, on every server by its own watch.
 * Authorizers decide by it.
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

/** What takes the objects of one kind up; calls follow each other. Large objects are taken up in stages. */
export interface Take {
  /** Called for each version. The bytes of the object are valid in this turn alone. */
  put(place: Place, object: CachedObject): void | Stages<void>
  remove(place: Place): void | Stages<void>
}

export interface ObjectFollower extends Controller {
  /** Resolves when all objects that the store had are taken up. */
  readonly ready: Promise<void>
  /** Why they are not yet; undefined once they are. */
  fault(): string | undefined
  /** Resolves when everything that was received is taken up. */
  settled(): Promise<void>
}

/** A kind, undefined if the server does not have it, and what takes its objects up. */
export type Followed = readonly [kind: Kind | undefined, take: Take]

/** Called once at start. `pending`: what `fault` says until all is read. */
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

/** Several as one. */
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

/** The document of an object. Its bytes are read before the first stage ends. */
export function* parsingDocument(object: CachedObject): Stages<JsonObject> {
  const { value } = yield* parsingJson(object.json().toString("utf8"))
  return isObject(value) ? value : {}
}

/** The end of a key has the place, which the object would have to be decoded for. */
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
