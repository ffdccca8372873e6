/** Sub-resources of a kind: status, scale, sub-resources with a behaviour, and those forwarded to another machine. */
import type { Subresource } from "../../runtime/schema/kind.ts"
import type { TypeRefModel } from "../../model/model.ts"
import { Block } from "./block.ts"
import { checkKnownName, checkPath } from "./checks.ts"
import { kindName, typeName } from "./declare.ts"
import { compareText, expectedWord } from "./diagnostic.ts"
import { present } from "./fields.ts"
import { type KindContext, kindKey, paths } from "./kind-context.ts"
import type { MapEntry } from "./source.ts"
import { isScalar, shownType } from "./type-text.ts"

const viewVerbs: Subresource["verbs"] = ["get", "patch", "update"]
const subresourceVerbs = ["create", "delete", "get", "patch", "update"] as const

/** Called once per kind. Sorted by name, as discovery lists them. */
export function subresources(context: KindContext): Subresource[] {
  const entries = context.file.block.members("subresources")
  return entries.flatMap((entry) => subresource(entry, context)).sort((left, right) => compareText(left.name, right.name))
}

function subresource(entry: MapEntry, context: KindContext): Subresource[] {
  if (entry.value.node !== "map") return []
  const block = new Block(entry.value)
  const name = entry.key
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name))
    context.source.report(entry.keyStart, { found: `the subresource "${name}"`, expected: "small letters, digits and dashes: eviction" })
  if (name === "status") return [status(block, context)]
  if (name === "scale") return [scale(block, context)]
  if (block.has("connect") && block.has("behaviour"))
    context.source.report(block.start("behaviour"), { found: "behaviour beside connect", expected: "one of the two" })
  if (!block.has("connect") && !block.has("behaviour"))
    context.source.report(entry.value.start, { found: 'neither "behaviour" nor "connect" in a subresource', expected: "one of the two" })
  return block.has("connect") ? connect(name, block, context) : behaviour(name, block, context)
}

function status(block: Block, context: KindContext): Subresource {
  const keeps = paths(block, "keeps", context) ?? []
  const unowned = paths(block, "unowned", context) ?? []
  const isFree = block.flag("freeFinalizers") ?? false
  const isWhole = block.flag("validatesObject") ?? false
  const verbs = verbsOf(block, viewVerbs)
  return {
    name: "status",
    type: "status",
    verbs,
    keeps,
    ...(unowned.length > 0 && { unowned }),
    ...(isFree && { freeFinalizers: true }),
    ...(isWhole && { validatesObject: true }),
  }
}

function connect(name: string, block: Block, context: KindContext): Subresource[] {
  const connected = block.word("connect", ["attach", "exec", "log", "portforward", "proxy"])
  const options = bodyKind(block, "options", context)
  if (!block.has("options"))
    context.source.report(block.node.start, {
      found: 'no "options" beside connect',
      expected: "the type of its query parameters: core/v1 PodLogOptions",
    })
  if (context.file.group !== "")
    context.source.report(block.start("connect"), {
      found: `connect in a kind of the group ${context.file.group}`,
      expected: "a kind of the core group: requests are passed on to pods, services and nodes; a behaviour answers for others",
    })
  if (connected === undefined || options === undefined) return []
  return [
    { name, type: "connect", verbs: verbsOf(block, ["get"]), connect: connected, options, ...(connected !== "log" && { kind: options }) },
  ]
}

function verbsOf(block: Block, otherwise: Subresource["verbs"]): Subresource["verbs"] {
  if (!block.has("verbs")) return otherwise
  const written = block.texts("verbs")
  return subresourceVerbs.filter((verb) => written.includes(verb))
}

function scale(block: Block, context: KindContext): Subresource {
  const path = (word: string, fits: (type: TypeRefModel) => boolean, expected: string): string | undefined => {
    const written = block.text(word)
    if (written === undefined) return undefined
    const type = checkPath(written, block.get(word), context.self, context.source, context.table)
    if (type !== undefined && !fits(type))
      context.source.report(block.start(word), { found: `the field ${written} of type ${shownType(type)} for ${word}`, expected })
    return written
  }
  const count = (word: string): string => path(word, (type) => isScalar(type, "int32"), "a field of type int32") ?? ""
  const selector = path(
    "selector",
    (type) => isScalar(type, "string") || "ref" in type || "map" in type,
    "a selector: text, labels or meta.v1.LabelSelector",
  )
  const view = { specReplicas: count("specReplicas"), statusReplicas: count("statusReplicas"), ...present({ selector }) }
  return {
    name: "scale",
    type: "scale",
    verbs: verbsOf(block, viewVerbs),
    kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    scale: view,
  }
}

function behaviour(name: string, block: Block, context: KindContext): Subresource[] {
  const behaviourName = block.text("behaviour")
  if (behaviourName === undefined) return []
  const node = block.get("behaviour")
  if (node !== undefined) checkKnownName(behaviourName, node, context.known.behaviours, "behaviour", context.source)
  return [
    {
      name,
      type: "behaviour",
      verbs: verbsOf(block, ["create"]),
      behaviour: behaviourName,
      ...present({ kind: bodyKind(block, "kind", context) }),
    },
  ]
}

/** `policy/v1 Eviction`: a kind, or a type without a resource of its own. */
function bodyKind(block: Block, word: "kind" | "options", { source, table }: KindContext): Subresource["kind"] {
  const written = block.text(word) ?? ""
  const name = kindName(written)
  if (name === undefined || table.declarations.has(typeName(name.group, name.version, name.kind))) return name
  const known = [...table.declarations.values()].map((declared) => kindKey(declared.group, declared.version, declared.localName))
  const { nearest } = expectedWord(kindKey(name.group, name.version, name.kind), known)
  source.report(block.start(word), {
    found: `unknown kind "${written}"`,
    expected: "a kind or type that some schema file declares, as group/version Kind",
    ...present({ nearest }),
  })
  return undefined
}
