/**
 * `constraints.ts`: the constraints on each type's own fields as a JSON Schema that ajv compiles ahead of time. It does
 * not include nested types, whose validators `validate.ts` calls, so a shared type is compiled once.
 * runtime/schema/validate.ts builds the messages.
 */
import type { KeywordCxt } from "ajv"
import { _, Ajv, type Code, type CodeKeywordDefinition, type Name, stringify } from "ajv"
import standalone from "ajv/dist/standalone/index.js"
import type { JsonValue } from "../../runtime/base/json.ts"
import type { Constraints, FieldModel, FileModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import { type EmitContext, hasConstraints, kindOfType, listItem, typeOf } from "./context.ts"
import { FileBuilder } from "./file-builder.ts"
import { constraintsName } from "./names.ts"

/** The text of `constraints.ts`; without declarations when no type of the file has constraints of its own. */
export function emitConstraints(context: EmitContext, file: FileModel): FileBuilder {
  const builder = new FileBuilder(context, file, "constraints")
  const types = file.types.map((name) => typeOf(context, name)).filter((type) => hasOwnConstraints(context, type))
  if (types.length === 0) return builder
  const code = compile(types.map((type) => ({ name: constraintsName(type.localName), schema: typeSchema(context, type) })))
  for (const name of ["nonZero", "characterCount", "compilePattern", "formatFaults"])
    if (new RegExp(`\\b${name}\\(`).test(code)) builder.runtime(name)
  builder.runtimeType("ConstraintCheck")
  builder.declare({ declare: "code", text: code })
  return builder
}

/** Whether `constraints.ts` holds a check for the type. */
export function hasOwnConstraints(context: EmitContext, type: TypeModel): boolean {
  return ownFields(context, type).some(hasConstraints)
}

/** The registry validates the metadata of a whole object, for all kinds alike. */
function ownFields(context: EmitContext, type: TypeModel): readonly FieldModel[] {
  const isKind = kindOfType(context, type) !== undefined
  return type.fields.filter((field) => !field.inline && !(isKind && field.name === "metadata"))
}

type Schema = { readonly [keyword: string]: unknown }

/** The JSON Schema of a type's own constraints, in the vocabulary below. */
export function typeSchema(context: EmitContext, type: TypeModel): Schema {
  const fields = ownFields(context, type)
  const nonEmpty = fields.filter((field) => field.nonEmpty).map((field) => field.name)
  const required = fields.filter((field) => field.required === true && !field.nonEmpty).map((field) => field.name)
  const properties = Object.fromEntries(
    fields.map((field) => [field.name, fieldSchema(field)] as const).filter(([, schema]) => Object.keys(schema).length > 0),
  )
  return {
    ...(required.length > 0 && { required }),
    ...(nonEmpty.length > 0 && { nonEmpty }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}

function fieldSchema(field: FieldModel): Schema {
  const item = listItem(field.type)
  const emptyAllowed = field.nonEmpty || (!field.pointer && !field.keepEmpty)
  const own: Constraints = field
  if (item !== undefined) {
    const items = itemSchema(item, { ...scalarConstraints(own), ...field.items })
    return { ...present({ minItems: field.minItems, maxItems: field.maxItems }), ...(Object.keys(items).length > 0 && { items }) }
  }
  if ("map" in field.type) return mapSchema(field, field.type.map)
  return constraintSchema(own, { emptyAllowed, emptyIsWord: !field.pointer })
}

function itemSchema(item: TypeRefModel, constraints: Constraints): Schema {
  if ("scalar" in item) return constraintSchema(constraints, {})
  const inner = listItem(item) ?? ("map" in item ? item.map : undefined)
  if (inner === undefined) return {}
  const schema = itemSchema(inner, constraints)
  if (Object.keys(schema).length === 0) return {}
  return "map" in item ? { additionalProperties: schema } : { items: schema }
}

function mapSchema(field: FieldModel, value: TypeRefModel): Schema {
  const whole = field.values?.format === "label-value" || field.keys?.format === "annotation-key"
  const values = itemSchema(value, field.values ?? {})
  const keys = constraintSchema(field.keys ?? {}, { whole })
  return {
    ...present({ minProperties: field.minProperties, maxProperties: field.maxProperties }),
    ...(Object.keys(values).length > 0 && {
      additionalProperties: "format" in values && whole ? { ...values, format: { name: field.values?.format, whole } } : values,
    }),
    ...(Object.keys(keys).length > 0 && { propertyNames: keys }),
  }
}

function scalarConstraints({ enum: values, format, pattern, minimum, maximum, minLength, maxLength }: Constraints): Constraints {
  return present({ enum: values, format, pattern, minimum, maximum, minLength, maxLength })
}

interface ConstraintOptions {
  /** Ignores the empty string. */
  readonly emptyAllowed?: boolean
  /** The enum does not apply to the empty string. */
  readonly emptyIsWord?: boolean
  /** Errors of entries are reported at the map. */
  readonly whole?: boolean
}

function constraintSchema(
  constraints: Constraints,
  { emptyAllowed = false, emptyIsWord = false, whole = false }: ConstraintOptions,
): Schema {
  const { enum: values, format, pattern, minimum, maximum, minLength, maxLength } = constraints
  const range = present({ low: minimum, high: maximum })
  const flags = { ...(emptyAllowed && { emptyAllowed }), ...(whole && { whole }) }
  return {
    ...(values !== undefined && { enum: { values, ...(emptyIsWord && { emptyAllowed: true }) } }),
    ...(Object.keys(range).length > 0 && { range }),
    ...(minLength !== undefined && { minLength: { limit: minLength, ...flags } }),
    ...(maxLength !== undefined && { maxLength: { limit: maxLength, ...flags } }),
    ...(pattern !== undefined && { pattern: { pattern, ...flags } }),
    ...(format !== undefined && { format: { name: format, ...flags } }),
  }
}

function present<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> }
function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}

/** ajv's names for the doorway functions that generated code imports. */
const nonZero = _`nonZero`
const characterCount = _`characterCount`
const compilePattern = _`compilePattern`
const formatFaults = _`formatFaults`

interface TextSchema {
  readonly emptyAllowed?: boolean
  readonly whole?: boolean
}

/**
 * Replaces ajv's keywords of the same names: these report what our messages need and treat the empty string as the
 * dialect does.
 */
const vocabulary: readonly CodeKeywordDefinition[] = [
  {
    keyword: "nonEmpty",
    error: { message: "", params: ({ params }) => _`{missingProperty: ${params.missingProperty}}` },
    code(context) {
      for (const name of strings(context.schema))
        failWhen(context, _`!${nonZero}(${context.data}${_`[${name}]`})`, { missingProperty: _`${name}` })
    },
  },
  {
    keyword: "enum",
    error: { message: "", params: ({ params }) => _`{allowed: ${params.allowed}}` },
    code(context) {
      const { values, emptyAllowed }: { values: readonly JsonValue[]; emptyAllowed?: boolean } = context.schema
      const words = emptyAllowed === true && !values.includes("") ? [...values, ""] : values
      const wrong = words.map((word) => _`${context.data} !== ${stringify(word)}`)
      failWhen(
        context,
        wrong.reduce((left, right) => _`${left} && ${right}`),
        { allowed: stringify(values) },
      )
    },
  },
  {
    keyword: "range",
    error: { message: "", params: ({ schema }) => stringify(schema) },
    code(context) {
      const { low, high }: { low?: number; high?: number } = context.schema
      const { data } = context
      const outside =
        low === undefined ? _`${data} > ${high}` : high === undefined ? _`${data} < ${low}` : _`(${data} < ${low} || ${data} > ${high})`
      failWhen(context, _`(typeof ${data} == "number" || typeof ${data} == "bigint") && ${outside}`, {})
    },
  },
  lengthKeyword("minLength", (length, limit) => _`${length} < ${limit}`),
  lengthKeyword("maxLength", (length, limit) => _`${length} > ${limit}`),
  {
    keyword: "pattern",
    error: { message: "", params: ({ params }) => _`{text: ${params.text}${params.whole}}` },
    code(context) {
      const { pattern, ...flags }: TextSchema & { pattern: string } = context.schema
      const test = context.gen.scopeValue("pattern", { key: pattern, ref: {}, code: _`${compilePattern}(${pattern})` })
      failWhen(context, _`${isText(context, flags)} && !${test}(${context.data})`, { text: _`${pattern}`, whole: wholeParameter(flags) })
    },
  },
  {
    keyword: "format",
    error: { message: "", params: ({ params }) => _`{text: ${params.text}${params.whole}}` },
    code(context) {
      const { name, ...flags }: TextSchema & { name: string } = context.schema
      const { gen, data } = context
      const check = (): void => {
        gen.forOf("fault", _`${formatFaults}(${name}, ${data})`, (fault) => {
          context.setParams({ text: fault, whole: wholeParameter(flags) })
          context.error()
        })
      }
      if (flags.emptyAllowed === true) gen.if(_`${data} !== ""`, check)
      else check()
    },
  },
]

function lengthKeyword(keyword: "minLength" | "maxLength", wrong: (length: Code, limit: number) => Code): CodeKeywordDefinition {
  return {
    keyword,
    error: { message: "", params: ({ params }) => _`{limit: ${params.limit}${params.whole}}` },
    code(context) {
      const { limit, ...flags }: TextSchema & { limit: number } = context.schema
      const length = _`${characterCount}(${context.data})`
      failWhen(context, _`${isText(context, flags)} && ${wrong(length, limit)}`, { limit: _`${limit}`, whole: wholeParameter(flags) })
    },
  }
}

function isText({ data }: KeywordCxt, { emptyAllowed }: TextSchema): Code {
  return emptyAllowed === true ? _`typeof ${data} == "string" && ${data} !== ""` : _`typeof ${data} == "string"`
}

function wholeParameter({ whole }: TextSchema): Code {
  return whole === true ? _`, whole: true` : _``
}

function failWhen(context: KeywordCxt, wrong: Code, params: { readonly [name: string]: Code | Name }): void {
  context.setParams(params)
  context.gen.if(wrong, () => context.error())
}

function strings(schema: unknown): readonly string[] {
  return Array.isArray(schema) ? schema.filter((name) => typeof name === "string") : []
}

/**
 * Compiles one module of standalone checks. ajv keeps each schema as an unused constant beside its check; this removes
 * them.
 */
function compile(checks: readonly { readonly name: string; readonly schema: Schema }[]): string {
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    code: { source: true, esm: true, lines: true },
  })
  for (const { keyword } of vocabulary) for (const name of [keyword].flat()) ajv.removeKeyword(name)
  for (const definition of vocabulary) ajv.addKeyword(definition)
  for (const { name, schema } of checks) ajv.addSchema(schema, name)
  const code = standalone.default(ajv, Object.fromEntries(checks.map(({ name }) => [name, name])))
  return tidy(code)
}

/** Cleans up ajv's output: plain functions of one argument, findings pushed in one line, no unused parts. */
function tidy(code: string): string {
  return code
    .replace(/^"use strict";\n/, "")
    .replaceAll(/^const schema\d+ = .*;\n/gm, "")
    .replaceAll(/^\w+\.evaluated = .*;\n/gm, "")
    .replaceAll(/^(function \w+)\(data, \{.*\}=\{\}\)\{$/gm, "$1(data){")
    .replaceAll("instancePath:instancePath+", "instancePath:")
    .replaceAll("{instancePath,", '{instancePath:"",')
    .replaceAll(/,schemaPath:"(?:[^"\\]|\\.)*"/g, "")
    .replaceAll(
      /^const (\w+) = (\{instancePath:.*\});\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;$/gm,
      "(vErrors ??= []).push($2);",
    )
    .replaceAll(/^const \w+ = errors;\n/gm, "")
    .replaceAll(/^var (\w+) = \w+ === errors;\nif\(!\1\)\{\n.*\n\}\n/gm, "")
    .replaceAll(/^let errors = 0;\n/gm, "")
    .replaceAll("return errors === 0;", "return vErrors === null;")
    .replaceAll(/^export const (\w+) = (\w+);$/gm, "export const $1: ConstraintCheck = $2;")
    .replaceAll(/\n{2,}/g, "\n")
    .trim()
}
