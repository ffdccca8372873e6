/**
 * The TypeScript files that schemas name, and what each must export: the camelCase form of its own name, made by the
 * define function of its sort.
 */
import { kebabCase } from "./emit/names.ts"
import type { ExpressionTree, KindModel, Model, TypeModel } from "../model/model.ts"

export interface NamedFile {
  /** Below the folder of behaviours: `checks/queue-limits.ts`, `queue-lifecycle.ts`. */
  readonly path: string
  /** `queueLimits` */
  readonly exported: string
  /** The schema file that names it: `kitchen.example.com/v1/queue.yaml`. */
  readonly schema: string
  /** What to write: `export const queueLimits = defineCheck<QueueSpec>((spec, context) => { ... })`. */
  readonly signature: string
}

/** All files that the schemas below `own` name, each once. */
export function namedFiles(model: Model, own: ReadonlySet<string>): readonly NamedFile[] {
  const files = new Map<string, NamedFile>()
  const add = (folder: string, name: string, schema: string, made: string): void => {
    const path = `${folder}${kebabCase(name)}.ts`
    const signature = `export const ${name} = ${made}`
    if (own.has(schema) && !files.has(path)) files.set(path, { path, exported: name, schema: `${schema}.yaml`, signature })
  }
  for (const type of model.types.values())
    for (const name of type.checks) add("checks/", name, type.file, `defineCheck<${type.localName}>((value, context) => { ... })`)
  for (const kind of model.kinds) addKind(model, kind, (folder, name, made) => add(folder, name, kind.file, made))
  return [...files.values()]
}

function addKind(model: Model, kind: KindModel, add: (folder: string, name: string, made: string) => void): void {
  const own = nameOf(model, kind.type)
  for (const name of kind.behaviours) add("", name, `defineBehaviour<${own}>({ ... })`)
  for (const { behaviour, kind: body } of kind.subresources)
    if (behaviour !== undefined) add("", behaviour, `defineSubresource<${body?.kind ?? own}, ${own}>({ ... })`)
  for (const { value } of kind.columns)
    for (const name of cellsIn(value.tree)) add("cells/", name, `defineCell<${own}>((object, context) => ...)`)
  for (const { name, at } of kind.warningChecks)
    add("warnings/", name, `defineWarning<${typeAt(model, kind, at)}>((value, at, object, context) => [])`)
  const { behaviour } = kind.conversion ?? {}
  const stored = model.kinds.find(({ group, version, kind: name }) =>
    [group, version, name].every((word, index) => word === [kind.storage.group, kind.storage.version, kind.storage.kind][index]),
  )
  if (behaviour !== undefined)
    add(
      "conversions/",
      behaviour,
      `defineConversion<${own}, ${stored === undefined ? own : nameOf(model, stored.type)}>({ toStored: ..., fromStored: ... })`,
    )
}

function nameOf(model: Model, type: string): string {
  return model.types.get(type)?.localName ?? type
}

function typeAt(model: Model, kind: KindModel, at: string): string {
  let type: TypeModel | undefined = model.types.get(kind.type)
  for (const name of at === "" ? [] : at.split(".")) {
    const field = type?.fields.find((one) => one.name === name)
    type = field !== undefined && "ref" in field.type ? model.types.get(field.type.ref) : undefined
  }
  return type?.localName ?? "object"
}

/** The names in `behaviour("...")`. */
function cellsIn(tree: ExpressionTree): readonly string[] {
  if (tree.node === "call" && tree.function === "behaviour")
    return tree.arguments.flatMap((one) => (one.node === "literal" && typeof one.value === "string" ? [one.value] : []))
  return Object.values(tree).flatMap((part: unknown) => (Array.isArray(part) ? part : [part]).filter(isTree).flatMap(cellsIn))
}

function isTree(part: unknown): part is ExpressionTree {
  return typeof part === "object" && part !== null && "node" in part
}
