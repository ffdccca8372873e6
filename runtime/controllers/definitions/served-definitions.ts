/**
 * Keeps the table of kinds equal to the established definitions. Every server of a store does this with its own watch
 * of the definitions.
 */
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { definitionGroup, definitionResource } from "../../definitions/definition-kind.ts"
import { type DefinitionOptions, type DefinitionParts, isEstablished, kindsOf, partsOf } from "../../definitions/kind.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { parseObject } from "../../registry/object-codec.ts"
import { validateObjectMeta } from "../../registry/object-meta.ts"
import type { Kind } from "../../schema/kind.ts"
import { typed } from "../../schema/typed.ts"
import { type CachedObject, UndecodableError } from "../../storage/cache.ts"
import type { Controller, ControllerDeps } from "../controller.ts"
import { startInformer } from "../informer.ts"

export interface ServedDefinitions extends Controller {
  /** Resolves when the kinds of all definitions present at the start are served. */
  readonly ready: Promise<void>
  /** Why they are not served yet; undefined once they are. */
  fault(): string | undefined
}

/** A definition in the table. */
interface Served {
  readonly definition: CustomResourceDefinition
  readonly parts: DefinitionParts
  readonly kinds: readonly Kind[]
}

/** Called once at start. Does nothing if definitions are not served. */
export function startServedDefinitions(
  deps: ControllerDeps,
  options: Omit<DefinitionOptions, "vendor" | "checkMetadata">,
): ServedDefinitions {
  const kind = deps.registry.deps.kinds.find(definitionGroup, "v1", definitionResource)
  if (kind === undefined) return { ready: Promise.resolve(), fault: () => undefined, stop: async () => {} }
  deps.registry.deps.kinds.isComplete = false
  const table = new DefinitionTable(deps, { ...options, vendor: deps.registry.deps.vendor, checkMetadata })
  const following = startInformer(deps, kind, {
    onState: (objects) => table.replaceAll(objects),
    onEvents: (events) => {
      for (const { type, object } of events) table.change(object, type === "DELETED")
    },
  })
  return {
    ready: following.then(() => table.filled),
    fault: () => (table.isFilled ? undefined : "the definitions are still being read from the store"),
    async stop() {
      await (await following).stop()
    },
  }
}

/** Metadata of an embedded resource may or may not have a namespace, whatever its kind. */
const checkMetadata: DefinitionOptions["checkMetadata"] = (metadata, path, failures) =>
  validateObjectMeta(metadata, { namespaced: (metadata.namespace ?? "") !== "", nameRule: "path-segment", failures, path })

class DefinitionTable {
  isFilled = false
  readonly filled: Promise<void>
  private resolveFilled = (): void => {}
  private readonly served = new Map<string, Served>()

  constructor(
    private readonly deps: ControllerDeps,
    private readonly options: DefinitionOptions,
  ) {
    this.filled = new Promise((resolve) => {
      this.resolveFilled = resolve
    })
  }

  replaceAll(objects: Iterable<CachedObject>): void {
    const names = new Set<string>()
    for (const object of objects) names.add(this.change(object, false))
    for (const name of [...this.served.keys()]) if (!names.has(name)) this.remove(name)
    this.isFilled = true
    this.deps.registry.deps.kinds.isComplete = true
    this.resolveFilled()
  }

  /** Returns the name of the definition. */
  change(object: CachedObject, isGone: boolean): string {
    // Uses the key: `field` would parse the whole definition for its name.
    const name = object.key.slice(object.key.lastIndexOf("/") + 1)
    const definition = isGone ? undefined : readDefinition(object)
    const { definitions } = this.deps.registry
    if (definition !== undefined && isEstablished(definition)) {
      this.serve(name, definition)
      definitions.note(name, { key: object.key, modRevision: object.modRevision })
    } else this.remove(name)
    return name
  }

  private serve(name: string, definition: CustomResourceDefinition): void {
    const before = this.served.get(name)
    const isSame = before !== undefined && servesSame(before.definition, definition)
    const parts = isSame ? before.parts : partsOf(definition, this.options)
    const kinds = kindsOf(isSame ? { ...definition, spec: before.definition.spec } : definition, parts, this.options)
    if (isSame && kinds[0]?.custom?.isTerminating === before.kinds[0]?.custom?.isTerminating) return
    const { registry } = this.deps
    const old = before?.kinds ?? []
    this.served.set(name, { definition: isSame ? before.definition : definition, parts, kinds: registry.deps.kinds.replace(old, kinds) })
    registry.release(old, isSame ? undefined : old[0]?.storage.path)
  }

  private remove(name: string): void {
    const before = this.served.get(name)
    if (before === undefined) return
    this.served.delete(name)
    const { registry } = this.deps
    registry.deps.kinds.replace(before.kinds, [])
    registry.release(before.kinds, before.kinds[0]?.storage.path)
    registry.definitions.forget(name)
  }
}

/** As in the reference: reading of objects does not change while neither the spec nor the accepted names change. */
function servesSame(before: CustomResourceDefinition, now: CustomResourceDefinition): boolean {
  return (
    before.metadata.uid === now.metadata.uid &&
    deepEqual(typed(before.spec), typed(now.spec)) &&
    deepEqual(typed(before.status.acceptedNames), typed(now.status.acceptedNames))
  )
}

/** Shared by the controllers that read the same object; none of them changes the definition. */
const read = new WeakMap<CachedObject, CustomResourceDefinition>()

/** Undefined for a definition that cannot be decoded; the cache reports it. */
export function readDefinition(object: CachedObject): CustomResourceDefinition | undefined {
  try {
    const definition = read.get(object) ?? typed<CustomResourceDefinition>(parseObject(object.json()))
    read.set(object, definition)
    return definition
  } catch (error) {
    if (error instanceof UndecodableError) return undefined
    throw error
  }
}
