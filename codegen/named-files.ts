/**
 * The TypeScript files that schemas name, and the export that each must have: the camelCase form of its own name, made
 * by the define function of its sort.
 */
import { upperFirst } from "../model/names.ts"
import { kebabCase } from "./emit/names.ts"
import type { ExpressionTree, KindModel, Model, TypeModel } from "../model/model.ts"

export interface NamedFile {
  /** Below the folder of behaviours: `checks/queue-limits.ts`, `queue-lifecycle.ts`. */
  readonly path: string
  /** `queueLimits` */
  readonly exported: string
  /** The schema file that names it: `kitchen.example.com/v1/queue.yaml`. */
  readonly schema: string
  /** `defineCheck` */
  readonly define: string
  /** The type arguments of the define function. */
  readonly types: readonly NamedType[]
  /** The argument of the define function, with `...` for the author's part: `(value, context) => { ... }`. */
  readonly sketch: string
  /** The argument of a file that compiles and changes nothing: `(_value, _context) => {}`. */
  readonly idle: string
}

export interface NamedType {
  /** `QueueSpec` */
  readonly name: string
  /** The schema file of the type, without extension; absent for `object`, which needs no import. */
  readonly file?: string
  /** It belongs to the author's schemas, not to this package. */
  readonly own?: boolean
  /** Another name beside a type of the same name: `QueueV1beta1`. */
  readonly alias?: string
}

/** Line to write in the file: `export const queueLimits = defineCheck<QueueSpec>((value, context) => { ... })`. */
export function signature({ exported, define, types, sketch }: NamedFile): string {
  return `export const ${exported} = ${define}<${types.map(({ name, alias = name }) => alias).join(", ")}>(${sketch})`
}

type Sort = Pick<NamedFile, "define" | "types" | "sketch" | "idle">

/** All files that the schemas below `own` name, each once. */
export function namedFiles(model: Model, own: ReadonlySet<string>): readonly NamedFile[] {
  const files = new Map<string, NamedFile>()
  const add = (folder: string, name: string, schema: string, sort: Sort): void => {
    const path = `${folder}${kebabCase(name)}.ts`
    const types = sort.types.map((type) => ({ ...type, own: type.file !== undefined && own.has(type.file) }))
    if (own.has(schema) && !files.has(path)) files.set(path, { path, exported: name, schema: `${schema}.yaml`, ...sort, types })
  }
  for (const type of model.types.values())
    for (const name of type.checks)
      add("checks/", name, type.file, {
        define: "defineCheck",
        types: [namedType(type)],
        sketch: "(value, context) => { ... }",
        idle: '(_value, _context) => {\n  // _context.fail("Invalid", _value.field, "must be ...", "field")\n}',
      })
  for (const kind of model.kinds) addKind(model, kind, (folder, name, sort) => add(folder, name, kind.file, sort))
  return [...files.values()]
}

function addKind(model: Model, kind: KindModel, add: (folder: string, name: string, sort: Sort) => void): void {
  const own = typeNamed(model, kind.type)
  for (const name of kind.behaviours)
    add("", name, {
      define: "defineBehaviour",
      types: [own],
      sketch: "{ ... }",
      idle: "{\n  // prepareCreate(object, context) {}, prepareUpdate(object, old, context) {}, and other hooks of Behaviour\n}",
    })
  for (const { behaviour, kind: body, verbs } of kind.subresources)
    if (behaviour !== undefined)
      add("", behaviour, {
        define: "defineSubresource",
        types: [body === undefined ? own : typeNamed(model, uniqueName(body)), own],
        sketch: "{ ... }",
        idle: verbs.includes("create") ? "{ create: (_body, old, _context) => old }" : "{ update: (_submitted, old, _context) => old }",
      })
  if (kind.answeredBy !== undefined)
    add("", kind.answeredBy, {
      define: "defineSubresource",
      types: [own],
      ...(kind.verbs.includes("create")
        ? { sketch: "{ answer: ... }", idle: "{ answer: ({ body }) => body }" }
        : { sketch: "{ read: ... }", idle: "{ read: async (_request) => [] }" }),
    })
  for (const { value } of kind.columns)
    for (const name of cellsIn(value.tree))
      add("cells/", name, {
        define: "defineCell",
        types: [own],
        sketch: "(object, context) => ...",
        idle: '(_object, _context) => ""',
      })
  for (const { name, at } of kind.warningChecks)
    add("warnings/", name, {
      define: "defineWarning",
      types: [typeAt(model, kind, at)],
      sketch: "(value, at, object, context) => [ ... ]",
      idle: "(_value, _at, _object, _context) => []",
    })
  const { behaviour } = kind.conversion ?? {}
  if (behaviour === undefined) return
  const stored = typeNamed(model, uniqueName(kind.storage))
  add("conversions/", behaviour, {
    define: "defineConversion",
    types: [stored.name === own.name ? { ...own, alias: `${own.name}${upperFirst(kind.version)}` } : own, stored],
    sketch: "{ toStored: ..., fromStored: ... }",
    idle: "{\n  toStored: (converted, _here) => converted,\n  fromStored: (converted, _stored) => converted,\n}",
  })
}

function uniqueName({ group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string }): string {
  return `${group === "" ? "core" : group}.${version}.${kind}`
}

function typeNamed(model: Model, name: string): NamedType {
  const type = model.types.get(name)
  return type === undefined ? { name: "object" } : namedType(type)
}

function namedType({ localName, file }: TypeModel): NamedType {
  return { name: localName, file }
}

function typeAt(model: Model, kind: KindModel, at: string): NamedType {
  let type: TypeModel | undefined = model.types.get(kind.type)
  for (const name of at === "" ? [] : at.split(".")) {
    const field = type?.fields.find((one) => one.name === name)
    type = field !== undefined && "ref" in field.type ? model.types.get(field.type.ref) : undefined
  }
  return type === undefined ? { name: "object" } : namedType(type)
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
