/**
 * Keeps the policy of the mode RBAC equal to the roles and bindings in the watch cache, on every server by its own
 * watch. A large object is read and taken up in turns of the event loop.
 */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { Subject } from "../../../generated/rbac.authorization.orch.io/v1/shared/subject/types.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Stages } from "../../base/turns.ts"
import { parsingJson } from "../../encoding/json/text.ts"
import type { CachedObject, CacheEvent } from "../../storage/cache.ts"
import type { Controller, ControllerDeps } from "../controller.ts"
import { type PacedHandler, type PacedInformer, startPacedInformer } from "../paced-informer.ts"

interface Place {
  readonly namespace: string
  readonly name: string
}

/** What takes the objects up; calls follow each other. The authorizer has one. */
export interface PolicySink {
  putRole(place: Place, rules: readonly PolicyRule[]): Stages<void>
  removeRole(place: Place): void
  putBinding(
    place: Place,
    content: { readonly roleRef: { readonly kind: string; readonly name: string }; readonly subjects: readonly Subject[] },
  ): Stages<void>
  removeBinding(place: Place): Stages<void>
}

export interface PolicyInformer extends Controller {
  /** Resolves when all objects that the store had are taken up. */
  readonly ready: Promise<void>
  /** Why they are not yet; undefined once they are. */
  fault(): string | undefined
  /** Resolves when everything that was received is taken up. */
  settled(): Promise<void>
}

const group = "rbac.authorization.orch.io"

/** Called once at start. Kinds that the server does not have are left out. */
export function followRbacPolicy(deps: ControllerDeps, policy: PolicySink): PolicyInformer {
  const roles: Take = {
    put: (place, document) => policy.putRole(place, listOf(document["rules"])),
    remove: (place) => policy.removeRole(place),
  }
  const bindings: Take = {
    put: (place, document) => policy.putBinding(place, { roleRef: roleOf(document["roleRef"]), subjects: listOf(document["subjects"]) }),
    remove: (place) => policy.removeBinding(place),
  }
  // Roles first: a binding whose role is not known yet is reported as broken.
  const followed = Object.entries({ clusterroles: roles, roles, clusterrolebindings: bindings, rolebindings: bindings })
  const informers = followed.flatMap(([resource, take]): PacedInformer[] => {
    const kind = deps.registry.deps.kinds.find(group, "v1", resource)
    return kind === undefined ? [] : [startPacedInformer(deps, kind, new Follower(take))]
  })
  const settled = async (): Promise<void> => {
    await Promise.all(informers.map((informer) => informer.settled()))
  }
  let fault: string | undefined = "roles and bindings are still being read"
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

interface Take {
  put(place: Place, document: JsonObject): Stages<void>
  remove(place: Place): void | Stages<void>
}

class Follower implements PacedHandler {
  /** The places of all objects, by their keys. */
  private readonly known = new Map<string, Place>()
  private unseen = new Set<string>()

  constructor(private readonly take: Take) {}

  begin(): void {
    this.unseen = new Set(this.known.keys())
  }

  object(object: CachedObject): Stages<void> {
    this.unseen.delete(object.key)
    return this.putting(object)
  }

  *end(): Stages<void> {
    for (const key of this.unseen) {
      yield* this.removing(key)
      yield
    }
  }

  event({ type, object }: CacheEvent): Stages<void> {
    return type === "DELETED" ? this.removing(object.key) : this.putting(object)
  }

  private *putting(object: CachedObject): Stages<void> {
    const place = { namespace: object.field("metadata.namespace"), name: object.field("metadata.name") }
    // Read before the first stage ends: the bytes are valid in this turn alone.
    const parsing = parsingJson(object.json().toString("utf8"))
    this.known.set(object.key, place)
    const { value } = yield* parsing
    yield* this.take.put(place, isObject(value) ? value : {})
  }

  private *removing(key: string): Stages<void> {
    const place = this.known.get(key)
    if (place === undefined) return
    this.known.delete(key)
    const stages = this.take.remove(place)
    if (stages !== undefined) yield* stages
  }
}

/** The stored object is valid: its lists have the types that the schema gives them. */
function listOf<Item>(value: JsonValue | undefined): readonly Item[] {
  // The registry has validated it.
  return Array.isArray(value) ? (value as readonly unknown[] as readonly Item[]) : []
}

function roleOf(value: JsonValue | undefined): { kind: string; name: string } {
  const { kind, name } = isObject(value) ? value : {}
  return { kind: typeof kind === "string" ? kind : "", name: typeof name === "string" ? name : "" }
}
