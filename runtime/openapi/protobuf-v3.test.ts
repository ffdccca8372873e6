import protobuf from "protobufjs"
import { expect, it } from "vitest"
import { encodeOpenApiV3 } from "./protobuf-v3.ts"

/** The messages of the public schema that these documents use, with the fields under test. */
const schemaText = `
  syntax = "proto3";
  message Any { string yaml = 2; }
  message NamedAny { string name = 1; Any value = 2; }
  message Info { string title = 1; string version = 6; }
  message Reference { string _ref = 1; }
  message SchemaOrReference { oneof oneof { Schema schema = 1; Reference reference = 2; } }
  message NamedSchemaOrReference { string name = 1; SchemaOrReference value = 2; }
  message Properties { repeated NamedSchemaOrReference additional_properties = 1; }
  message ItemsItem { repeated SchemaOrReference schema_or_reference = 1; }
  message AdditionalPropertiesItem { oneof oneof { SchemaOrReference schema_or_reference = 1; bool boolean = 2; } }
  message DefaultType { oneof oneof { double number = 1; bool boolean = 2; string string = 3; } }
  message Schema {
    bool nullable = 1; double multiple_of = 10; double maximum = 11; bool exclusive_maximum = 12; double minimum = 13;
    bool exclusive_minimum = 14; int64 max_length = 15; int64 min_length = 16; string pattern = 17; int64 max_items = 18;
    int64 min_items = 19; bool unique_items = 20; int64 max_properties = 21; int64 min_properties = 22; string format = 35;
    repeated Any enum = 24; string type = 25; repeated SchemaOrReference all_of = 26; ItemsItem items = 30; Properties properties = 31;
    AdditionalPropertiesItem additional_properties = 32; DefaultType default = 33; repeated NamedAny specification_extension = 36;
  }
  message MediaType { SchemaOrReference schema = 1; }
  message NamedMediaType { string name = 1; MediaType value = 2; }
  message MediaTypes { repeated NamedMediaType additional_properties = 1; }
  message RequestBody { MediaTypes content = 2; bool required = 3; }
  message RequestBodyOrReference { oneof oneof { RequestBody request_body = 1; Reference reference = 2; } }
  message Parameter { string name = 1; string in = 2; bool required = 4; SchemaOrReference schema = 10; }
  message ParameterOrReference { oneof oneof { Parameter parameter = 1; Reference reference = 2; } }
  message Response { string description = 1; MediaTypes content = 3; }
  message ResponseOrReference { oneof oneof { Response response = 1; Reference reference = 2; } }
  message NamedResponseOrReference { string name = 1; ResponseOrReference value = 2; }
  message Responses { repeated NamedResponseOrReference response_or_reference = 2; }
  message Operation {
    string operation_id = 5; repeated ParameterOrReference parameters = 6; RequestBodyOrReference request_body = 7; Responses responses = 8;
    repeated NamedAny specification_extension = 13;
  }
  message PathItem { Operation patch = 10; repeated ParameterOrReference parameters = 13; }
  message NamedPathItem { string name = 1; PathItem value = 2; }
  message Paths { repeated NamedPathItem path = 1; }
  message SecurityScheme { string type = 1; string scheme = 5; }
  message SecuritySchemeOrReference { oneof oneof { SecurityScheme security_scheme = 1; Reference reference = 2; } }
  message NamedSecuritySchemeOrReference { string name = 1; SecuritySchemeOrReference value = 2; }
  message SecuritySchemes { repeated NamedSecuritySchemeOrReference additional_properties = 1; }
  message Components { Properties schemas = 1; SecuritySchemes security_schemes = 7; }
  message Document { string openapi = 1; Info info = 2; Paths paths = 4; Components components = 5; repeated Tag tags = 7; }
  message Tag { string name = 1; string description = 2; }
`

function decoded(document: Parameters<typeof encodeOpenApiV3>[0]): Record<string, unknown> {
  const type = protobuf.parse(schemaText, { keepCase: true }).root.lookupType("Document")
  return type.toObject(type.decode(encodeOpenApiV3(document)), { longs: Number })
}

it("writes schemas, inline or as references", () => {
  const thing = {
    type: "object",
    properties: {
      spec: { allOf: [{ $ref: "#/components/schemas/Spec" }], default: {} },
      ports: { type: "array", items: { $ref: "#/components/schemas/Port" }, "x-kubernetes-list-type": "atomic" },
      labels: { additionalProperties: { type: "string", default: "" } },
      mode: { enum: ["on"], default: 3 },
    },
  }
  const value = (schema: object): object => ({ value: { schema } })
  expect(decoded({ openapi: "3.0.0", info: { title: "t", version: "v" }, components: { schemas: { Thing: thing } } })).toEqual({
    openapi: "3.0.0",
    info: { title: "t", version: "v" },
    components: {
      schemas: {
        additional_properties: [
          {
            name: "Thing",
            ...value({
              type: "object",
              properties: {
                additional_properties: [
                  { name: "spec", ...value({ all_of: [{ reference: { _ref: "#/components/schemas/Spec" } }], default: {} }) },
                  {
                    name: "ports",
                    ...value({
                      type: "array",
                      items: { schema_or_reference: [{ reference: { _ref: "#/components/schemas/Port" } }] },
                      specification_extension: [{ name: "x-kubernetes-list-type", value: { yaml: "atomic\n" } }],
                    }),
                  },
                  {
                    name: "labels",
                    ...value({
                      additional_properties: { schema_or_reference: { schema: { type: "string", default: { string: "" } } } },
                    }),
                  },
                  { name: "mode", ...value({ enum: [{ yaml: '"on"\n' }], default: { number: 3 } }) },
                ],
              },
            }),
          },
        ],
      },
    },
  })
})

it("writes operations with parameters, bodies and responses", () => {
  const content = { "application/json": { schema: { type: "object" } } }
  const writtenContent = { additional_properties: [{ name: "application/json", value: { schema: { schema: { type: "object" } } } }] }
  const patch = {
    operationId: "patch",
    requestBody: { required: true, content },
    responses: { "200": { description: "OK", content }, "401": { $ref: "#/components/responses/no" } },
    "x-kubernetes-action": "patch",
  }
  const parameters = [{ name: "name", in: "path", required: true, schema: { type: "string" } }, { $ref: "#/components/parameters/pretty" }]
  const securitySchemes = { token: { type: "http", scheme: "bearer" } }
  expect(decoded({ paths: { "/things/{name}": { patch, parameters } }, components: { securitySchemes } })).toEqual({
    paths: {
      path: [
        {
          name: "/things/{name}",
          value: {
            patch: {
              operation_id: "patch",
              request_body: { request_body: { required: true, content: writtenContent } },
              responses: {
                response_or_reference: [
                  { name: "200", value: { response: { description: "OK", content: writtenContent } } },
                  { name: "401", value: { reference: { _ref: "#/components/responses/no" } } },
                ],
              },
              specification_extension: [{ name: "x-kubernetes-action", value: { yaml: "patch\n" } }],
            },
            parameters: [
              { parameter: { name: "name", in: "path", required: true, schema: { schema: { type: "string" } } } },
              { reference: { _ref: "#/components/parameters/pretty" } },
            ],
          },
        },
      ],
    },
    components: {
      security_schemes: { additional_properties: [{ name: "token", value: { security_scheme: { type: "http", scheme: "bearer" } } }] },
    },
  })
})

it("writes the limits of values, and tags", () => {
  const limits = { minimum: 1.5, maximum: 9, multipleOf: 0.5, exclusiveMinimum: true, exclusiveMaximum: true, nullable: true }
  const sizes = { minLength: 1, maxLength: 2, minItems: 3, maxItems: 4, uniqueItems: true, minProperties: 5, maxProperties: 6 }
  const texts = { pattern: "^a", format: "uuid" }
  const schema = { ...written, ...texts }
  expect(decoded({ tags: [{ name: "core" }], components: { schemas: { Thing: { ...limits, ...sizes, ...texts } } } })).toEqual({
    tags: [{ name: "core" }],
    components: { schemas: { additional_properties: [{ name: "Thing", value: { schema } }] } },
  })
})

/** The limits above, by their protobuf names. */
const written = {
  ...{ minimum: 1.5, maximum: 9, multiple_of: 0.5, exclusive_minimum: true, exclusive_maximum: true, nullable: true },
  ...{ min_length: 1, max_length: 2, min_items: 3, max_items: 4, unique_items: true, min_properties: 5, max_properties: 6 },
}
