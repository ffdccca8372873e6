/**
 * Creates the bootstrap policy and adds missing parts to its objects, as kube-apiserver does at start (catalog
 * rbac.yaml: reconcile). Additions by users stay. An object whose autoupdate annotation is false is not changed.
 */
import { serverUser } from "../../admission/server-identity.ts"
import { findingUncovered } from "../../authz/rbac/cover.ts"
import { compilingRules } from "../../authz/rbac/rules.ts"
import type { ObjectMeta } from "../../base/json.ts"
import { inParallel } from "../../base/in-parallel.ts"
import { atOnce } from "../../base/turns.ts"
import type { Vendor } from "../../base/vendor.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { DeleteOptions } from "../../schema/object-client.ts"
import { typed } from "../../schema/typed.ts"
import { errorText } from "../../base/error-text.ts"
import type { ControllerDeps, Controller } from "../controller.ts"
import { runEvery } from "../interval.ts"
import { isRefusal, orUndefined } from "../refusals.ts"
import { ensureNamespaces } from "../system-objects.ts"
import { autoUpdateAnnotation, bootstrapPolicy, type WantedBinding, type WantedRole } from "./bootstrap-policy.ts"

const retryMs = 1000

/** Objects that are checked and created in parallel: a store on disk flushes several writes together. */
const madeAtOnce = 16

/**
 * Called once by every server that has RBAC among its modes, whatever controllers it runs: without these roles, only
 * members of system:masters could do anything. Ends when all objects exist. One that cannot be created does not delay
 * the others. If an earlier start or another server has made the policy, this start does not wait, and adds missing
 * parts afterwards. `takenUp` resolves when the authorizer knows the written objects.
 */
export function startBootstrapPolicy(deps: ControllerDeps, takenUp: () => Promise<void>): Controller {
  let isDone = false
  let runs = 0
  let onTried: () => void = () => undefined
  const made = new Promise<void>((resolve) => {
    onTried = resolve
  }).then(takenUp)
  const loop = runEvery({
    clock: deps.clock,
    intervalMs: retryMs,
    retryMs,
    atOnce: true,
    async task() {
      if (isDone) return
      const isFirst = runs++ === 0
      if (isFirst && (await wasMade(deps))) return onTried()
      await ensurePolicy(deps).finally(onTried)
      isDone = true
    },
    onError: (error) => deps.log.warn({ error: errorText(error) }, "the roles of the system could not all be made; tried again later"),
  })
  return { ...loop, made }
}

type PolicyDeps = Pick<ControllerDeps, "api" | "registry">

/** Checks for the object that is created last. */
async function wasMade({ api, registry }: PolicyDeps): Promise<boolean> {
  const last = bootstrapPolicy(registry.deps.vendor).roleBindings.at(-1)?.metadata
  if (last === undefined) return false
  return (await orUndefined(api(serverUser).rbac.v1.rolebindings.get(last.namespace ?? "", last.name))) !== undefined
}

/**
 * Continues after a failure of one object, and throws the first failure at the end. Safe on several servers at once.
 */
export async function ensurePolicy(deps: PolicyDeps): Promise<void> {
  const { kinds, vendor } = deps.registry.deps
  if (kinds.find("rbac.authorization.orch.io", "v1", "clusterroles") === undefined) return
  const { clusterroles, clusterrolebindings, roles, rolebindings } = deps.api(serverUser).rbac.v1
  const policy = bootstrapPolicy(vendor)
  const faults: unknown[] = []
  const each = async <Wanted>(all: readonly Wanted[], ensure: (wanted: Wanted) => Promise<void>): Promise<void> => {
    await inParallel(all, { atOnce: madeAtOnce }, (wanted) => ensure(wanted).catch((error: unknown) => void faults.push(error)))
  }
  await primeSplitBinding(deps).catch((error: unknown) => faults.push(error))
  await primeAggregated(deps).catch((error: unknown) => faults.push(error))
  await each(policy.clusterRoles, (wanted) => ensureRole(vendor, atName(clusterroles, wanted.metadata.name), wanted))
  await each(policy.clusterRoleBindings, (wanted) => ensureBinding(vendor, atName(clusterrolebindings, wanted.metadata.name), wanted))
  await ensureNamespaces(deps)
  await each(policy.roles, (wanted) => ensureRole(vendor, inNamespace(roles, wanted.metadata), wanted))
  await each(policy.roleBindings, (wanted) => ensureBinding(vendor, inNamespace(rolebindings, wanted.metadata), wanted))
  if (faults.length > 0) throw faults[0]
}

/** The operations on one object. */
interface OneObject<Found, Wanted> {
  get(): Promise<Found>
  create(object: Wanted): Promise<unknown>
  update(object: Found & Wanted): Promise<unknown>
  delete(options: DeleteOptions): Promise<void>
}

interface ClusterHandlers<Found, Wanted> {
  get(name: string): Promise<Found>
  create(object: Wanted): Promise<unknown>
  update(object: Found & Wanted): Promise<unknown>
  delete(name: string, options: DeleteOptions): Promise<void>
}

function atName<Found, Wanted>(handlers: ClusterHandlers<Found, Wanted>, name: string): OneObject<Found, Wanted> {
  return {
    get: () => handlers.get(name),
    create: (object) => handlers.create(object),
    update: (object) => handlers.update(object),
    delete: (options) => handlers.delete(name, options),
  }
}

interface NamespaceHandlers<Found, Wanted> {
  get(namespace: string, name: string): Promise<Found>
  create(namespace: string, object: Wanted): Promise<unknown>
  update(namespace: string, object: Found & Wanted): Promise<unknown>
  delete(namespace: string, name: string, options: DeleteOptions): Promise<void>
}

function inNamespace<Found, Wanted>(
  handlers: NamespaceHandlers<Found, Wanted>,
  { namespace = "", name }: WantedRole["metadata"],
): OneObject<Found, Wanted> {
  return {
    get: () => handlers.get(namespace, name),
    create: (object) => handlers.create(namespace, object),
    update: (object) => handlers.update(namespace, object),
    delete: (options) => handlers.delete(namespace, name, options),
  }
}

interface FoundRole {
  readonly metadata: ObjectMeta
  readonly rules?: WantedRole["rules"] | null
  readonly aggregationRule?: WantedRole["aggregationRule"]
}

async function ensureRole<Found extends FoundRole>(
  vendor: Vendor,
  object: OneObject<Found, WantedRole>,
  wanted: WantedRole,
): Promise<void> {
  await unlessFaster(async () => {
    const found = await orUndefined(object.get())
    if (found === undefined) return void (await object.create(wanted))
    const metadata = completed(vendor, found.metadata, wanted)
    if (metadata === undefined) return
    const next = { ...found, ...wanted, metadata, ...roleContent(vendor, found, wanted) }
    if (!deepEqual(typed(next), typed(found))) await object.update(next)
  })
}

/** The rules of an aggregated role belong to a controller. */
function roleContent(vendor: Vendor, found: FoundRole, wanted: WantedRole): Pick<WantedRole, "rules" | "aggregationRule"> {
  const rules = found.rules ?? []
  const selectors = wanted.aggregationRule?.clusterRoleSelectors
  if (selectors !== undefined) {
    const known = found.aggregationRule?.clusterRoleSelectors ?? []
    const lacking = selectors.filter((selector) => !known.some((one) => deepEqual(typed(one), typed(selector))))
    return { rules, aggregationRule: { clusterRoleSelectors: [...known, ...lacking] } }
  }
  const held = atOnce(compilingRules(rules, vendor.neutralGroup))
  const { aggregationRule } = found
  return {
    rules: [...rules, ...atOnce(findingUncovered([held], wanted.rules, vendor.neutralGroup))],
    ...(aggregationRule !== undefined && { aggregationRule }),
  }
}

interface FoundBinding {
  readonly metadata: ObjectMeta
  readonly roleRef: WantedBinding["roleRef"]
  readonly subjects?: WantedBinding["subjects"]
}

async function ensureBinding<Found extends FoundBinding>(
  vendor: Vendor,
  object: OneObject<Found, WantedBinding>,
  wanted: WantedBinding,
): Promise<void> {
  await unlessFaster(async () => {
    const found = await orUndefined(object.get())
    if (found === undefined) return void (await object.create(wanted))
    const metadata = completed(vendor, found.metadata, wanted)
    if (metadata === undefined) return
    const subjects = found.subjects ?? []
    const lacking = wanted.subjects.filter((subject) => !subjects.some((one) => deepEqual(typed(one), typed(subject))))
    if (!deepEqual(found.roleRef, wanted.roleRef)) {
      // `roleRef` is immutable. A newer binding of this name, and its subjects, belong to another writer.
      await object.delete({ preconditions: { uid: found.metadata.uid ?? "" } })
      const { name, namespace, labels, annotations } = { ...wanted.metadata, ...metadata }
      const place = namespace === undefined ? { name } : { name, namespace }
      return void (await object.create({ ...wanted, metadata: { ...place, labels, annotations }, subjects: [...subjects, ...lacking] }))
    }
    const next = { ...found, ...wanted, metadata, subjects: [...subjects, ...lacking] }
    if (!deepEqual(typed(next), typed(found))) await object.update(next)
  })
}

type CompletedMeta = ObjectMeta & WantedRole["metadata"]

/** Adds missing labels and annotations without changing values. Undefined: the object must not be changed. */
function completed(vendor: Vendor, found: ObjectMeta, { metadata }: Pick<WantedRole, "metadata">): CompletedMeta | undefined {
  const { labels = {}, annotations = {} } = found
  if (annotations[autoUpdateAnnotation(vendor)] === "false") return undefined
  return {
    ...found,
    name: metadata.name,
    labels: { ...metadata.labels, ...labels },
    annotations: { ...metadata.annotations, ...annotations },
  }
}

const aggregated = ["admin", "edit", "view"]

/** For a store of a server without aggregation: moves an administrator's rules to the roles that are now aggregated. */
async function primeAggregated({ api }: PolicyDeps): Promise<void> {
  const { clusterroles } = api(serverUser).rbac.v1
  // Bounded: the policy has these roles.
  for (const name of aggregated) {
    const old = await orUndefined(clusterroles.get(name))
    const target = `system:aggregate-to-${name}`
    if (old === undefined || old.aggregationRule !== undefined || (await orUndefined(clusterroles.get(target))) !== undefined) continue
    const { labels, annotations } = old.metadata
    const metadata = { name: target, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) }
    await unlessFaster(async () => void (await clusterroles.create({ metadata, rules: old.rules ?? [] })))
  }
}

/** For older stores: copies the subjects of `system:discovery`, which once also allowed reading public information. */
async function primeSplitBinding({ api }: PolicyDeps): Promise<void> {
  const { clusterrolebindings } = api(serverUser).rbac.v1
  const name = "system:public-info-viewer"
  const old = await orUndefined(clusterrolebindings.get("system:discovery"))
  if (old === undefined || (await orUndefined(clusterrolebindings.get(name))) !== undefined) return
  const { labels, annotations } = old.metadata
  const metadata = { name, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) }
  await unlessFaster(
    async () => void (await clusterrolebindings.create({ metadata, roleRef: { ...old.roleRef, name }, subjects: old.subjects ?? [] })),
  )
}

/** Another server, or a user, was faster: reads the object again, a few times. */
async function unlessFaster(work: () => Promise<void>, attempts = 5): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (attempts === 1 || !isRefusal(error, "AlreadyExists", "Conflict", "NotFound")) throw error
    await unlessFaster(work, attempts - 1)
  }
}
