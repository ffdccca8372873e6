/**
 * Keeps the graph of the mode Node equal to the pods, volumes and attachments in the watch cache. Most events of pods
 * report their status; their documents are parsed only if they may have new references.
 */
import type { PersistentVolume } from "../../../generated/core/v1/persistent-volume/types.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { NodeGraph, Owned } from "../../authz/node/graph.ts"
import { podReferences, volumeReferences } from "../../authz/node/references.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Stages } from "../../base/turns.ts"
import { typed } from "../../schema/typed.ts"
import type { CachedObject } from "../../storage/cache.ts"
import type { ControllerDeps } from "../controller.ts"
import { followObjects, type ObjectFollower, parsingDocument, type Place, type Take } from "../follow-objects.ts"

/** Called once at start. Skips kinds that the server does not have. */
export function followNodeGraph(deps: ControllerDeps, graph: NodeGraph): ObjectFollower {
  const { kinds, vendor } = deps.registry.deps
  const attachments = new OwnedObjects(graph, "volumeattachments", ({ spec }) => (isObject(spec) ? spec["nodeName"] : undefined))
  const slices = new OwnedObjects(graph, "resourceslices", ({ nodeName }) => nodeName)
  return followObjects(
    deps,
    [
      [kinds.find("", "v1", "pods"), new Pods(graph, vendor.domain("orch.io/config.mirror"))],
      [kinds.find("", "v1", "persistentvolumes"), new Volumes(graph)],
      [kinds.find("storage.orch.io", "v1", "volumeattachments"), attachments],
      [kinds.find("resource.orch.io", "v1alpha2", "resourceslices"), slices],
    ],
    "pods and volumes are still being read",
  )
}

class OwnedObjects implements Take {
  constructor(
    private readonly graph: NodeGraph,
    private readonly kind: Owned,
    private readonly nodeOf: (document: JsonObject) => JsonValue | undefined,
  ) {}

  *put({ name }: Place, object: CachedObject): Stages<void> {
    const node = this.nodeOf(yield* parsingDocument(object))
    this.graph.putOwned(this.kind, name, typeof node === "string" ? node : "")
  }

  remove({ name }: Place): void {
    this.graph.removeOwned(this.kind, name)
  }
}

class Volumes implements Take {
  constructor(private readonly graph: NodeGraph) {}

  *put({ name }: Place, object: CachedObject): Stages<void> {
    this.graph.putVolume(name, volumeReferences(typed<PersistentVolume>(yield* parsingDocument(object))))
  }

  remove({ name }: Place): void {
    this.graph.removeVolume(name)
  }
}

/** Fields through which a bound pod can get new references. */
const laterReferences = ['"ephemeralContainers":', '"resourceClaims":'].map((text) => Buffer.from(text))

class Pods implements Take {
  constructor(
    private readonly graph: NodeGraph,
    private readonly mirror: string,
  ) {}

  put(place: Place, object: CachedObject): void | Stages<void> {
    const key = keyOf(place)
    const facts = { node: object.field("spec.nodeName"), incarnation: object.createRevision }
    if (facts.node === "") return this.graph.removePod(key)
    if (this.graph.hasPod(key, facts) && !mentions(object.json(), laterReferences)) return
    return this.putting(key, facts, object)
  }

  remove(place: Place): void {
    this.graph.removePod(keyOf(place))
  }

  private *putting(key: string, facts: { readonly node: string; readonly incarnation: number }, object: CachedObject): Stages<void> {
    const document = yield* parsingDocument(object)
    this.graph.putPod(key, { ...facts, references: podReferences(typed<Pod>(document), this.mirror) })
  }
}

function keyOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`
}

function mentions(json: Buffer, texts: readonly Buffer[]): boolean {
  return texts.some((text) => json.includes(text))
}
