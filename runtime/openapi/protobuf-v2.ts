/**
 * The protobuf form of an OpenAPI v2 document, which kubectl requests: messages of gnostic's public `openapi.v2`
 * schema. One table per message, field numbers by JSON name. Content that these tables do not list is dropped.
 */
import { isObject, type JsonObject } from "../base/json.ts"
import {
  anything,
  encodeMessage,
  type Field,
  flag,
  list,
  type Message,
  message,
  named,
  orReference,
  real,
  text,
  texts,
  whole,
  wrapped,
} from "./protobuf-fields.ts"

/** Called once per document, with its decoded JSON. */
export function encodeOpenApiV2(document: JsonObject): Buffer {
  return encodeMessage(documentMessage, document)
}

const schema = message(() => schemaMessage)

/** true, false, or the schema of all additional properties. */
const additionalProperties: Field = (writer, number, value) =>
  wrapped(isObject(value) ? schema : flag, isObject(value) ? 1 : 2)(writer, number, value)

/** One type or several. */
const types: Field = (writer, number, value) => wrapped(texts)(writer, number, Array.isArray(value) ? value : [value])
const itemSchemas: Field = (writer, number, value) => wrapped(list(schema))(writer, number, Array.isArray(value) ? value : [value])

const schemaMessage: Message = {
  fields: {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, anything],
    multipleOf: [6, real],
    maximum: [7, real],
    exclusiveMaximum: [8, flag],
    minimum: [9, real],
    exclusiveMinimum: [10, flag],
    maxLength: [11, whole],
    minLength: [12, whole],
    pattern: [13, text],
    maxItems: [14, whole],
    minItems: [15, whole],
    uniqueItems: [16, flag],
    maxProperties: [17, whole],
    minProperties: [18, whole],
    required: [19, texts],
    enum: [20, list(anything)],
    additionalProperties: [21, additionalProperties],
    type: [22, types],
    items: [23, itemSchemas],
    allOf: [24, list(schema)],
    properties: [25, wrapped(named(schema))],
    readOnly: [27, flag],
    example: [30, anything],
  },
  extensions: 31,
}

const bodyParameter: Message = {
  fields: { description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] },
  extensions: 6,
}

const pathParameter: Message = {
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5, text],
    format: [6, text],
    default: [9, anything],
    pattern: [16, text],
    uniqueItems: [19, flag],
    enum: [20, list(anything)],
  },
  extensions: 22,
}

const queryParameter: Message = {
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [6, text],
    format: [7, text],
    default: [10, anything],
    pattern: [17, text],
    uniqueItems: [20, flag],
    enum: [21, list(anything)],
  },
  extensions: 23,
}

/** The location of a parameter decides its message. */
const parameter: Field = (writer, number, value) => {
  if (!isObject(value)) return
  if (value.in === "body")
    wrapped(
      message(() => bodyParameter),
      1,
    )(writer, number, value)
  else if (value.in === "path")
    wrapped(
      wrapped(
        message(() => pathParameter),
        4,
      ),
      2,
    )(writer, number, value)
  else if (value.in === "query")
    wrapped(
      wrapped(
        message(() => queryParameter),
        3,
      ),
      2,
    )(writer, number, value)
}

const reference = message(() => ({ fields: { $ref: [1, text], description: [2, text] } }))

const parameters = list(orReference(parameter, reference))
const response = message(() => ({ fields: { description: [1, text], schema: [2, wrapped(schema)] }, extensions: 5 }))
const responses: Field = (writer, number, value) => wrapped(named(orReference(response, reference)))(writer, number, value)

/** A name and its scopes. */
const securityRequirement = wrapped(named((writer, number, value) => wrapped(texts)(writer, number, value)))

const operation = message(() => ({
  fields: {
    tags: [1, texts],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, parameters],
    responses: [9, responses],
    schemes: [10, texts],
    deprecated: [11, flag],
    security: [12, list(securityRequirement)],
  },
  extensions: 13,
}))

const pathItem = message(() => ({
  fields: {
    $ref: [1, text],
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, parameters],
  },
  extensions: 10,
}))

const apiKey: Message = { fields: { type: [1, text], name: [2, text], in: [3, text], description: [4, text] }, extensions: 5 }

const documentMessage: Message = {
  fields: {
    swagger: [1, text],
    info: [2, message(() => ({ fields: { title: [1, text], version: [2, text], description: [3, text] }, extensions: 7 }))],
    host: [3, text],
    basePath: [4, text],
    schemes: [5, texts],
    consumes: [6, texts],
    produces: [7, texts],
    paths: [8, wrapped(named(pathItem), 2)],
    definitions: [9, wrapped(named(schema))],
    parameters: [10, wrapped(named(parameter))],
    security: [12, list(securityRequirement)],
    securityDefinitions: [
      13,
      wrapped(
        named(
          wrapped(
            message(() => apiKey),
            2,
          ),
        ),
      ),
    ],
    tags: [14, list(message(() => ({ fields: { name: [1, text], description: [2, text] }, extensions: 4 })))],
  },
  extensions: 16,
}
