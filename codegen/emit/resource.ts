/** `resource.ts`: the Kind record of a kind (runtime/schema/kind.ts). Everything else is imported on first use. */
import type { FileModel, KindModel } from "../../model/model.ts"
import { compactFault } from "../../runtime/schema/compact-form.ts"
import { isStored } from "../../runtime/schema/kind.ts"
import { storedForm } from "../../runtime/schema/stored-shape.ts"
import { Code, type Literal, literal } from "../print/literal.ts"
import { type EmitContext, kindOfType, typeOf } from "./context.ts"
import { isConverted } from "./convert.ts"
import { compileCondition, compileMessage, compileValue } from "./expression.ts"
import { FileBuilder } from "./file-builder.ts"
import { upperFirst } from "../../model/names.ts"
import { defaultName, inputName, kindName, shapeName, validateName } from "./names.ts"
import { hasInput } from "./types.ts"

/** The constant that holds the record. */
export function resourceName(kind: KindModel): string {
  return kindName(kind.kind)
}

/** The text of `resource.ts`. */
export function emitResource(context: EmitContext, file: FileModel, kind: KindModel): FileBuilder {
  const builder = new FileBuilder(context, file, "resource")
  builder.reserve(resourceName(kind), "object", "context", "stored")
  builder.declare({
    declare: "constant",
    name: resourceName(kind),
    type: `${builder.runtimeType("Kind")}<${kindTypes(builder, kind)}>`,
    exported: true,
    value: literal(record(builder, kind)),
  })
  return builder
}

/** The type of the kind's objects and, where it differs, the type of objects that clients may send. */
function kindTypes(builder: FileBuilder, kind: KindModel): string {
  const object = builder.ofType(kind.type, "types", (name) => name, true)
  return hasInput(builder.context, kind.type) ? `${object}, ${builder.ofType(kind.type, "types", inputName, true)}` : object
}

function record(builder: FileBuilder, kind: KindModel): Literal {
  const { group, version, listKind, resource, singular, shortNames, categories, namespaced, nameRule, storage, subresources, behaviours } =
    kind
  return {
    group,
    version,
    kind: kind.kind,
    listKind,
    resource,
    singular,
    shortNames,
    categories,
    namespaced,
    served: kind.served,
    optional: kind.optional && { ...kind.optional },
    deprecated: kind.deprecated && { ...kind.deprecated },
    verbs: kind.verbs.toSorted(),
    nameRule,
    storage: { ...storage, ...storageFacts(builder, kind) },
    selectable: kind.selectable.map((one) => ({ name: one.name, value: new Code(selector(builder, one.value)) })),
    notSelectable: kind.notSelectable,
    rowOrder: kind.rowOrder,
    rules: {
      createDrops: kind.create.drops,
      updateKeeps: kind.update.keeps,
      createOnUpdate: kind.update.createOnUpdate,
      unconditionalUpdate: kind.update.unconditional,
      generation: kind.update.generation,
      firstGeneration: kind.update.firstGeneration,
      validatesTwice: kind.update.validatesTwice || undefined,
      freeNameOnUpdate: !kind.update.checksName || undefined,
      freeFinalizers: kind.finalizers === "any" || undefined,
      defaultPropagation: kind.delete.propagation,
      propagationReminder: kind.delete.reminder,
      deleteReturns: kind.delete.returns,
    },
    subresources: subresources.map((one) => ({
      ...one,
      kind: one.kind && { ...one.kind },
      scale: one.scale && { ...one.scale },
      options: one.options && { ...one.options },
    })),
    behaviours,
    postsTo: kind.postsTo && { ...kind.postsTo },
    answeredBy: kind.answeredBy,
    load: new Code(loader(builder, kind)),
  }
}

/** How objects of the kind are stored: `KindStorage.format` and `shape`. */
function storageFacts(builder: FileBuilder, kind: KindModel): Literal & object {
  if (!isStored(kind)) return {}
  const shape = builder.context.shapeOf(kind.type)
  const format = compactFault(shape) === undefined ? undefined : "json"
  return { format, shape: storedForm(kind, shape, format === undefined).shape }
}

/** Selectable fields are read from the stored form. */
function selector(builder: FileBuilder, value: KindModel["selectable"][number]["value"]): string {
  const code = compileValue(builder, value, { self: "stored", root: "stored" })
  return `(stored) => ${builder.runtime("text")}(${code})`
}

/** `async () => {...}`: imports the parts concurrently and combines them. */
function loader(builder: FileBuilder, kind: KindModel): string {
  const { context } = builder
  const type = typeOf(context, kind.type)
  const { localName } = type
  const names = {
    shape: [shapeName(localName)],
    ...(context.defaulted.has(type.name) && { defaults: [defaultName(localName)] }),
    ...(context.validated.has(type.name) && { validate: [validateName(localName)] }),
    columns: ["columns", ...(kind.completed.length > 0 ? ["rowConditions"] : [])],
    ...(isConverted(kind) && { convert: ["toStored", "fromStored"] }),
  }
  const parts = Object.entries(names)
  const entries = [
    `shape: ${shapeName(localName)}`,
    `applyDefaults: ${context.defaulted.has(type.name) ? `(object, context) => ${defaultName(localName)}(object, { ...context, root: object })` : "() => {}"}`,
    `validate: ${context.validated.has(type.name) ? `(object, context) => ${validateName(localName)}(object, ${builder.runtime("CheckContext")}.of(object, context))` : "() => {}"}`,
    ...(kind.warnings.length + kind.warningChecks.length > 0 ? [`warnings: ${warnings(builder, kind)}`] : []),
    "columns",
    ...(kind.completed.length > 0 ? ["rowConditions"] : []),
    ...(isConverted(kind) ? ["toStored", "fromStored"] : []),
  ]
  const found = [...new Set(kind.warningChecks.map(({ name }) => name))]
  const patterns = [
    ...parts.map(([, exported]) => `{ ${exported.join(", ")} }`),
    ...found.map((name) => `{ ${name}: ${name}Warnings }`),
  ].join(", ")
  const modules = [
    ...parts.map(([part]) => `./${part}.ts`),
    ...found.map((name) => context.options.behaviourImport(builder.path, `warnings/${name}`)),
  ]
  const imports = modules.map((module) => `import(${JSON.stringify(module)})`).join(", ")
  return `async () => {\n    const [${patterns}] = await Promise.all([${imports}])\n    return {\n${entries.map((entry) => `      ${entry},\n`).join("")}    }\n  }`
}

function warnings(builder: FileBuilder, kind: KindModel): string {
  const scope = {
    self: "object",
    root: "object",
    vendor: "context.vendor",
    oldSelf: "context.old",
    oldRoot: "context.old",
  }
  const lines = kind.warnings.map((one) => {
    const parts = one.at === "" ? one.textParts : [`${one.at}: `, ...one.textParts]
    return `        { when: ${compileCondition(builder, one.when, scope)}, text: ${compileMessage(builder, parts, scope)} },\n`
  })
  const stated = lines.length === 0 ? [] : [`${builder.runtime("warningTexts")}([\n${lines.join("")}      ])`]
  const found = kind.warningChecks.map(({ name, at }) => {
    const value =
      at === ""
        ? "object"
        : `${builder.runtime("json")}(${builder.runtime("get")}(object, ${at
            .split(".")
            .map((step) => JSON.stringify(step))
            .join(", ")}))`
    return `${builder.runtime("namedWarnings")}(${name}Warnings, ${value}, ${JSON.stringify(at)}, object, context)`
  })
  const parts = [...stated, ...found]
  const parameters = parts.some((part) => /\bcontext\b/.test(part)) ? "(object, context)" : "(object)"
  return `${parameters} => ${parts.length === 1 ? parts.join("") : `[${parts.map((part) => `...${part}`).join(", ")}]`}`
}

/** Names of kinds in files about all kinds: the record's name, with group and version where two kinds share it. */
export function localNames(kinds: readonly KindModel[]): (kind: KindModel) => string {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(resourceName(kind), (counts.get(resourceName(kind)) ?? 0) + 1)
  return (kind) => {
    const name = resourceName(kind)
    if ((counts.get(name) ?? 0) <= 1) return name
    const group = kind.group === "" ? "core" : kind.group
    return `${name}${group.split(/[.-]/).map(upperFirst).join("")}${upperFirst(kind.version)}`
  }
}

/** The kinds of `index.ts`: every emitted one, in the model's order. */
export function kindsOf(context: EmitContext): readonly KindModel[] {
  return context.model.kinds.filter(
    (kind) => context.options.emitted.has(kind.file) && kindOfType(context, typeOf(context, kind.type)) !== undefined,
  )
}
