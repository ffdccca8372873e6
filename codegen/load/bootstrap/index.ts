/**
 * The manifests in `bootstrap/` of the built-in schemas: objects that a server makes at its start. They are checked
 * against the types of the model and become data of the program.
 */
import type { JsonObject } from "../../../runtime/base/json.ts"
import type { BootstrapFile, BootstrapObject, KindModel, Model } from "../../../model/model.ts"
import { Block, textOf } from "../block.ts"
import { compareText, expectedWord } from "../diagnostic.ts"
import { article, type MapNode, type SourceFile, toJson } from "../source.ts"
import { checkMeaning, checkObjectReference, knownResources, type ObjectReference } from "./check-meaning.ts"
import { checkStruct, correct } from "./check-object.ts"

/** Whether the file of a schema folder holds manifests: `bootstrap/roles.yaml`. */
export function isBootstrapFile(path: string): boolean {
  return /^bootstrap\/[a-z0-9-]+\.yaml$/.test(path)
}

/** The kinds whose bootstrap objects a controller of the server creates. Objects of other kinds have no effect. */
const madeKinds = [
  "flowcontrol.apiserver.orch.io/v1 FlowSchema",
  "flowcontrol.apiserver.orch.io/v1 PriorityLevelConfiguration",
  "rbac.authorization.orch.io/v1 ClusterRole",
  "rbac.authorization.orch.io/v1 ClusterRoleBinding",
  "rbac.authorization.orch.io/v1 Role",
  "rbac.authorization.orch.io/v1 RoleBinding",
  "scheduling.orch.io/v1 PriorityClass",
]

/** An object that another one in this namespace refers to. */
interface Reference {
  readonly namespace: string
  readonly to: ObjectReference
}

interface Manifest extends BootstrapObject {
  readonly source: SourceFile
  readonly node: MapNode
}

/** Called once the types of `model` are known. Reports faults in the files; `files` are readable. */
export function loadBootstrap(files: readonly SourceFile[], model: Model): readonly BootstrapFile[] {
  const resources = knownResources(model)
  const references: Reference[] = []
  const manifests = files.flatMap((source) =>
    source.documents.flatMap((node): Manifest[] => {
      const kind = kindOf(node, model, source)
      const type = kind && model.types.get(kind.type)
      if (type === undefined || kind === undefined) return []
      checkMetadata(node, kind, source)
      const namespace = new Block(node).block("metadata")?.text("namespace") ?? ""
      const place = { source, resources, refer: (to: ObjectReference) => void references.push({ namespace, to }) }
      checkStruct(node, type, { source, types: model.types, onStruct: (of, block) => checkMeaning(of, block, place) }, written)
      return [{ source, node, kind, value: valueOf(node) }]
    }),
  )
  checkRepeats(manifests)
  // An object with a fault may be the one that is named.
  if (files.every(({ diagnostics }) => diagnostics.length === 0)) checkReferences(references, manifests)
  return files
    .toSorted((left, right) => compareText(left.path, right.path))
    .map((source) => ({
      path: source.path.replace(/\.yaml$/, ""),
      objects: manifests.filter((one) => one.source === source).map(({ kind, value }) => ({ kind, value })),
    }))
}

/** Fields that a manifest does not state, or that are checked separately. */
const written: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"])

function kindOf(node: MapNode, model: Model, source: SourceFile): KindModel | undefined {
  const block = new Block(node)
  const kinds = model.kinds.filter(({ group, version, kind }) => madeKinds.includes(`${group}/${version} ${kind}`))
  const names = kinds.map(({ kind }) => kind)
  const name = textOf(block.get("kind"))
  if (name === undefined) {
    source.report(block.start("kind"), { found: 'no "kind" in a manifest', expected: `kind: ${expectedWord("", names).expected}` })
    return undefined
  }
  const kind = kinds.find((one) => one.kind === name)
  if (kind === undefined) {
    source.report(block.start("kind"), { found: `the kind "${name}", which no server makes at its start`, ...expectedWord(name, names) })
    return undefined
  }
  const right = `${kind.group}/${kind.version}`
  if (block.text("apiVersion") !== right) {
    const found = block.has("apiVersion") ? `another apiVersion than that of ${name}` : 'no "apiVersion" in a manifest'
    source.report(block.start("apiVersion"), { found, expected: `apiVersion: ${right}` })
  }
  if (block.has("status")) source.report(block.start("status"), { found: "a status in a manifest", expected: "none: the server makes it" })
  return kind
}

function checkMetadata(node: MapNode, { kind, namespaced }: KindModel, source: SourceFile): void {
  const words = ["annotations", "labels", "name", ...(namespaced ? ["namespace"] : [])]
  const metadata = new Block(node).get("metadata")
  if (metadata?.node !== "map") {
    const found = metadata === undefined ? `no "metadata" in a ${kind}` : `${article(metadata)} for metadata`
    source.report(metadata?.start ?? node.start, { found, expected: "metadata: with the name of the object" })
    return
  }
  for (const entry of metadata.entries) {
    if (!words.includes(entry.key)) correct(entry, metadata, { title: "the metadata", words, source })
    const { key, value } = entry
    if (!words.includes(key)) continue
    const isText = textOf(value) !== undefined
    const isMap = value.node === "map" && value.entries.every((entry) => textOf(entry.value) !== undefined)
    const expected = key === "name" || key === "namespace" ? "a text" : "a map of texts"
    if (expected === "a text" ? !isText : !isMap)
      source.report(value.start, {
        found: isMap || value.node !== "map" ? `${article(value)} for ${key}` : `other values in ${key}`,
        expected,
      })
  }
  for (const word of words.slice(2))
    if (!metadata.entries.some(({ key }) => key === word))
      source.report(metadata.start, { found: `no "${word}" in the metadata of a ${kind}`, expected: `${word}: a text` })
}

function nameOf(node: MapNode): string {
  return new Block(node).block("metadata")?.text("name") ?? ""
}

function namespaceOf(node: MapNode): string {
  return new Block(node).block("metadata")?.text("namespace") ?? ""
}

/** The object without its kind, API version and status. */
function valueOf(node: MapNode): JsonObject {
  const entries = node.entries.filter(({ key }) => key !== "apiVersion" && key !== "kind" && key !== "status")
  return Object.fromEntries(entries.map(({ key, value }) => [key, toJson(value)]))
}

function checkReferences(references: readonly Reference[], manifests: readonly Manifest[]): void {
  for (const { namespace, to } of references) {
    const named = manifests.filter(({ kind, node }) => kind.kind === to.kind && (!kind.namespaced || namespaceOf(node) === namespace))
    checkObjectReference(
      to,
      named.map(({ node }) => nameOf(node)),
    )
  }
}

function checkRepeats(manifests: readonly Manifest[]): void {
  const seen = new Map<string, Manifest>()
  for (const manifest of manifests) {
    const { source, node, kind } = manifest
    const key = [kind.kind, namespaceOf(node), nameOf(node)].join(" ")
    const first = seen.get(key)
    if (first === undefined) seen.set(key, manifest)
    else
      source.report(new Block(node).block("metadata")?.start("name") ?? node.start, {
        found: `a second ${kind.kind} ${nameOf(node)}`,
        expected: `another name: ${first.source.path} has one of this name`,
      })
  }
}
