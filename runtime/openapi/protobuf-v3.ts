/**
 * The protobuf form of an OpenAPI v3 document: messages of gnostic's public `openapi.v3` schema. One table per message,
 * field numbers by JSON name. Content that these tables do not list is dropped.
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
export function encodeOpenApiV3(document: JsonObject): Buffer {
  return encodeMessage(documentMessage, document)
}

const reference = message(() => ({ fields: { $ref: [1, text], summary: [2, text], description: [3, text] } }))
const schema: Field = (writer, number, value) =>
  orReference(
    message(() => schemaMessage),
    reference,
  )(writer, number, value)

/** true, false, or the schema of all additional properties. */
const additionalProperties: Field = (writer, number, value) =>
  wrapped(isObject(value) ? schema : flag, isObject(value) ? 1 : 2)(writer, number, value)

/** The schema supports numbers, booleans and texts only; for other values it records that a default exists. */
const scalarDefault: Field = (writer, number, value) => {
  if (typeof value === "number" || typeof value === "bigint") wrapped(real, 1)(writer, number, value)
  else if (typeof value === "boolean") wrapped(flag, 2)(writer, number, value)
  else wrapped(texts, 3)(writer, number, [value])
}

const schemaMessage: Message = {
  fields: {
    nullable: [1, flag],
    readOnly: [3, flag],
    writeOnly: [4, flag],
    example: [7, anything],
    deprecated: [8, flag],
    title: [9, text],
    multipleOf: [10, real],
    maximum: [11, real],
    exclusiveMaximum: [12, flag],
    minimum: [13, real],
    exclusiveMinimum: [14, flag],
    maxLength: [15, whole],
    minLength: [16, whole],
    pattern: [17, text],
    maxItems: [18, whole],
    minItems: [19, whole],
    uniqueItems: [20, flag],
    maxProperties: [21, whole],
    minProperties: [22, whole],
    required: [23, texts],
    enum: [24, list(anything)],
    type: [25, text],
    allOf: [26, list(schema)],
    oneOf: [27, list(schema)],
    anyOf: [28, list(schema)],
    not: [29, message(() => schemaMessage)],
    items: [30, wrapped(schema)],
    properties: [31, wrapped(named(schema))],
    additionalProperties: [32, additionalProperties],
    default: [33, scalarDefault],
    description: [34, text],
    format: [35, text],
  },
  extensions: 36,
}

const mediaTypes = wrapped(named(message(() => ({ fields: { schema: [1, schema], example: [2, anything] }, extensions: 5 }))))

const parameter = orReference(
  message(() => ({
    fields: {
      name: [1, text],
      in: [2, text],
      description: [3, text],
      required: [4, flag],
      deprecated: [5, flag],
      allowEmptyValue: [6, flag],
      style: [7, text],
      explode: [8, flag],
      allowReserved: [9, flag],
      schema: [10, schema],
      example: [11, anything],
      content: [13, mediaTypes],
    },
    extensions: 14,
  })),
  reference,
)

const requestBody = orReference(
  message(() => ({ fields: { description: [1, text], content: [2, mediaTypes], required: [3, flag] }, extensions: 4 })),
  reference,
)

const response = orReference(
  message(() => ({ fields: { description: [1, text], content: [3, mediaTypes] }, extensions: 5 })),
  reference,
)

/** A name and its scopes. */
const securityRequirement = wrapped(named((writer, number, value) => wrapped(texts)(writer, number, value)))

const operation = message(() => ({
  fields: {
    tags: [1, texts],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    parameters: [6, list(parameter)],
    requestBody: [7, requestBody],
    responses: [8, wrapped(named(response), 2)],
    deprecated: [10, flag],
    security: [11, list(securityRequirement)],
  },
  extensions: 13,
}))

const pathItem = message(() => ({
  fields: {
    $ref: [1, text],
    summary: [2, text],
    description: [3, text],
    get: [4, operation],
    put: [5, operation],
    post: [6, operation],
    delete: [7, operation],
    options: [8, operation],
    head: [9, operation],
    patch: [10, operation],
    trace: [11, operation],
    parameters: [13, list(parameter)],
  },
  extensions: 14,
}))

const securityScheme = orReference(
  message(() => ({
    fields: { type: [1, text], description: [2, text], name: [3, text], in: [4, text], scheme: [5, text], bearerFormat: [6, text] },
    extensions: 9,
  })),
  reference,
)

const components = message(() => ({
  fields: {
    schemas: [1, wrapped(named(schema))],
    responses: [2, wrapped(named(response))],
    parameters: [3, wrapped(named(parameter))],
    requestBodies: [5, wrapped(named(requestBody))],
    securitySchemes: [7, wrapped(named(securityScheme))],
  },
  extensions: 10,
}))

const documentMessage: Message = {
  fields: {
    openapi: [1, text],
    info: [2, message(() => ({ fields: { title: [1, text], description: [2, text], version: [6, text] }, extensions: 7 }))],
    paths: [4, wrapped(named(pathItem))],
    components: [5, components],
    security: [6, list(securityRequirement)],
    tags: [7, list(message(() => ({ fields: { name: [1, text], description: [2, text] }, extensions: 4 })))],
  },
  extensions: 9,
}
