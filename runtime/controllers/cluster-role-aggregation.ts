/**
 * Gives a ClusterRole with an `aggregationRule` the rules of the ClusterRoles that its selectors choose (catalog
 * rbac.yaml: aggregation). A change of a role queues the roles whose selectors match it, before or after the change.
 */
import { Turns } from "../base/turns.ts"
import { fieldKeyWork } from "../base/work.ts"
import type { ClusterRole } from "../../generated/rbac.authorization.orch.io/v1/cluster-role/types.ts"
import { isObject } from "../base/json.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { type LabelSelector, labelSelectorOf } from "../query/selector.ts"
import { parseObject } from "../registry/object-codec.ts"
import type { CachedObject, CacheEvent } from "../storage/cache.ts"
import type { ControllerDeps } from "./controller.ts"
import { clusterRoleAggregation } from "./identities.ts"
import { type KeyedController, type Keys, startKeyedController } from "./keyed-controller.ts"
import { orGone, orUndefined } from "./refusals.ts"

const kind = { group: "rbac.authorization.orch.io", version: "v1", resource: "clusterroles" }
const fieldManager = "clusterrole-aggregation-controller"

type Rules = NonNullable<ClusterRole["rules"]>

/** Called once at start. */
export function startClusterRoleAggregation(deps: ControllerDeps): KeyedController {
  const selectors = new Map<string, readonly LabelSelector[]>()
  const controller = startKeyedController(deps, {
    queue: "ClusterRoleAggregator",
    fault: "the rules of a ClusterRole could not be united; tried again later",
    workers: 5,
    watched: [{ kind, changed: (role, keys, event) => note(selectors, role, { keys, event }) }],
    work: (name) => unite(deps, name),
  })
  return { ...controller, made: controller.idle() }
}

interface Change {
  readonly keys: Keys
  readonly event: CacheEvent | undefined
}

/** Keeps the selectors of aggregated roles, and queues the roles that the change affects. */
function note(selectors: Map<string, readonly LabelSelector[]>, role: CachedObject, { keys, event }: Change): void {
  const name = role.field("metadata.name")
  const own = event?.type === "DELETED" ? [] : selectorsOf(role)
  if (own.length > 0) {
    selectors.set(name, own)
    keys.add(name)
  } else selectors.delete(name)
  const labels = [role.labels(), ...(event?.previous === undefined ? [] : [event.previous.labels()])]
  for (const [other, chosen] of selectors) if (labels.some((one) => chosen.some((selector) => selector.matches(one)))) keys.add(other)
}

const ruleField = Buffer.from('"aggregationRule":')

/** An invalid selector, which only another program can have stored, matches nothing. */
function selectorsOf(role: CachedObject): LabelSelector[] {
  // Few roles have an aggregation rule, and the start reads all roles.
  if (!role.json().includes(ruleField)) return []
  const rule = parseObject(role.json())["aggregationRule"]
  const given = isObject(rule) ? rule["clusterRoleSelectors"] : undefined
  return (Array.isArray(given) ? given : []).flatMap((selector) => {
    try {
      return [labelSelectorOf(selector)]
    } catch {
      return []
    }
  })
}

async function unite({ api, registry }: ControllerDeps, name: string): Promise<void> {
  const { clusterroles } = api(clusterRoleAggregation(registry)).rbac.v1
  const role = await orUndefined(clusterroles.get(name))
  const chosen = role?.aggregationRule?.clusterRoleSelectors ?? []
  if (role === undefined || chosen.length === 0) return
  const rules: Rules = []
  const known = new Set<string>()
  const turns = new Turns()
  for (const selector of chosen) {
    const labelSelector = labelSelectorOf(selector).toString()
    const { items } = await clusterroles.list({ ...(labelSelector !== "" && { labelSelector }) })
    for (const other of items) {
      if (turns.isOver(fieldKeyWork * (1 + (other.rules?.length ?? 0)))) await turns.next()
      if (other.metadata.name === name) continue
      for (const rule of other.rules ?? []) {
        const text = JSON.stringify(rule)
        if (!known.has(text)) rules.push(rule)
        known.add(text)
      }
    }
  }
  if (deepEqual(rules, role.rules ?? [])) return
  // With the uid: without it, an apply could recreate a role that was deleted meanwhile, with rules but without its
  // aggregation rule.
  const { uid = "" } = role.metadata
  await orGone(clusterroles.apply({ metadata: { name, uid }, rules }, { fieldManager, force: true }))
}
