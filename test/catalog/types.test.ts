/**
 * The types of the schemas beside the catalog of the built-in API: fields, numbers, types, presence, list and map
 * facts. The catalog lies next to a checkout (`../shared/catalog`, or ORCH_CATALOG).
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { readSchemas } from "../../codegen/folder.ts"
import { load } from "../../codegen/load/index.ts"
import type { FieldModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import { type CatalogField, type CatalogFile, describeCatalog, typeFile, typeFiles } from "./catalog.ts"

const repository = join(import.meta.dirname, "..", "..")

/** Facts of a field in one form, so that both sides compare as text. */
type Facts = Readonly<Record<string, string | number | boolean | undefined>>

/** Intended differences, and why. */
const exceptions: readonly (readonly [place: RegExp, reason: string])[] = [
  [/JSONSchemaProps\.(\$schema|\$ref|x-orch-[a-z-]+): protoName/, "a .proto file has no such names; the bytes have numbers alone"],
  [/JSONSchemaProps\.(default|enum|example): type/, "any JSON is a scalar of schemas; the catalog has Go's type for it"],
  [/JSONSchemaProps\.[A-Za-z]+: written is false/, "Go's zero value of these types has no JSON form"],
  [/core\.v1\.PodExecOptions\.command: written/, "options are parameters of a query, which nothing writes as JSON"],
  [/JSONSchemaPropsOr[A-Za-z]+\./, "the catalog has their JSON forms, a schema the fields of their messages"],
  [/meta\.v1\.Status\.details: listType/, "it is no list"],
  [/CertificateSigningRequest(Spec\.request|Status\.certificate): listType/, "bytes are no list"],
  [/core\.v1\.(PodIP|HostIP)\.ip: required/, "the reference publishes it as required; the catalog does not say so"],
  [/meta\.v1\.TableRow\.object: written/, "rows are written without decoding"],
]

/** Groups that the catalog names without their domain where a type of another file is meant. */
const ownGroups = new Set(["admissionregistration", "authentication"])

const alwaysWritten = new Set(["Time", "MicroTime", "Duration", "Quantity", "IntOrString"])

describeCatalog("the types of the schemas", () => {
  const types = modelTypes()

  it.each(typeFiles())("are those of the catalog: %s", (name) => {
    const file = typeFile(name)
    const differences: string[] = []
    for (const [typeName, { fields = {} }] of Object.entries(file.types)) {
      const type = types.get(uniqueName(typeName, file))
      if (type === undefined) continue
      const stated = new Map(type.fields.map((field) => [field.name, field]))
      const names = new Set([...Object.keys(fields), ...stated.keys()])
      names.delete("apiVersion")
      names.delete("kind")
      for (const field of names) {
        const expected = fields[field]
        const found = stated.get(field)
        if (expected === undefined) differences.push(`${type.name}.${field}: not in the catalog`)
        else if (found === undefined) differences.push(`${type.name}.${field}: missing`)
        else differences.push(...differing(`${type.name}.${field}`, catalogFacts(expected, file), modelFacts(found)))
      }
    }
    expect(differences.filter((difference) => !exceptions.some(([place]) => place.test(difference)))).toEqual([])
  })
})

function modelTypes(): ReadonlyMap<string, TypeModel> {
  const loaded = load(readSchemas(join(repository, "schemas")), {
    numbers: readFileSync(join(repository, "schemas", "numbers.lock.yaml"), "utf8"),
  })
  if ("diagnostics" in loaded) throw new Error(JSON.stringify(loaded.diagnostics))
  return loaded.model.types
}

function uniqueName(type: string, { group, version }: CatalogFile): string {
  return `${group === "" ? "core" : group === "meta.orch.io" ? "meta" : group}.${version}.${type}`
}

/** The type as schemas write it; an enumeration is a text. */
function catalogType(text: string, file: CatalogFile): string {
  const list = /^\[\](.*)$/.exec(text)
  if (list?.[1] !== undefined) return `[]${catalogType(list[1], file)}`
  const map = /^map<(.*)>$/.exec(text)
  if (map?.[1] !== undefined) return `map<${catalogType(map[1], file)}>`
  if (text.startsWith("enum:")) return "string"
  if (text === "meta.FieldsV1" || text === "FieldsV1") return "FieldsV1"
  if (text.startsWith("meta.")) return `meta.v1.${text.replace(/^meta\.(v1\.)?/, "")}`
  const elsewhere = /^([a-z]+)\.(v[a-z0-9]+)\.([A-Za-z]+)$/.exec(text)
  if (elsewhere !== null)
    return `${ownGroups.has(elsewhere[1] ?? "") ? `${elsewhere[1]}.orch.io` : elsewhere[1]}.${elsewhere[2]}.${elsewhere[3]}`
  return text in file.types ? uniqueName(text, file) : text
}

function modelType(type: TypeRefModel): string {
  if ("scalar" in type) return type.scalar
  if ("list" in type) return `[]${modelType(type.list)}`
  if ("wrappedList" in type) return `[]${modelType(type.wrappedList)}`
  if ("union" in type) return type.union
  return "map" in type ? `map<${modelType(type.map)}>` : type.ref
}

function catalogFacts(field: CatalogField, file: CatalogFile): Facts {
  const type = catalogType(field.type, file)
  const isStruct = type.includes(".") && !/^\[\]|^map</.test(type)
  return {
    type,
    number: field.n,
    protoName: field.protoName,
    inline: field.inline ?? false,
    pointer: field.pointer ?? false,
    required: field.required ?? false,
    written: !(field.omitempty ?? false) || (!(field.pointer ?? false) && (isStruct || alwaysWritten.has(type))),
    listType: field.listType,
    mapKeys: field.listMapKeys?.join(),
    mapType: field.mapType,
    patch: field.patchStrategy,
    mergeKey: field.patchMergeKey,
  }
}

function modelFacts(field: FieldModel): Facts {
  const type = modelType(field.type)
  const isStruct = "ref" in field.type
  return {
    type,
    number: field.number,
    protoName: field.protoName,
    inline: field.inline,
    pointer: field.pointer,
    required: field.required !== false,
    written: field.keepEmpty || (!field.pointer && (isStruct || alwaysWritten.has(type))) || (isStruct && field.inline),
    listType: field.listType,
    mapKeys: field.mapKeys?.join(),
    mapType: field.mapType,
    patch: field.patch?.join(),
    mergeKey: field.mergeKey,
  }
}

function differing(place: string, expected: Facts, found: Facts): string[] {
  return Object.keys(expected).flatMap((fact) =>
    expected[fact] === found[fact] ? [] : [`${place}: ${fact} is ${String(found[fact])}; the catalog has ${String(expected[fact])}`],
  )
}
