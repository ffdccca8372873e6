/**
 * The controller of definitions: accepts their names, establishes them, and removes the objects of a deleted one before
 * its finalizer. All state is in the objects, so a restart resumes the work. One server of a store runs it.
 */
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { serverAttributes } from "../../admission/server-identity.ts"
import { ApiError } from "../../base/errors.ts"
import { timeText } from "../../base/time.ts"
import { nextTurn } from "../../base/turns.ts"
import { cleanupFinalizer, type DefinitionCondition, isConditionTrue, withCondition } from "../../definitions/conditions.ts"
import { definitionGroup, definitionResource } from "../../definitions/definition-kind.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { ApiObject } from "../../base/json.ts"
import { parseObject } from "../../registry/object-codec.ts"
import { awaitFreshness } from "../../registry/read.ts"
import type { KindHandle } from "../../registry/registry.ts"
import { updateObject } from "../../registry/update.ts"
import type { Kind } from "../../schema/kind.ts"
import { typed } from "../../schema/typed.ts"
import { errorText } from "../../base/error-text.ts"
import type { Controller, ControllerDeps } from "../controller.ts"
import { definitionController } from "../identities.ts"
import { startInformer } from "../informer.ts"
import { createWorkQueue, type WorkQueue } from "../work-queue.ts"
import { nextStatus } from "./definition-status.ts"
import { emptyDefinition } from "./empty-definition.ts"
import { KnownDefinitions } from "./known-definitions.ts"
import { fixedKinds, type TakenNames, takenNames } from "./names.ts"
import { readDefinition } from "./served-definitions.ts"

export interface DefinitionController extends Controller {
  /** Resolves when there is nothing to do until something changes. For tests. */
  idle(): Promise<void>
}

/** Definitions written at once: a store writes them as one batch. */
const atOnce = 16

/** Reason of the condition Terminating while objects are left. */
const checked = "InstanceDeletionCheck"

/** Delay before the next check of a definition whose objects are held by finalizers. */
const recheckMs = 1000

/** Called once at start, whether definitions are served or not. */
export function startDefinitionController(deps: ControllerDeps): DefinitionController {
  const kind = deps.registry.deps.kinds.find(definitionGroup, "v1", definitionResource)
  if (kind === undefined) return { idle: async () => {}, stop: async () => {} }
  const work = new Definitions(deps, kind)
  const following = startInformer(deps, kind, {
    onState: (objects) => {
      const names = new Set<string>()
      for (const object of objects) {
        const definition = readDefinition(object)
        if (definition !== undefined) names.add(work.note(definition))
      }
      work.keepOnly(names)
    },
    onEvents: (events) => {
      for (const { type, object } of events) {
        const definition = readDefinition(object)
        if (definition === undefined) continue
        if (type === "DELETED") work.forget(definition)
        else work.note(definition)
      }
    },
  })
  return {
    async idle() {
      await following
      await work.queue.idle()
    },
    async stop() {
      await (await following).stop()
      await work.stop()
    },
  }
}

class Definitions {
  readonly queue: WorkQueue
  /** The newest known state of each definition, including this controller's own writes. */
  private readonly known = new KnownDefinitions()
  /** The version in which this controller left a definition that is not being deleted; it needs no more work. */
  private readonly settled = new Map<string, string>()
  private readonly cancels = new Map<string, () => void>()

  constructor(
    private readonly deps: ControllerDeps,
    private readonly kind: Kind,
  ) {
    const meter = deps.meters?.("crd_naming_condition_controller")
    this.queue = createWorkQueue({
      clock: deps.clock,
      ...(meter !== undefined && { meter }),
      workers: atOnce,
      work: (name) => this.work(name),
      onError: (error, name) =>
        deps.log.warn({ definition: name, error: errorText(error) }, "a definition could not be processed; tried again later"),
    })
  }

  /** Returns the name. */
  note(definition: CustomResourceDefinition): string {
    const { name = "" } = definition.metadata
    this.known.set(name, definition)
    this.queue.add(name)
    return name
  }

  /** Names of the definition may be free now. */
  forget(definition: CustomResourceDefinition): void {
    const { name = "" } = definition.metadata
    this.known.delete(name)
    this.settled.delete(name)
    this.retryRefused(definition.spec.group)
  }

  keepOnly(names: ReadonlySet<string>): void {
    for (const [name, definition] of this.known.all()) if (!names.has(name)) this.forget(definition)
  }

  async stop(): Promise<void> {
    for (const cancel of this.cancels.values()) cancel()
    await this.queue.stop()
  }

  private retryRefused(group: string): void {
    for (const [name, { status }] of this.known.inGroup(group)) {
      if (isConditionTrue(status.conditions, "NamesAccepted")) continue
      this.settled.delete(name)
      this.queue.add(name)
    }
  }

  private async work(name: string): Promise<void> {
    const definition = this.known.get(name)
    const { resourceVersion } = definition?.metadata ?? {}
    // The event of this controller's own write.
    if (definition === undefined || (resourceVersion !== undefined && resourceVersion === this.settled.get(name))) return
    const handle = await this.deps.registry.handle(this.kind)
    // A batch of events may bring many definitions: each is processed in a separate turn.
    await nextTurn()
    const finalizer = this.deps.registry.deps.vendor.group(cleanupFinalizer)
    if (definition.metadata.deletionTimestamp === undefined) await this.settle(handle, definition)
    else if (definition.metadata.finalizers?.includes(finalizer) === true) await this.finish(handle, definition, finalizer)
  }

  /** Writes names and conditions. */
  private async settle(handle: KindHandle, definition: CustomResourceDefinition): Promise<void> {
    const { clock, registry } = this.deps
    const { name = "" } = definition.metadata
    this.settled.delete(name)
    const now = timeText(clock.nowMs())
    const next = await this.change(handle, definition, (old) => {
      const accepted = { ...old, status: nextStatus(old, { taken: this.taken(old), now, vendor: registry.deps.vendor }) }
      // The names are taken from now on, also for definitions that are processed before this one is written.
      this.known.set(name, accepted)
      return accepted
    })
    const { resourceVersion, deletionTimestamp } = next?.metadata ?? {}
    // Not for a definition that was deleted meanwhile: its next event has this version.
    if (resourceVersion !== undefined && deletionTimestamp === undefined) this.settled.set(name, resourceVersion)
    if (next === undefined || deepEqual(typed(next.status.acceptedNames), typed(definition.status.acceptedNames))) return
    this.retryRefused(next.spec.group)
  }

  /** The names of the group that belong to other definitions or to kinds present at the start. */
  private taken({ spec: { group }, metadata: { name: own } }: CustomResourceDefinition): TakenNames {
    const others = this.known.inGroup(group)
    const accepted = [...others].flatMap(([name, { status }]) => (name === own ? [] : [status.acceptedNames]))
    return takenNames(accepted, fixedKinds(this.deps.registry.deps, group))
  }

  /** Deletes the objects of a definition, then its finalizer. */
  private async finish(handle: KindHandle, definition: CustomResourceDefinition, finalizer: string): Promise<void> {
    const { name = "" } = definition.metadata
    this.cancels.get(name)?.()
    this.cancels.delete(name)
    const inProgress = { reason: "InstanceDeletionInProgress", message: "CustomResource deletion is in progress" }
    // Not again after a check: each write queues the definition again.
    await this.change(handle, definition, (old) =>
      terminatingReason(old) === checked ? old : this.terminating(old, { status: "True", ...inProgress }),
    )
    const found = await emptyDefinition(this.deps.registry, definition)
    if (found.left > 0) {
      const held = { reason: checked, message: `could not confirm zero CustomResources remaining: ${found.message}` }
      await this.change(handle, definition, (old) => this.terminating(old, { status: "True", ...held }))
      this.cancels.set(
        name,
        this.deps.clock.after(recheckMs, () => this.queue.add(name)),
      )
      return
    }
    await this.change(handle, definition, (old) => {
      const { finalizers = [], ...metadata } = old.metadata
      const rest = finalizers.filter((one) => one !== finalizer)
      const { status } = this.terminating(old, { status: "False", reason: found.reason, message: found.message })
      return { ...old, status, metadata: rest.length === 0 ? metadata : { ...metadata, finalizers: rest } }
    })
  }

  private terminating(
    old: CustomResourceDefinition,
    condition: Omit<DefinitionCondition, "lastTransitionTime" | "type">,
  ): CustomResourceDefinition {
    const conditions = withCondition(old.status.conditions ?? [], { type: "Terminating", ...condition }, timeText(this.deps.clock.nowMs()))
    return { ...old, status: { ...old.status, conditions } }
  }

  /** Writes through `/status`. Returns undefined if the definition is gone or another one has its name. */
  private async change(
    handle: KindHandle,
    { metadata: { name = "", uid } }: CustomResourceDefinition,
    transform: (old: CustomResourceDefinition) => CustomResourceDefinition,
  ): Promise<CustomResourceDefinition | undefined> {
    const { registry } = this.deps
    const subresource = handle.kind.subresources.find((one) => one.name === "status")
    const write = { kind: handle.kind, namespace: "", name, subresource: "status" }
    try {
      const { object } = await updateObject(registry, handle, {
        attributes: serverAttributes(definitionController(registry), "UPDATE", write),
        ...(subresource !== undefined && { subresource }),
        ...(uid !== undefined && { uid }),
        put: false,
        transform: (old) => typed<ApiObject>(transform(typed(old ?? {}))),
      })
      return typed<CustomResourceDefinition>(object)
    } catch (error) {
      if (error instanceof ApiError && (error.code === 404 || (error.code === 409 && (await this.uidOf(handle, name)) !== uid)))
        return undefined
      throw error
    }
  }

  private async uidOf(handle: KindHandle, name: string): Promise<string | undefined> {
    await awaitFreshness(this.deps.registry, handle, { mode: "most-recent" })
    const entry = handle.cache.get(handle.key("", name))
    return entry === undefined ? undefined : parseObject(entry.json()).metadata?.uid
  }
}

function terminatingReason({ status }: CustomResourceDefinition): string | undefined {
  return status.conditions?.find(({ type }) => type === "Terminating")?.reason
}
