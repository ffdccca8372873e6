/** Installs the definitions given at start, before the server is ready. */
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import type { Clock } from "../../base/clock.ts"
import { ApiError } from "../../base/errors.ts"
import { inParallel } from "../../base/in-parallel.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import type { Vendor } from "../../base/vendor.ts"
import { definitionGroup, definitionResource } from "../../definitions/definition-kind.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { KindTable } from "../../registry/kinds.ts"
import type { Kind } from "../../schema/kind.ts"
import type { ObjectClient } from "../../schema/object-client.ts"
import { typed } from "../../schema/typed.ts"
import { errorText } from "../../base/error-text.ts"
import { acceptNames, fixedKinds, takenNames } from "./names.ts"

/** The start cannot go on, because definitions were refused. */
export class RefusedDefinitionsError extends Error {}

export interface StartDefinition {
  readonly definition: JsonObject
  /** Its option and file, for messages: `--crd: crds/a.yaml`. */
  readonly where: string
}

/** Parts of the server that the installation needs. */
export interface InstallDeps {
  readonly client: ObjectClient
  readonly kinds: KindTable
  readonly vendor: Vendor
  readonly clock: Clock
}

const installsAtOnce = 16

/**
 * Milliseconds for one definition until its kind is served: the store or another server of it may have to come back.
 */
const installMsMax = 60_000

/** Delay after a transient failure; doubled each time, up to `retryMsMax`. */
const retryMs = 100
const retryMsMax = 5000

/** Field manager of applied definitions. */
const fieldManager = "orch-apiserver"

const collection = { group: definitionGroup, version: "v1", resource: definitionResource, namespace: "" }

/**
 * Applies definitions, which also updates existing ones, and resolves when their kinds are served. Rejects with
 * RefusedDefinitionsError, which says why, if one is refused, does not get its names, or is not served within
 * `installMsMax`. A definition that is being deleted is created again once it is gone.
 */
export async function installDefinitions(deps: InstallDeps, definitions: readonly StartDefinition[]): Promise<void> {
  const faults: string[] = []
  await inParallel(definitions, { atOnce: installsAtOnce }, async ({ definition, where }) => {
    const name = nameOf(definition)
    const patience = new AbortController()
    const cancel = deps.clock.after(installMsMax, () => patience.abort(new Error(lateText(""))))
    try {
      await new Installation(deps, definitions, { name, signal: patience.signal }).run(definition)
    } catch (error) {
      const fault = error instanceof NameConflict ? error.message : `was refused: ${errorText(error)}`
      faults.push(`${where}: the definition ${JSON.stringify(name)} ${fault}`)
    } finally {
      cancel()
    }
  })
  if (faults.length > 0) throw new RefusedDefinitionsError(faults.join("\n"))
}

export function nameOf({ metadata }: JsonObject): string {
  const name = isObject(metadata) ? metadata.name : undefined
  return typeof name === "string" ? name : ""
}

class NameConflict extends Error {}

/** The installation of one definition. */
class Installation {
  private readonly name: string
  private readonly signal: AbortSignal

  constructor(
    private readonly deps: InstallDeps,
    private readonly installed: readonly StartDefinition[],
    { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  ) {
    this.name = name
    this.signal = signal
  }

  async run(definition: JsonObject): Promise<void> {
    do await this.apply(definition)
    while ((await this.settled()) === "deleted")
    const { versions } = typed<CustomResourceDefinition>(definition).spec
    if (versions?.some(({ served }) => served) === true) await this.served()
  }

  /** Retries while the store or the server cannot answer. */
  private async apply(definition: JsonObject): Promise<void> {
    const { client } = this.deps
    for (let delay = retryMs; ; delay = Math.min(delay * 2, retryMsMax)) {
      try {
        await client.apply({ ...collection, name: this.name }, definition, { fieldManager, force: true, signal: this.signal })
        return
      } catch (error) {
        if (!(error instanceof ApiError) || (error.code < 500 && error.code !== 429)) throw error
        await this.pause(delay, error)
      }
    }
  }

  /** Rejects with `failure` when no time is left. */
  private async pause(delayMs: number, failure: Error): Promise<void> {
    const { signal } = this
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel()
        signal.removeEventListener("abort", end)
        resolve()
      }
      const cancel = this.deps.clock.after(delayMs, end)
      signal.addEventListener("abort", end)
    })
    if (signal.aborted) throw failure
  }

  /** Resolves when the definition has all its requested names, or when it is gone. Throws NameConflict. */
  private async settled(): Promise<"deleted" | "named"> {
    const { signal } = this
    let state = ""
    // Bounded: ends in the expected state.
    for await (const { type, object } of this.deps.client.watch(collection, { fieldSelector: `metadata.name=${this.name}`, signal })) {
      if (type === "DELETED") return "deleted"
      const definition = typed<CustomResourceDefinition>(object)
      if (definition.metadata.deletionTimestamp !== undefined) state = deletionState(definition)
      else if (await this.hasNames(definition)) return "named"
    }
    throw new Error(signal.aborted ? lateText(state) : "the server has stopped")
  }

  /**
   * Conditions are not enough: the conditions of an existing definition are about its old names, and the owner of a
   * name may be about to release it, because it is being deleted or this start changes it. Both cause another event.
   */
  private async hasNames(definition: CustomResourceDefinition): Promise<boolean> {
    const { spec, status } = definition
    const asked = acceptNames(definition, takenNames([])).names
    if (deepEqual(typed(asked), typed(status.acceptedNames))) return true
    const refusal = status.conditions?.find((one) => one.type === "NamesAccepted" && one.status === "False")
    if (refusal === undefined) return false
    const reserved = acceptNames(definition, takenNames([], fixedKinds(this.deps, spec.group)))
    if (reserved.conflict !== undefined) throw new NameConflict(conflictText(reserved.conflict, "a kind of the server"))
    const { items } = await this.deps.client.list(collection, { signal: this.signal })
    for (const each of items) {
      const other = typed<CustomResourceDefinition>(each)
      if (other.spec.group !== spec.group || other.metadata.name === this.name || !this.keepsNames(definition, other)) continue
      const { conflict } = acceptNames(definition, takenNames([other.status.acceptedNames]))
      if (conflict !== undefined) throw new NameConflict(conflictText(conflict, `the definition ${JSON.stringify(other.metadata.name)}`))
    }
    return false
  }

  /** Whether `other` keeps names that `definition` asks for. */
  private keepsNames(definition: CustomResourceDefinition, { metadata }: CustomResourceDefinition): boolean {
    if (metadata.deletionTimestamp !== undefined) return false
    const change = this.installed.find((one) => nameOf(one.definition) === metadata.name)
    if (change === undefined) return true
    const { spec } = change.definition
    if (!isObject(spec) || !isObject(spec.names)) return true
    return acceptNames(definition, takenNames([typed(spec.names)])).conflict !== undefined
  }

  /** Resolves when the table has a kind of the definition. */
  private async served(): Promise<void> {
    const { kinds } = this.deps
    const { name, signal } = this
    const isOfDefinition = ({ custom }: Kind): boolean => custom?.definition === name
    if (kinds.all().some(isOfDefinition)) return
    let forget = (): void => {}
    await new Promise<void>((resolve) => {
      forget = kinds.onChange((added) => {
        if (added.some(isOfDefinition)) resolve()
      })
      signal.addEventListener("abort", () => resolve(), { once: true })
    })
    forget()
    signal.throwIfAborted()
  }
}

function conflictText({ reason, message }: { readonly reason: string; readonly message: string }, owner: string): string {
  const fix = "choose another name in spec.names, or delete the other definition"
  return `is not served: a name in spec.names belongs to ${owner}: ${message} (${reason}); ${fix}`
}

function lateText(state: string): string {
  return `it is not served after ${installMsMax / 1000} seconds${state}`
}

/** A terminating definition goes once its objects are gone, and finalizers may hold them forever. */
function deletionState({ status }: CustomResourceDefinition): string {
  const terminating = status.conditions?.find(({ type }) => type === "Terminating")
  return `: it is being deleted: ${terminating?.message ?? "its finalizers are left"}`
}
