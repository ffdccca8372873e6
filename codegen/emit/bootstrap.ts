/** `bootstrap/<name>.ts`: the objects of a file of manifests, a list for each kind. */
import type { BootstrapFile, KindModel } from "../../model/model.ts"
import { literal } from "../print/literal.ts"
import { printFile } from "../print/print.ts"
import type { EmitContext } from "./context.ts"
import { lowerFirst } from "./names.ts"

/** The text of the module. */
export function emitBootstrap({ options }: EmitContext, { path, objects }: BootstrapFile): string {
  const module = `${path}.ts`
  const kinds = [...new Set(objects.map(({ kind }) => kind))].toSorted((left, right) => (left.kind < right.kind ? -1 : 1))
  const types = kinds.map((kind) => ({
    module: options.importPath(module, kind.file, "types"),
    names: [{ name: kind.kind, type: true }],
  }))
  const doorway = { module: options.doorwayImport(module), names: [{ name: "BootstrapObject", type: true }] }
  return printFile({
    source: `${options.schemaFolder}/${path}.yaml`,
    imports: [...types.toSorted((left, right) => (left.module < right.module ? -1 : 1)), doorway],
    declarations: kinds.map((kind) => ({
      declare: "constant",
      name: listName(kind),
      type: `readonly BootstrapObject<${kind.kind}>[]`,
      exported: true,
      doc: "In the order of the file. Names are neutral.",
      value: literal(objects.filter((one) => one.kind === kind).map(({ value }) => value)),
    })),
  })
}

/** `PriorityClass`, whose resource is `priorityclasses`, → `priorityClasses`. */
function listName({ kind, resource }: KindModel): string {
  const differs = [...resource].findIndex((letter, index) => letter !== kind[index]?.toLowerCase())
  return lowerFirst(kind.slice(0, differs)) + resource.slice(differs)
}
