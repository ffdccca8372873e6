/**
 * The namespace controller. Deletes the content of a terminating namespace: pods first, the rest once they are gone, so
 * that nothing they rely on disappears before them (CVE-2024-7598). Then it removes the server's own finalizer. All
 * state is in the objects, so a restart resumes the work.
 */
import { namespaceController } from "../identities.ts"
import { serverAttributes } from "../../admission/server-identity.ts"
import { typed } from "../../schema/typed.ts"
import type { Namespace } from "../../../generated/core/v1/namespace/types.ts"
import { shortList } from "../../base/bounded-text.ts"
import { ApiError } from "../../base/errors.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { Subresource } from "../../schema/kind.ts"
import { timeText } from "../../base/time.ts"
import { parseObject } from "../../registry/object-codec.ts"
import { awaitDefinitions } from "../../registry/definition-guard.ts"
import { awaitFreshness } from "../../registry/read.ts"
import { metadataOf } from "../../registry/stored-metadata.ts"
import type { KindHandle, Registry } from "../../registry/registry.ts"
import { updateObject } from "../../registry/update.ts"
import type { CachedObject } from "../../storage/cache.ts"
import { startPacedInformer } from "../paced-informer.ts"
import { errorText } from "../../base/error-text.ts"
import type { ControllerDeps, Controller } from "../controller.ts"
import { conditionsOf, contentKinds, sweep, type SweepResult, type TerminatingNamespace } from "./namespace-content.ts"
import { NamespaceRequeue } from "./namespace-requeue.ts"
import { createWorkQueue, type WorkQueue } from "../work-queue.ts"

export interface NamespaceController extends Controller {
  /** Resolves when there is nothing to do until something changes. For tests. */
  idle(): Promise<void>
}

/** Called once at start, whether `namespaces` is served or not. */
export function startNamespaceController(deps: ControllerDeps): NamespaceController {
  const { registry, clock, log, meters } = deps
  const kind = registry.deps.kinds.find("", "v1", "namespaces")
  if (kind === undefined) return { idle: async () => {}, stop: async () => {} }
  const waits = new NamespaceRequeue({ clock, again: (name) => queue.add(name) })
  const meter = meters?.("namespace")
  const queue: WorkQueue = createWorkQueue({
    clock,
    ...(meter !== undefined && { meter }),
    work: async (name) => empty(deps, { handle: await registry.handle(kind), name, waits }),
    onError: (error, name) => log.warn({ namespace: name, error: errorText(error) }, "a namespace could not be emptied; tried again later"),
  })
  const consider = (object: CachedObject): void => {
    if (object.field("status.phase") === "Terminating") queue.add(object.field("metadata.name"))
  }
  const informer = startPacedInformer(deps, kind, {
    object: consider,
    event: ({ type, object }) => (type === "DELETED" ? undefined : consider(object)),
  })
  return {
    async idle() {
      await informer.settled()
      await queue.idle()
    },
    async stop() {
      await informer.stop()
      await queue.stop()
      waits.stop()
    },
  }
}

interface Task {
  readonly handle: KindHandle
  readonly name: string
  readonly waits: NamespaceRequeue
}

async function empty(deps: ControllerDeps, task: Task): Promise<void> {
  const { registry } = deps
  const { handle, name, waits } = task
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const entry = handle.cache.get(handle.key("", name))
  const namespace = entry === undefined ? undefined : typed<Namespace>(handle.fromStored(parseObject(entry.json())))
  waits.end(name)
  if (namespace === undefined || !isOurs(namespace, registry.deps.vendor.word)) return
  // Admission already refuses creations; waits for earlier ones, so that the sweep finds their objects.
  await registry.creations.drained(name)
  await awaitDefinitions(registry)
  const { uid } = namespace.metadata
  const found = await sweepInOrder(deps, { name, isStill: async () => (await uidNow(registry, task)) === uid })
  if (found.remaining.length === 0 && found.faults.length === 0) return finalize(deps, task, uid)
  waits.begin(name, found.remaining)
  await report(deps, task, { namespace, found })
  if (found.faults.length > 0) throw new Error(shortList(found.faults, "; "))
}

/**
 * Whether the namespace is terminating and held by this server's finalizer or by none. Otherwise its content is gone
 * and other finalizers hold it.
 */
function isOurs({ metadata, spec: { finalizers = [] } }: Namespace, word: string): boolean {
  return metadata.deletionTimestamp !== undefined && (finalizers.length === 0 || finalizers.includes(word))
}

/** Returns the uid of the current namespace of this name; undefined when there is none. */
async function uidNow(registry: Registry, { handle, name }: Task): Promise<string | undefined> {
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const entry = handle.cache.get(handle.key("", name))
  return entry === undefined ? undefined : metadataOf(entry).uid
}

async function sweepInOrder({ registry }: ControllerDeps, namespace: TerminatingNamespace): Promise<SweepResult> {
  const kinds = contentKinds(registry)
  const pods = kinds.filter((kind) => kind.group === "" && kind.resource === "pods")
  const first = await sweep(registry, pods, namespace)
  if (first.remaining.length > 0 || first.faults.length > 0) return first
  return sweep(
    registry,
    kinds.filter((kind) => !pods.includes(kind)),
    namespace,
  )
}

/** Writes to the status what keeps the namespace from being deleted. */
async function report(
  { registry, clock }: ControllerDeps,
  task: Task,
  { namespace, found }: { namespace: Namespace; found: SweepResult },
): Promise<void> {
  const { conditions: before = [] } = namespace.status
  const conditions = conditionsOf(found, before, timeText(clock.nowMs()))
  if (deepEqual(conditions, before)) return
  await change(registry, task, {
    uid: namespace.metadata.uid,
    subresource: "status",
    transform: (old) => ({ ...old, status: { ...old.status, conditions } }),
  })
}

/**
 * The last step: a namespace without any finalizer is deleted. Another server may have finished it already and a new
 * namespace may have its name; that one keeps its finalizer.
 */
async function finalize({ registry }: ControllerDeps, task: Task, uid: string | undefined): Promise<void> {
  const { word } = registry.deps.vendor
  await change(registry, task, {
    uid,
    subresource: "finalize",
    transform: (old) => {
      const { finalizers = [], ...spec } = old.spec
      const left = finalizers.filter((finalizer) => finalizer !== word)
      return { ...old, spec: left.length === 0 ? spec : { ...spec, finalizers: left } }
    },
  })
}

interface NamespaceUpdate {
  readonly uid: string | undefined
  readonly subresource: string
  readonly transform: (old: Namespace) => Namespace
}

/** Updates the namespace with this uid. Does nothing when it is gone or another one has its name. */
async function change(registry: Registry, task: Task, { uid, subresource, transform }: NamespaceUpdate): Promise<void> {
  const { handle, name } = task
  const attributes = serverAttributes(namespaceController(registry), "UPDATE", { kind: handle.kind, namespace: "", name, subresource })
  const to = { attributes, subresource: subresourceOf(handle, subresource), ...(uid !== undefined && { uid }) }
  try {
    await updateObject(registry, handle, { ...to, put: false, transform: (old) => transform(typed(old ?? {})) })
  } catch (error) {
    const isGone = error instanceof ApiError && (error.code === 404 || (error.code === 409 && (await uidNow(registry, task)) !== uid))
    if (!isGone) throw error
  }
}

function subresourceOf({ kind }: KindHandle, name: string): Subresource {
  return kind.subresources.find((subresource) => subresource.name === name) ?? { name, type: "behaviour", verbs: [] }
}
