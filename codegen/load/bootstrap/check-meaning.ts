/** Checks fields of bootstrap objects beyond their types: verbs, resources, subjects, references to other objects. */
import type { Model, TypeModel } from "../../../model/model.ts"
import { type Block, textOf } from "../block.ts"
import { expectedWord } from "../diagnostic.ts"
import { article, type SourceFile, type SourceNode } from "../source.ts"

/** Another object of the folder that a manifest names. */
export interface ObjectReference {
  readonly source: SourceFile
  readonly node: SourceNode
  readonly kind: string
}

const rbac = "rbac.authorization.orch.io"

/** Verbs of requests for resources, and verbs that only a part of the server asks for. */
const resourceVerbs =
  "* approve attest bind create delete deletecollection escalate get impersonate list patch proxy sign update use watch".split(" ")
const pathVerbs = "* delete get head options patch post put".split(" ")

/** Groups in which others serve resources. */
const groupsOfOthers = ["extensions", "metrics.orch.io", "custom.metrics.orch.io", "external.metrics.orch.io"]

/** Resources that are only authorized and never served. */
const virtualResources: ReadonlyMap<string, readonly string[]> = new Map([["certificates.orch.io", ["signers"]]])

/** Groups that the schemas declare, with their resources. */
export type KnownResources = ReadonlyMap<string, ReadonlySet<string>>

export function knownResources(model: Model): KnownResources {
  const known = new Map<string, Set<string>>([...virtualResources].map(([group, resources]) => [group, new Set(resources)]))
  for (const { group, resource } of model.kinds) {
    const resources = known.get(group) ?? new Set()
    known.set(group, resources.add(resource))
  }
  return known
}

interface Place {
  readonly source: SourceFile
  readonly resources: KnownResources
  readonly refer: (reference: ObjectReference) => void
}

/** Called for each struct of an object. */
export function checkMeaning({ name }: TypeModel, block: Block, place: Place): void {
  if (block.has("verbs")) checkRule(block, place)
  if (name === `${rbac}.v1.Subject`) checkSubject(block, place.source)
  if (name === `${rbac}.v1.RoleRef`) checkRoleRef(block, place)
  if (name === "flowcontrol.apiserver.orch.io.v1.PriorityLevelConfigurationReference") refer("PriorityLevelConfiguration", block, place)
}

function checkRule(block: Block, { source, resources: known }: Place): void {
  const isPath = block.has("nonResourceURLs")
  for (const node of block.items("verbs")) checkWord(node, "verb", isPath ? pathVerbs : resourceVerbs, source)
  for (const node of isPath ? block.items("nonResourceURLs") : []) {
    const path = textOf(node)
    if (path !== undefined && path !== "*" && !path.startsWith("/"))
      source.report(node.start, { found: `the path "${path}"`, expected: "a path that begins with /, or *", nearest: `/${path}` })
  }
  for (const word of isPath ? [] : ["apiGroups", "resources"])
    if (!block.has(word)) source.report(block.node.start, { found: `no "${word}" in a rule`, expected: `${word}: a list` })
  for (const node of block.items("apiGroups")) checkWord(node, "API group", ["*", ...known.keys(), ...groupsOfOthers], source)
  const groups = block.texts("apiGroups")
  const served = groups.flatMap((group) => [...(known.get(group) ?? [])])
  if (groups.includes("*") || !groups.some((group) => known.has(group))) return
  for (const node of block.items("resources")) {
    const [resource = ""] = textOf(node)?.split("/") ?? []
    if (resource === "" || resource === "*" || served.includes(resource)) continue
    const { nearest } = expectedWord(resource, served)
    source.report(node.start, {
      found: `unknown resource "${resource}" of ${groups.map((group) => (group === "" ? "the core group" : group)).join(", ")}`,
      expected: "the plural of a kind of these groups",
      ...(nearest !== undefined && { nearest }),
    })
  }
}

function checkWord(node: SourceNode, title: string, words: readonly string[], source: SourceFile): void {
  const word = textOf(node)
  if (word === undefined || words.includes(word)) return
  const shown = words.map((one) => (one === "" ? '""' : one))
  source.report(node.start, { found: `unknown ${title} "${word}"`, ...expectedWord(word, shown) })
}

/** The server fills in the group, and then compares the stored object with the manifest. */
function checkSubject(block: Block, source: SourceFile): void {
  const kind = block.text("kind")
  if (kind === undefined) return
  const kinds = ["Group", "ServiceAccount", "User"]
  if (!kinds.includes(kind)) {
    source.report(block.start("kind"), { found: `the kind "${kind}" of a subject`, ...expectedWord(kind, kinds) })
    return
  }
  const [word, other] = kind === "ServiceAccount" ? ["namespace", "apiGroup"] : ["apiGroup", "namespace"]
  if (!block.has(word))
    source.report(block.node.start, {
      found: `no "${word}" in a subject of kind ${kind}`,
      expected: word === "apiGroup" ? `apiGroup: ${rbac}` : "namespace: that of the service account",
    })
  if (block.has(other)) source.report(block.start(other), { found: `${other} in a subject of kind ${kind}`, expected: `${word} alone` })
  checkGroup(block, source)
}

function checkGroup(block: Block, source: SourceFile): void {
  const group = block.text("apiGroup") ?? rbac
  if (group !== rbac) source.report(block.start("apiGroup"), { found: `apiGroup "${group}"`, expected: `apiGroup: ${rbac}` })
}

function checkRoleRef(block: Block, place: Place): void {
  checkGroup(block, place.source)
  const kind = block.text("kind")
  if (kind === undefined) return
  const kinds = ["ClusterRole", "Role"]
  if (kinds.includes(kind)) refer(kind, block, place)
  else place.source.report(block.start("kind"), { found: `the kind "${kind}" of a role`, ...expectedWord(kind, kinds) })
}

function refer(kind: string, block: Block, { source, refer: add }: Place): void {
  const node = block.get("name")
  if (node !== undefined && textOf(node) !== undefined) add({ source, node, kind })
}

/** Reports a reference to an object that no manifest has. `names`: all objects of that kind. */
export function checkObjectReference({ source, node, kind }: ObjectReference, names: readonly string[]): void {
  const written = textOf(node) ?? ""
  if (names.includes(written)) return
  const { nearest } = expectedWord(written, names)
  source.report(node.start, {
    found: `${article(node)} for the name of a ${kind}`,
    expected: `the name of a ${kind} of this folder`,
    ...(nearest !== undefined && { nearest }),
  })
}
