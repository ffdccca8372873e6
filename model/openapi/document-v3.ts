/** Documents of version 3. */
import type { JsonObject } from "../../runtime/base/json.ts"
import {
  answerMedia,
  bodyMedia,
  codeTexts,
  compactOperations,
  info,
  operationHead,
  operationTail,
  pathItems,
  tagsOf,
  tokenScheme,
} from "./common.ts"
import { inlineParameters, parameterFacts, type ParameterName } from "./parameters.ts"
import type { OperationFacts } from "./path-facts.ts"
import { Definitions } from "./schemas.ts"
import type { Section } from "./sections.ts"
import type { OpenApiSource } from "./source.ts"

/** Returns the document of one section. */
export function documentV3(source: OpenApiSource, { paths: facts }: Section): JsonObject {
  const definitions = new Definitions(source, "v3")
  const isCompact = compactOperations(source)
  const used = new Set<ParameterName>()
  const paths = pathItems(facts, {
    operation: (operation) => operationV3(operation, isCompact(operation), { definitions, used }),
    parameter: (name) => parameterV3(name, used),
    option: ({ name, in: place, type, description }) => ({ name, in: place, description, schema: { type } }),
  })
  const shared = [...used].sort().map((name) => [name, wholeParameter(name)] as const)
  return {
    openapi: "3.0.0",
    info,
    paths,
    components: {
      ...(definitions.found.size > 0 && { schemas: definitions.sorted() }),
      ...(shared.length > 0 && { parameters: Object.fromEntries(shared) }),
      securitySchemes: { BearerToken: tokenScheme },
    },
    security: [{ BearerToken: [] }],
    tags: tagsOf(facts),
  }
}

function wholeParameter(name: ParameterName): JsonObject {
  const { in: place, type, description } = parameterFacts[name]
  return { name, in: place, description, ...(place === "path" && { required: true }), schema: { type } }
}

/** A reference, which adds the name to `used`; or the whole parameter where clients look for it. */
function parameterV3(name: ParameterName, used: Set<ParameterName>): JsonObject {
  if (inlineParameters.has(name)) return wholeParameter(name)
  used.add(name)
  return { $ref: `#/components/parameters/${name}` }
}

interface Collected {
  readonly definitions: Definitions
  readonly used: Set<ParameterName>
}

function operationV3(facts: OperationFacts, compact: boolean, { definitions, used }: Collected): JsonObject {
  const { body, responses, text } = facts
  const content = (types: readonly string[], schema: JsonObject): JsonObject => Object.fromEntries(types.map((type) => [type, { schema }]))
  const answers = answerMedia(facts, compact)
  return {
    ...operationHead(facts),
    ...(facts.parameters.length > 0 && { parameters: facts.parameters.map((name) => parameterV3(name, used)) }),
    ...(body !== undefined && {
      requestBody: {
        content: content(bodyMedia(facts, compact), definitions.reference(body.schema)),
        ...(body.required && { required: true }),
      },
    }),
    responses: {
      ...(text !== undefined && { 200: { description: codeTexts[200], content: content(text, { type: "string" }) } }),
      ...Object.fromEntries(
        responses.map(({ code, schema }) => [
          code,
          { description: codeTexts[code], content: content(answers, definitions.reference(schema)) },
        ]),
      ),
      401: { description: codeTexts[401] },
    },
    ...operationTail(facts),
  }
}
