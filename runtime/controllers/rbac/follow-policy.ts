/**
 * Keeps the policy of the mode RBAC equal to the roles and bindings in the watch cache. A large object is parsed and
 * indexed in turns of the event loop.
 */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { Subject } from "../../../generated/rbac.authorization.orch.io/v1/shared/subject/types.ts"
import { isObject, type JsonValue } from "../../base/json.ts"
import type { Stages } from "../../base/turns.ts"
import type { CachedObject } from "../../storage/cache.ts"
import type { ControllerDeps } from "../controller.ts"
import { followObjects, type ObjectFollower, parsingDocument, type Place, type Take } from "../follow-objects.ts"

/** Receives the objects, one call after the other. The authorizer has one. */
export interface PolicySink {
  putRole(place: Place, rules: readonly PolicyRule[]): Stages<void>
  removeRole(place: Place): void
  putBinding(
    place: Place,
    content: { readonly roleRef: { readonly kind: string; readonly name: string }; readonly subjects: readonly Subject[] },
  ): Stages<void>
  removeBinding(place: Place): Stages<void>
}

const group = "rbac.authorization.orch.io"

/** Called once at start. Skips kinds that the server does not have. */
export function followRbacPolicy(deps: ControllerDeps, policy: PolicySink): ObjectFollower {
  const [roles, bindings] = [new Roles(policy), new Bindings(policy)]
  // Roles first: a binding is reported as broken while its role is unknown.
  const followed = Object.entries({ clusterroles: roles, roles, clusterrolebindings: bindings, rolebindings: bindings })
  const { kinds } = deps.registry.deps
  const kindsOf = followed.map(([resource, take]) => [kinds.find(group, "v1", resource), take] as const)
  return followObjects(deps, kindsOf, "roles and bindings are still being read")
}

class Roles implements Take {
  constructor(private readonly policy: PolicySink) {}

  *put(place: Place, object: CachedObject): Stages<void> {
    const { rules } = yield* parsingDocument(object)
    yield* this.policy.putRole(place, listOf(rules))
  }

  remove(place: Place): void {
    this.policy.removeRole(place)
  }
}

class Bindings implements Take {
  constructor(private readonly policy: PolicySink) {}

  *put(place: Place, object: CachedObject): Stages<void> {
    const { roleRef, subjects } = yield* parsingDocument(object)
    yield* this.policy.putBinding(place, { roleRef: roleOf(roleRef), subjects: listOf(subjects) })
  }

  remove(place: Place): Stages<void> {
    return this.policy.removeBinding(place)
  }
}

/** The stored object was validated, so its lists have the types of the schema. */
function listOf<Item>(value: JsonValue | undefined): readonly Item[] {
  // The registry has validated it.
  return Array.isArray(value) ? (value as readonly unknown[] as readonly Item[]) : []
}

function roleOf(value: JsonValue | undefined): { kind: string; name: string } {
  const { kind, name } = isObject(value) ? value : {}
  return { kind: typeof kind === "string" ? kind : "", name: typeof name === "string" ? name : "" }
}
