/** `index.ts` of the out folder: the records of every emitted kind, and the OpenAPI documents. */
import type { KindModel, TypeModel } from "../../model/model.ts"
import { type ConstantDeclaration, type Declaration, printFile } from "../print/print.ts"
import { type EmitContext, kindOfType, typeOf } from "./context.ts"
import { defaultName, shapeName, validateName } from "./names.ts"
import type { Part } from "./options.ts"
import { kindsOf, localNames, resourceName } from "./resource.ts"

/**
 * The text of `index.ts`. `documents`: paths of the OpenAPI v3 documents as clients request them (`api/v1`,
 * `apis/apps/v1`).
 */
export function emitIndex(context: EmitContext, documents: readonly string[]): string {
  const kinds = kindsOf(context)
  const localName = localNames(kinds)
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
      { declare: "code", text: 'export { type Api, api } from "./api.ts"' },
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
      ...ownModule(context, kinds),
    ],
  })
}

/** Facts that `startServer` needs of a user's kinds: their behaviours, and where the documents are. */
function ownModule({ options }: EmitContext, kinds: readonly KindModel[]): Declaration[] {
  const { ownBehaviour } = options
  if (ownBehaviour === undefined) return []
  const named = kinds.flatMap(({ behaviours, subresources, answeredBy }) => [
    ...behaviours,
    ...subresources.flatMap((one) => one.behaviour ?? []),
    ...(answeredBy === undefined ? [] : [answeredBy]),
  ])
  const names = [...new Set(named)].filter(ownBehaviour).toSorted()
  const imports = names.map((name) => `    ${name}: (await import(${JSON.stringify(options.behaviourImport("index.ts", name))})).${name},`)
  return [
    {
      declare: "function",
      name: "behaviours",
      async: true,
      doc: "Loads the behaviours that these kinds name. Called once, by the server that serves the kinds.",
      parameters: [],
      returns: "Promise<Readonly<Record<string, unknown>>>",
      body: imports.length === 0 ? ["return {}"] : ["return {", ...imports.map((line) => line.slice(2)), "}"],
    },
    {
      declare: "constant",
      name: "moduleUrl",
      type: "string",
      exported: true,
      doc: "Where this file is; the OpenAPI documents are beside it.",
      value: "import.meta.url",
    },
  ]
}

/**
 * Types of request and response bodies without operations of their own: types with `kind` and `apiVersion` that are not
 * served, and bodies and options of sub-resources.
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
