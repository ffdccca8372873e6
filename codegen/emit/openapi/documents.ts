/**
 * The OpenAPI documents: version 3, one per group version (and small ones for discovery), and version 2 in a single
 * document. Names are neutral; the runtime maps `x-orch-`, `io.orch.`, `.orch.io` and `vnd.orch.`.
 */
import type { JsonObject } from "../../../runtime/base/json.ts"
import type { KindModel, TypeModel } from "../../../model/model.ts"
import { header } from "../../print/print.ts"
import { type EmitContext, typeOf } from "../context.ts"
import { hasMessage } from "../../../model/protobuf.ts"
import { kindsOf } from "../resource.ts"
import { definitionName, groupTag, operationScope, pathPrefix, tagOf, versionDefinition } from "./names.ts"
import { kindPaths } from "./operations.ts"
import { inlineParameters, type OptionFacts, parameterFacts, type ParameterName } from "./parameters.ts"
import { Definitions, extension } from "./schemas.ts"
import type { GroupVersionKind, OperationFacts, PathFacts } from "./path-facts.ts"

/** The API release whose facts the schemas state. */
const release = "v1.30.0"
const title = "orch-apiserver"
const media = { json: "application/json", yaml: "application/yaml", compact: "application/vnd.orch.protobuf" }
const patchMedia = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
]

interface Section {
  /** As clients request it: `apis/apps/v1`. */
  readonly path: string
  readonly paths: readonly PathFacts[]
}

/** Texts by path below out: `openapi/v3/<path>.json` and `openapi/v2.json`. Called once per run. */
export function emitOpenApi(context: EmitContext): ReadonlyMap<string, string> {
  const kinds = kindsOf(context)
  const texts = new Map<string, string>()
  if (kinds.length === 0) return texts
  const sections = sectionsOf(context, kinds)
  const compact = kindsWithMessage(context, kinds)
  for (const section of sections) texts.set(`openapi/v3/${section.path}.json`, text(context, documentV3(context, kinds, section, compact)))
  texts.set("openapi/v2.json", text(context, documentV2(context, kinds, sections, compact)))
  return texts
}

/** Paths of the v3 documents as clients request them. */
export function documentPaths(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts.keys()].flatMap((path) => (path.startsWith("openapi/v3/") ? [path.slice("openapi/v3/".length, -".json".length)] : []))
}

function sectionsOf(context: EmitContext, kinds: readonly KindModel[]): Section[] {
  const typeNamed = (named: GroupVersionKind): TypeModel => typeOf(context, typeName(named))
  const versions = new Map<string, KindModel[]>()
  for (const kind of kinds) {
    const path = pathPrefix(kind).slice(1)
    versions.set(path, [...(versions.get(path) ?? []), kind])
  }
  const groups = [...new Set(kinds.map((kind) => kind.group))].filter((group) => group !== "")
  const sections: Section[] = [...versions].map(([path, own]) => ({
    path,
    paths: [resourcesPath(own), ...own.flatMap((kind) => kindPaths(kind, typeNamed))].toSorted((left, right) =>
      left.path < right.path ? -1 : 1,
    ),
  }))
  const discovery: Section[] = [
    ...(kinds.some((kind) => kind.group === "")
      ? [
          {
            path: "api",
            paths: [discoveryPath("/api/", "core", "getCoreAPIVersions", "List the versions of the core group.", "APIVersions")],
          },
        ]
      : []),
    { path: "apis", paths: [discoveryPath("/apis/", "apis", "getAPIVersions", "List the groups and their versions.", "APIGroupList")] },
    ...groups.map((group) => ({
      path: `apis/${group}`,
      paths: [
        discoveryPath(
          `/apis/${group}/`,
          groupTag(group),
          `get${operationScope({ group, version: "" })}APIGroup`,
          `Describe the group ${group}.`,
          "APIGroup",
        ),
      ],
    })),
    { path: "version", paths: [versionPath] },
  ]
  return [...sections, ...discovery].toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

function resourcesPath([first]: readonly KindModel[]): PathFacts {
  if (first === undefined) throw new Error("a group version without kinds")
  return discoveryPath(
    `${pathPrefix(first)}/`,
    tagOf(first),
    `get${operationScope(first)}APIResources`,
    "List the resources of this group version.",
    "APIResourceList",
  )
}

function discoveryPath(path: string, tag: string, operationId: string, description: string, answer: string): PathFacts {
  const schema = definitionName({ group: "meta", version: "v1" }, answer)
  return {
    path,
    parameters: [],
    operations: [{ method: "get", operationId, description, tag, parameters: [], responses: [{ code: 200, schema }] }],
  }
}

const versionPath: PathFacts = {
  path: "/version/",
  parameters: [],
  operations: [
    {
      method: "get",
      operationId: "getCodeVersion",
      description: "Say what the server was built from.",
      tag: "version",
      parameters: [],
      responses: [{ code: 200, schema: versionDefinition }],
    },
  ],
}

/** Excludes kinds without a protobuf encoding from that media type. */
function kindsWithMessage(context: EmitContext, kinds: readonly KindModel[]): (operation: OperationFacts) => boolean {
  const plain = new Set(kinds.filter((kind) => !hasMessage(typeOf(context, kind.type))).map((kind) => definitionName(kind, kind.kind)))
  return ({ kind }) => kind === undefined || !plain.has(definitionName(kind, kind.kind))
}

/** `core.v1.PodLogOptions`: the model's name of a type. */
function typeName({ group, version, kind }: GroupVersionKind): string {
  return `${group === "" ? "core" : group}.${version}.${kind}`
}

function answerMedia(operation: OperationFacts, compact: boolean): readonly string[] {
  if (operation.text !== undefined) return operation.text
  const streams = operation.stream === true ? [`${media.json};stream=watch`, ...(compact ? [`${media.compact};stream=watch`] : [])] : []
  return [media.json, media.yaml, ...(compact ? [media.compact] : []), ...streams]
}

const codeTexts = { 200: "OK", 201: "Created", 202: "Accepted" } as const

/** The parts of an operation that both versions share. */
function operationHead({ tag, description, operationId, deprecated }: OperationFacts): JsonObject {
  return { tags: [tag], description, operationId, ...(deprecated === true && { deprecated: true }) }
}

function operationTail({ action, kind }: OperationFacts): JsonObject {
  return {
    ...(action !== undefined && { [`${extension}action`]: action }),
    ...(kind !== undefined && { [`${extension}group-version-kind`]: { group: kind.group, kind: kind.kind, version: kind.version } }),
  }
}

function documentV3(
  context: EmitContext,
  kinds: readonly KindModel[],
  section: Section,
  isCompactOperation: (operation: OperationFacts) => boolean,
): JsonObject {
  const definitions = new Definitions(context, "v3", kinds)
  const used = new Set<ParameterName>()
  const parameter = (name: ParameterName): JsonObject => {
    const { in: place, type, description } = parameterFacts[name]
    const whole = { name, in: place, description, ...(place === "path" && { required: true }), schema: { type } }
    if (inlineParameters.has(name)) return whole
    used.add(name)
    return { $ref: `#/components/parameters/${name}` }
  }
  const operation = (facts: OperationFacts): JsonObject => {
    const compact = isCompactOperation(facts)
    const { body, responses } = facts
    const schema = body === undefined ? undefined : { schema: definitions.reference(body.schema) }
    const bodyMedia = body?.patch === true ? patchMedia : [media.json, media.yaml, ...(compact ? [media.compact] : [])]
    return {
      ...operationHead(facts),
      ...(facts.parameters.length > 0 && { parameters: facts.parameters.map(parameter) }),
      ...(body !== undefined &&
        schema !== undefined && {
          requestBody: { content: Object.fromEntries(bodyMedia.map((type) => [type, schema])), ...(body.required && { required: true }) },
        }),
      responses: {
        ...(facts.text !== undefined && {
          200: {
            description: codeTexts[200],
            content: Object.fromEntries(facts.text.map((type) => [type, { schema: { type: "string" } }])),
          },
        }),
        ...Object.fromEntries(responses.map((one) => [one.code, answerV3(one, answerMedia(facts, compact), definitions)])),
        401: { description: "Unauthorized" },
      },
      ...operationTail(facts),
    }
  }
  const option = ({ name, in: place, type, description }: OptionFacts): JsonObject => ({ name, in: place, description, schema: { type } })
  const paths = pathItems(section.paths, operation, { parameter, option })
  const shared = [...used].sort().map(
    (name) =>
      [
        name,
        {
          name,
          in: parameterFacts[name].in,
          description: parameterFacts[name].description,
          ...(parameterFacts[name].in === "path" && { required: true }),
          schema: { type: parameterFacts[name].type },
        },
      ] as const,
  )
  return {
    openapi: "3.0.0",
    info: { title, version: release },
    paths,
    components: {
      schemas: definitions.sorted(),
      ...(shared.length > 0 && { parameters: Object.fromEntries(shared) }),
      securitySchemes: { BearerToken: tokenScheme },
    },
    security: [{ BearerToken: [] }],
  }
}

function answerV3(answer: OperationFacts["responses"][number], types: readonly string[], definitions: Definitions): JsonObject {
  return {
    description: codeTexts[answer.code],
    content: Object.fromEntries(types.map((type) => [type, { schema: definitions.reference(answer.schema) }])),
  }
}

const tokenScheme: JsonObject = { description: "A bearer token.", type: "apiKey", name: "authorization", in: "header" }

function pathItems(
  paths: readonly PathFacts[],
  operation: (facts: OperationFacts) => JsonObject,
  write: { readonly parameter: (name: ParameterName) => JsonObject; readonly option: (facts: OptionFacts) => JsonObject },
): JsonObject {
  return Object.fromEntries(
    paths.map(({ path, operations, parameters, options = [] }) => [
      path,
      {
        ...Object.fromEntries(operations.map((facts) => [facts.method, operation(facts)])),
        ...(parameters.length + options.length > 0 && { parameters: [...options.map(write.option), ...parameters.map(write.parameter)] }),
      },
    ]),
  )
}

function documentV2(
  context: EmitContext,
  kinds: readonly KindModel[],
  sections: readonly Section[],
  isCompactOperation: (operation: OperationFacts) => boolean,
): JsonObject {
  const definitions = new Definitions(context, "v2", kinds)
  const used = new Set<ParameterName>()
  const whole = (name: ParameterName): JsonObject => {
    const { in: place, type, description } = parameterFacts[name]
    return { name, in: place, description, type, ...(place === "path" && { required: true }) }
  }
  const parameter = (name: ParameterName): JsonObject => {
    if (inlineParameters.has(name)) return whole(name)
    used.add(name)
    return { $ref: `#/parameters/${name}` }
  }
  const operation = (facts: OperationFacts): JsonObject => {
    const compact = isCompactOperation(facts)
    const { body, responses } = facts
    const bodyParameter =
      body === undefined
        ? []
        : [{ name: "body", in: "body", ...(body.required && { required: true }), schema: definitions.reference(body.schema) }]
    const parameters = [...bodyParameter, ...facts.parameters.map(parameter)]
    return {
      ...operationHead(facts),
      consumes: body?.patch === true ? patchMedia : ["*/*"],
      produces: [...answerMedia(facts, compact)],
      schemes: ["https"],
      ...(parameters.length > 0 && { parameters }),
      responses: {
        ...(facts.text !== undefined && { 200: { description: codeTexts[200], schema: { type: "string" } } }),
        ...Object.fromEntries(
          responses.map((one) => [one.code, { description: codeTexts[one.code], schema: definitions.reference(one.schema) }]),
        ),
        401: { description: "Unauthorized" },
      },
      ...operationTail(facts),
    }
  }
  const all = sections.flatMap((section) => section.paths).toSorted((left, right) => (left.path < right.path ? -1 : 1))
  const option = ({ name, in: place, type, description }: OptionFacts): JsonObject => ({ name, in: place, description, type })
  const paths = pathItems(all, operation, { parameter, option })
  return {
    swagger: "2.0",
    info: { title, version: release },
    paths,
    definitions: definitions.sorted(),
    parameters: Object.fromEntries([...used].sort().map((name) => [name, whole(name)])),
    securityDefinitions: { BearerToken: tokenScheme },
    security: [{ BearerToken: [] }],
  }
}

const linePerEntry: ReadonlySet<string> = new Set(["paths", "definitions", "parameters", "schemas", "components"])

/** JSON with one path or definition per line, so that diffs are readable; the first key names the source. */
function text(context: EmitContext, document: JsonObject): string {
  const mark = header(`${context.options.schemaFolder}/`).slice("// ".length)
  return `${lines({ "x-generated": mark, ...document }, "")}\n`
}

function lines(object: JsonObject, indent: string): string {
  const entries = Object.entries(object).map(([name, value]) => {
    const deeper = linePerEntry.has(name) && typeof value === "object" && value !== null && !Array.isArray(value)
    return `${indent} ${JSON.stringify(name)}:${deeper ? lines(value, `${indent} `) : JSON.stringify(value)}`
  })
  return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n${indent}}`
}
