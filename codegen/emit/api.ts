/** `api.ts` of the out folder: the operations of every kind by group, version and resource. */
import type { KindModel } from "../../model/model.ts"
import { printFile, propertyName } from "../print/print.ts"
import type { EmitContext } from "./context.ts"
import { handlersName, handlersTypeName } from "./handlers.ts"
import { groupWords } from "./names.ts"
import { kindsOf, localNames } from "./resource.ts"

/** Resources with their kinds, by group word and version. */
type Tree = ReadonlyMap<string, ReadonlyMap<string, readonly KindModel[]>>

/** The text of `api.ts`. */
export function emitApi(context: EmitContext): string {
  const kinds = kindsOf(context).filter((kind) => kind.served !== false)
  const localName = localNames(kinds)
  const tree = treeOf(context, kinds)
  const imports = kinds.map((kind) => {
    const named = (name: string, alias: string, type: boolean) => ({ name, type, ...(alias !== name && { alias }) })
    return {
      module: context.options.importPath("api.ts", kind.file, "handlers"),
      names: [
        named(handlersTypeName(kind.kind), handlersTypeName(localName(kind)), true),
        named(handlersName(kind.kind), handlersName(localName(kind)), false),
      ],
    }
  })
  const doorway = {
    module: context.options.doorwayImport("api.ts"),
    names: [
      { name: "ObjectClient", type: true },
      { name: "onDemand", type: false },
    ],
  }
  const isEmpty = kinds.length === 0
  return printFile({
    source: `${context.options.schemaFolder}/`,
    imports: isEmpty ? [] : [...imports.toSorted((left, right) => (left.module < right.module ? -1 : 1)), doorway],
    declarations: [
      { declare: "code", text: interfaceText(tree, localName) },
      {
        declare: "function",
        name: "api",
        doc: "Makes the operations of every kind over a client; those of a kind when they are first used.",
        parameters: isEmpty ? [] : ["client: ObjectClient"],
        returns: "Api",
        body: makerText(tree, localName),
      },
    ],
  })
}

/** Picks words across all groups of the model, so that a user's group cannot collide with a built-in one. */
function treeOf(context: EmitContext, kinds: readonly KindModel[]): Tree {
  const words = groupWords(context.model.kinds.map(({ group }) => group))
  const tree = new Map<string, Map<string, KindModel[]>>()
  for (const kind of kinds) {
    const word = words.get(kind.group) ?? kind.group
    const versions = tree.get(word) ?? new Map<string, KindModel[]>()
    tree.set(word, versions)
    versions.set(kind.version, [...(versions.get(kind.version) ?? []), kind])
  }
  return tree
}

function interfaceText(tree: Tree, localName: (kind: KindModel) => string): string {
  const lines = ["/** The operations of every kind, by group, version and resource. */", "export interface Api {"]
  for (const [word, versions] of tree) {
    const [[first] = []] = versions.values()
    lines.push(`  /** Group ${JSON.stringify(first?.group ?? "")}. */`, `  readonly ${propertyName(word)}: {`)
    for (const [version, kinds] of versions) {
      lines.push(`    readonly ${propertyName(version)}: {`)
      for (const kind of kinds) lines.push(`      readonly ${propertyName(kind.resource)}: ${handlersTypeName(localName(kind))}`)
      lines.push("    }")
    }
    lines.push("  }")
  }
  return [...lines, "}"].join("\n")
}

function makerText(tree: Tree, localName: (kind: KindModel) => string): string[] {
  const lines = ["return {"]
  for (const [word, versions] of tree) {
    lines.push(`  ${propertyName(word)}: {`)
    for (const [version, kinds] of versions) {
      lines.push(`    ${propertyName(version)}: onDemand({`)
      for (const kind of kinds) lines.push(`      ${propertyName(kind.resource)}: () => ${handlersName(localName(kind))}(client),`)
      lines.push("    }),")
    }
    lines.push("  },")
  }
  return [...lines, "}"]
}
