/** `index.ts` of the out folder: the records of every emitted kind, and the OpenAPI documents. */
import type { KindModel, TypeModel } from "../../model/model.ts"
import { type ConstantDeclaration, printFile } from "../print/print.ts"
import { type EmitContext, kindOfType, typeOf } from "./context.ts"
import { upperFirst } from "../../model/names.ts"
import { defaultName, shapeName, validateName } from "./names.ts"
import type { Part } from "./options.ts"
import { kindsOf, resourceName } from "./resource.ts"

/**
 * The text of `index.ts`. `documents`: paths of the OpenAPI v3 documents as clients request them (`api/v1`,
 * `apis/apps/v1`).
 */
export function emitIndex(context: EmitContext, documents: readonly string[]): string {
  const kinds = kindsOf(context)
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(resourceName(kind), (counts.get(resourceName(kind)) ?? 0) + 1)
  const localName = (kind: KindModel): string => {
    const name = resourceName(kind)
    return (counts.get(name) ?? 0) > 1
      ? `${name}${upperFirst(kind.group === "" ? "core" : kind.group.split(/[.-]/).map(upperFirst).join(""))}${upperFirst(kind.version)}`
      : name
  }
  const imports = kinds.map((kind) => ({
    module: context.options.importPath("index.ts", kind.file, "resource"),
    names: [{ name: resourceName(kind), type: false, ...(localName(kind) !== resourceName(kind) && { alias: localName(kind) }) }],
  }))
  const bodies = bodyTypes(context)
  const doorwayTypes = ["Kind", ...(bodies.length > 0 ? ["RequestBodyType"] : [])].map((name) => ({ name, type: true }))
  const kitValues = bodies.some((type) => context.validated.has(type.name)) ? [{ name: "CheckContext", type: false }] : []
  return printFile({
    source: `${context.options.schemaFolder}/`,
    imports: [
      ...imports.toSorted((left, right) => (left.module < right.module ? -1 : 1)),
      { module: context.options.doorwayImport("index.ts"), names: [...kitValues, ...doorwayTypes] },
    ],
    declarations: [
      ...(bodies.length === 0 ? [] : [bodyList(context, bodies)]),
      {
        declare: "constant",
        name: "kinds",
        type: "readonly Kind[]",
        exported: true,
        doc: "Every generated kind, by group, version and name.",
        value: list(kinds.map(localName)),
      },
      {
        declare: "constant",
        name: "openApiDocuments",
        type: "readonly string[]",
        exported: true,
        doc: "The OpenAPI v3 documents: `openapi/v3/<path>.json` beside this file. The v2 document is `openapi/v2.json`.",
        value: list(documents.map((path) => JSON.stringify(path))),
      },
    ],
  })
}

/**
 * Types that are request or response bodies: those outside of kinds that name their own kind and version, and those of
 * sub-resources.
 */
function bodyTypes(context: EmitContext): readonly TypeModel[] {
  const emitted = context.model.files
    .filter((file) => context.options.emitted.has(file.path))
    .flatMap((file) => file.types.map((name) => typeOf(context, name)))
  const posted = context.model.kinds.flatMap((kind) => kind.subresources.flatMap((one) => [one.kind ?? [], one.options ?? []].flat()))
  const isPosted = (type: TypeModel): boolean =>
    posted.some((body) => body.group === type.group && body.version === type.version && body.kind === type.localName)
  const namesItself = (type: TypeModel): boolean => ["kind", "apiVersion"].every((name) => type.fields.some((field) => field.name === name))
  const isServed = (type: TypeModel): boolean => {
    const kind = kindOfType(context, type)
    return kind !== undefined && kind.postsTo === undefined
  }
  return emitted.filter((type) => !isServed(type) && (namesItself(type) || isPosted(type)))
}

function bodyList(context: EmitContext, bodies: readonly TypeModel[]): ConstantDeclaration {
  const entries = bodies.map((type) => {
    const part = (name: Part): string => `import(${JSON.stringify(context.options.importPath("index.ts", type.file, name))})`
    const shape = `shape: (await ${part("shape")}).${shapeName(type.localName)}`
    const fills = context.defaulted.has(type.name)
    const judges = context.validated.has(type.name)
    const steps = [
      ...(fills ? [`const { ${defaultName(type.localName)} } = await ${part("defaults")}`] : []),
      ...(judges ? [`const { ${validateName(type.localName)} } = await ${part("validate")}`] : []),
    ]
    const members = [
      shape,
      ...(fills ? [`applyDefaults: (object, context) => ${defaultName(type.localName)}(object, { ...context, root: object })`] : []),
      ...(judges ? [`validate: (object, context) => ${validateName(type.localName)}(object, CheckContext.of(object, context))`] : []),
    ]
    const load =
      steps.length === 0
        ? `async () => ({ ${shape} })`
        : `async () => {\n${steps.map((step) => `      ${step}\n`).join("")}      return { ${members.join(", ")} }\n    }`
    const { group, version, localName } = type
    return `  {\n    group: ${JSON.stringify(group)},\n    version: ${JSON.stringify(version)},\n    kind: ${JSON.stringify(localName)},\n    load: ${load},\n  },\n`
  })
  const doc = "Types that travel as bodies without being served: options, Scale, Status. Group `meta` is any group."
  return { declare: "constant", name: "bodies", type: "readonly RequestBodyType[]", exported: true, doc, value: `[\n${entries.join("")}]` }
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "[]" : `[\n${items.map((item) => `  ${item},\n`).join("")}]`
}
