/** The document of version 2, which describes every section. */
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

/** Returns one document of all sections. */
export function documentV2(source: OpenApiSource, sections: readonly Section[]): JsonObject {
  const definitions = new Definitions(source, "v2")
  const isCompact = compactOperations(source)
  const used = new Set<ParameterName>()
  const facts = sections.flatMap((section) => section.paths).toSorted((left, right) => (left.path < right.path ? -1 : 1))
  const paths = pathItems(facts, {
    operation: (operation) => operationV2(operation, isCompact(operation), { definitions, used }),
    parameter: (name) => parameterV2(name, used),
    option: ({ name, in: place, type, description }) => ({ name, in: place, description, type }),
  })
  return {
    swagger: "2.0",
    info,
    paths,
    definitions: definitions.sorted(),
    parameters: Object.fromEntries([...used].sort().map((name) => [name, wholeParameter(name)])),
    securityDefinitions: { BearerToken: tokenScheme },
    security: [{ BearerToken: [] }],
    tags: tagsOf(facts),
  }
}

function wholeParameter(name: ParameterName): JsonObject {
  const { in: place, type, description } = parameterFacts[name]
  return { name, in: place, description, type, ...(place === "path" && { required: true }) }
}

/** A reference, which adds the name to `used`; or the whole parameter where clients look for it. */
function parameterV2(name: ParameterName, used: Set<ParameterName>): JsonObject {
  if (inlineParameters.has(name)) return wholeParameter(name)
  used.add(name)
  return { $ref: `#/parameters/${name}` }
}

interface Collected {
  readonly definitions: Definitions
  readonly used: Set<ParameterName>
}

function operationV2(facts: OperationFacts, compact: boolean, { definitions, used }: Collected): JsonObject {
  const { body, responses, text } = facts
  const consumes = body?.patch === true ? bodyMedia(facts, compact) : (facts.consumes ?? ["*/*"])
  const bodyParameter =
    body === undefined
      ? []
      : [{ name: "body", in: "body", ...(body.required && { required: true }), schema: definitions.reference(body.schema) }]
  const parameters = [...bodyParameter, ...facts.parameters.map((name) => parameterV2(name, used))]
  return {
    ...operationHead(facts),
    ...(consumes.length > 0 && { consumes: [...consumes] }),
    produces: [...answerMedia(facts, compact)],
    schemes: ["https"],
    ...(parameters.length > 0 && { parameters }),
    responses: {
      ...(text !== undefined && { 200: { description: codeTexts[200], schema: { type: "string" } } }),
      ...Object.fromEntries(
        responses.map(({ code, schema }) => [code, { description: codeTexts[code], schema: definitions.reference(schema) }]),
      ),
      401: { description: codeTexts[401] },
    },
    ...operationTail(facts),
  }
}
