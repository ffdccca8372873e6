import protobuf from "protobufjs"
import { expect, it } from "vitest"
import { encodeOpenApiV2 } from "./protobuf-v2.ts"

/** The messages of the public schema that these documents use, with the fields under test. */
const schemaText = `
  syntax = "proto3";
  message Any { string yaml = 2; }
  message NamedAny { string name = 1; Any value = 2; }
  message Info { string title = 1; string version = 2; }
  message NamedSchema { string name = 1; Schema value = 2; }
  message Properties { repeated NamedSchema additional_properties = 1; }
  message TypeItem { repeated string value = 1; }
  message ItemsItem { repeated Schema schema = 1; }
  message AdditionalPropertiesItem { oneof oneof { Schema schema = 1; bool boolean = 2; } }
  message Schema {
    string _ref = 1; string format = 2; string description = 4; Any default = 5; double multiple_of = 6; double maximum = 7;
    bool exclusive_maximum = 8; double minimum = 9; bool exclusive_minimum = 10; int64 max_length = 11; int64 min_length = 12;
    string pattern = 13; int64 max_items = 14; int64 min_items = 15; bool unique_items = 16; int64 max_properties = 17;
    int64 min_properties = 18; repeated string required = 19;
    repeated Any enum = 20; AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23; Properties properties = 25;
    repeated NamedAny vendor_extension = 31;
  }
  message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
  message QueryParameter { bool required = 1; string in = 2; string name = 4; string type = 6; }
  message PathParameter { bool required = 1; string in = 2; string name = 4; string type = 5; }
  message NonBodyParameter { oneof oneof { QueryParameter query_parameter_sub_schema = 3; PathParameter path_parameter_sub_schema = 4; } }
  message Parameter { oneof oneof { BodyParameter body_parameter = 1; NonBodyParameter non_body_parameter = 2; } }
  message JsonReference { string _ref = 1; }
  message ParametersItem { oneof oneof { Parameter parameter = 1; JsonReference json_reference = 2; } }
  message SchemaItem { oneof oneof { Schema schema = 1; } }
  message Response { string description = 1; SchemaItem schema = 2; }
  message ResponseValue { oneof oneof { Response response = 1; JsonReference json_reference = 2; } }
  message NamedResponseValue { string name = 1; ResponseValue value = 2; }
  message Responses { repeated NamedResponseValue response_code = 1; }
  message Operation {
    repeated string tags = 1; string operation_id = 5; repeated ParametersItem parameters = 8; Responses responses = 9; bool deprecated = 11;
    repeated NamedAny vendor_extension = 13;
  }
  message PathItem { Operation get = 2; Operation patch = 8; repeated ParametersItem parameters = 9; }
  message NamedPathItem { string name = 1; PathItem value = 2; }
  message Paths { repeated NamedPathItem path = 2; }
  message Definitions { repeated NamedSchema additional_properties = 1; }
  message StringArray { repeated string value = 1; }
  message NamedStringArray { string name = 1; StringArray value = 2; }
  message SecurityRequirement { repeated NamedStringArray additional_properties = 1; }
  message ApiKey { string type = 1; string name = 2; string in = 3; }
  message SecurityDefinitionsItem { oneof oneof { ApiKey api_key_security = 2; } }
  message NamedSecurityDefinitionsItem { string name = 1; SecurityDefinitionsItem value = 2; }
  message SecurityDefinitions { repeated NamedSecurityDefinitionsItem additional_properties = 1; }
  message Document {
    string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9; repeated SecurityRequirement security = 12;
    SecurityDefinitions security_definitions = 13; repeated Tag tags = 14;
  }
  message Tag { string name = 1; string description = 2; }
`

function decoded(document: Parameters<typeof encodeOpenApiV2>[0]): Record<string, unknown> {
  const type = protobuf.parse(schemaText, { keepCase: true }).root.lookupType("Document")
  return type.toObject(type.decode(encodeOpenApiV2(document)), { longs: Number })
}

it("writes definitions with the extensions that clients need for patches", () => {
  const schema = {
    type: "object",
    description: "A thing.",
    required: ["ports"],
    properties: {
      ports: {
        type: "array",
        items: { $ref: "#/definitions/Port" },
        "x-kubernetes-list-map-keys": ["port"],
        "x-kubernetes-patch-merge-key": "port",
      },
      labels: { type: "object", additionalProperties: { type: "string", maxLength: 63 } },
      open: { additionalProperties: true, default: {} },
      mode: { type: "string", enum: ["", "on"], minimum: 0.5 },
    },
  }
  expect(decoded({ swagger: "2.0", info: { title: "t", version: "v1" }, definitions: { Thing: schema } })).toEqual({
    swagger: "2.0",
    info: { title: "t", version: "v1" },
    definitions: {
      additional_properties: [
        {
          name: "Thing",
          value: {
            type: { value: ["object"] },
            description: "A thing.",
            required: ["ports"],
            properties: {
              additional_properties: [
                {
                  name: "ports",
                  value: {
                    type: { value: ["array"] },
                    items: { schema: [{ _ref: "#/definitions/Port" }] },
                    vendor_extension: [
                      { name: "x-kubernetes-list-map-keys", value: { yaml: "- port\n" } },
                      { name: "x-kubernetes-patch-merge-key", value: { yaml: "port\n" } },
                    ],
                  },
                },
                {
                  name: "labels",
                  value: {
                    type: { value: ["object"] },
                    additional_properties: { schema: { type: { value: ["string"] }, max_length: 63 } },
                  },
                },
                { name: "open", value: { additional_properties: { boolean: true }, default: { yaml: "{}\n" } } },
                { name: "mode", value: { type: { value: ["string"] }, enum: [{ yaml: '""\n' }, { yaml: '"on"\n' }], minimum: 0.5 } },
              ],
            },
          },
        },
      ],
    },
  })
})

it("writes operations with parameters of every location, responses and extensions", () => {
  const get = {
    tags: ["core", ""],
    operationId: "list",
    deprecated: true,
    parameters: [
      { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Thing" } },
      { name: "dryRun", in: "query", type: "string" },
      { $ref: "#/parameters/limit" },
    ],
    responses: { "200": { description: "OK", schema: { type: "string" } }, "401": { $ref: "#/responses/no" } },
    "x-kubernetes-group-version-kind": { group: "", kind: "Thing", version: "v1" },
  }
  expect(
    decoded({ paths: { "/things/{name}": { get, parameters: [{ name: "name", in: "path", type: "string", required: true }] } } }),
  ).toEqual({
    paths: {
      path: [
        {
          name: "/things/{name}",
          value: {
            get: {
              tags: ["core", ""],
              operation_id: "list",
              deprecated: true,
              parameters: [
                { parameter: { body_parameter: { name: "body", in: "body", required: true, schema: { _ref: "#/definitions/Thing" } } } },
                { parameter: { non_body_parameter: { query_parameter_sub_schema: { name: "dryRun", in: "query", type: "string" } } } },
                { json_reference: { _ref: "#/parameters/limit" } },
              ],
              responses: {
                response_code: [
                  { name: "200", value: { response: { description: "OK", schema: { schema: { type: { value: ["string"] } } } } } },
                  { name: "401", value: { json_reference: { _ref: "#/responses/no" } } },
                ],
              },
              vendor_extension: [{ name: "x-kubernetes-group-version-kind", value: { yaml: 'group: ""\nkind: Thing\nversion: v1\n' } }],
            },
            parameters: [
              {
                parameter: {
                  non_body_parameter: { path_parameter_sub_schema: { name: "name", in: "path", type: "string", required: true } },
                },
              },
            ],
          },
        },
      ],
    },
  })
})

it("writes security definitions", () => {
  expect(
    decoded({ security: [{ token: [] }], securityDefinitions: { token: { type: "apiKey", name: "authorization", in: "header" } } }),
  ).toEqual({
    security: [{ additional_properties: [{ name: "token", value: {} }] }],
    security_definitions: {
      additional_properties: [{ name: "token", value: { api_key_security: { type: "apiKey", name: "authorization", in: "header" } } }],
    },
  })
})

it("writes the limits of values, and tags", () => {
  const limits = { minimum: 1.5, maximum: 9, multipleOf: 0.5, exclusiveMinimum: true, exclusiveMaximum: true }
  const sizes = { minLength: 1, maxLength: 2, minItems: 3, maxItems: 4, uniqueItems: true, minProperties: 5, maxProperties: 6 }
  const texts = { pattern: "^a", format: "uuid" }
  expect(decoded({ tags: [{ name: "core" }], definitions: { Thing: { ...limits, ...sizes, ...texts } } })).toEqual({
    tags: [{ name: "core" }],
    definitions: { additional_properties: [{ name: "Thing", value: { ...written, ...texts } }] },
  })
})

/** The limits above, by their protobuf names. */
const written = {
  ...{ minimum: 1.5, maximum: 9, multiple_of: 0.5, exclusive_minimum: true, exclusive_maximum: true },
  ...{ min_length: 1, max_length: 2, min_items: 3, max_items: 4, unique_items: true, min_properties: 5, max_properties: 6 },
}
