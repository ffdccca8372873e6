/**
 * `proto/<package path>/<name>.proto`: the messages of a group and version, for clients in any language. Proto2, since
 * an absent field and a zero one differ on the wire; docs/decisions/0018 explains it.
 */
import type { FieldModel, KindModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import { hasMessage, protobufFile, protobufPackage, runtimePackage } from "../../model/protobuf.ts"
import { isMessageScalar, scalarMessages } from "../../runtime/schema/scalar-messages.ts"
import type { Scalar } from "../../runtime/schema/shape.ts"
import { type ProtoField, type ProtoMessage, printProto } from "../print/proto-text.ts"
import { type EmitContext, leafMessage, typeOf } from "./context.ts"
import { upperFirst } from "../../model/names.ts"
import { runtimeProto } from "./runtime-proto.ts"

/** Returns the text of each file by its path below the out folder. */
export function emitProto(context: EmitContext): ReadonlyMap<string, string> {
  const packages = new Packages(context)
  const texts = new Map<string, string>()
  for (const name of packages.emitted) {
    const text = new PackageText(packages, name).print()
    texts.set(`proto/${packages.file(name)}`, text)
  }
  if (packages.emitsAll) texts.set(`proto/${protobufFile(runtimePackage)}`, runtimeProto(context.options.schemaFolder))
  return texts
}

/** The packages of all types that have a message. */
class Packages {
  /** Packages to write. */
  readonly emitted: readonly string[]
  /** False for a user's folder, which imports the package of scalars. */
  readonly emitsAll: boolean
  private readonly types = new Map<string, TypeModel[]>()
  private readonly reached = new Map<string, ReadonlySet<string>>()

  constructor(readonly context: EmitContext) {
    const { model, options } = context
    for (const file of model.files) {
      for (const type of file.types.map((name) => typeOf(context, name)).filter(hasMessage)) {
        const name = protobufPackage(type)
        this.types.set(name, [...(this.types.get(name) ?? []), type])
      }
    }
    this.emitsAll = model.files.every((file) => options.emitted.has(file.path))
    this.emitted = [...this.types.keys()].filter((name) => this.typesOf(name).length > 0)
  }

  /** The types of a package that this run writes. */
  typesOf(name: string): readonly TypeModel[] {
    return (this.types.get(name) ?? []).filter((type) => this.context.options.emitted.has(type.file))
  }

  /** The file with the types of a package that this run writes. */
  file(name: string): string {
    return protobufFile(name, this.typesOf(name).length < (this.types.get(name) ?? []).length)
  }

  /** The file of a type's message. */
  fileOf(type: TypeModel): string {
    const name = protobufPackage(type)
    return this.context.options.emitted.has(type.file) ? this.file(name) : protobufFile(name)
  }

  /** Whether types of the package `from` hold types of `to`, at any depth. Files cannot import each other. */
  reaches(from: string, to: string): boolean {
    let reached = this.reached.get(from)
    if (reached === undefined) {
      reached = this.reachedFrom(from)
      this.reached.set(from, reached)
    }
    return reached.has(to)
  }

  private reachedFrom(from: string): ReadonlySet<string> {
    const reached = new Set<string>()
    const open = [from]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      for (const type of this.types.get(name) ?? []) {
        for (const field of type.fields) {
          const ref = leafMessage(field.type)
          const next = ref === undefined ? undefined : protobufPackage(typeOf(this.context, ref))
          if (next === undefined || next === name || reached.has(next)) continue
          reached.add(next)
          open.push(next)
        }
      }
    }
    return reached
  }
}

const scalarNames: { readonly [Name in Scalar]?: string } = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  double: "double",
  bytes: "bytes",
}

/** One file. */
class PackageText {
  private readonly imports = new Set<string>()

  constructor(
    private readonly packages: Packages,
    private readonly name: string,
  ) {}

  print(): string {
    const { context } = this.packages
    const types = this.packages.typesOf(this.name)
    const messages = types.flatMap((type) => {
      const kind = context.model.kinds.find((one) => one.type === type.name)
      return [this.message(type), ...(kind === undefined ? [] : this.list(kind, types))]
    })
    return printProto({
      source: [...new Set(types.map(({ group, version }) => `${context.options.schemaFolder}/${group || "core"}/${version}`))].join(", "),
      doc: `Messages of the package ${this.name}. Objects travel in the envelope ${runtimePackage}.Unknown, which holds their apiVersion and kind.`,
      package: this.name,
      imports: [...this.imports].sort(),
      messages,
    })
  }

  private message(type: TypeModel): ProtoMessage {
    const fields = type.fields.flatMap((field) =>
      field.number === undefined || !isExpressible(field.type) ? [] : [this.field(field, field.number)],
    )
    return {
      name: type.localName,
      doc: type.doc,
      reserved: type.reserved ?? [],
      nested: type.fields.flatMap((field) => this.wrapper(field)),
      fields: fields.toSorted((one, other) => one.number - other.number),
    }
  }

  /** The list of a kind, as `GET` of a collection answers it. */
  private list(kind: KindModel, types: readonly TypeModel[]): ProtoMessage[] {
    const meta = this.packages.context.model.types.get("meta.v1.ListMeta")
    const isTaken = types.some((type) => type.localName === kind.listKind)
    if (meta === undefined || isTaken || !kind.verbs.includes("list")) return []
    const field = { deprecated: false }
    const fields = [
      { ...field, name: "metadata", number: 1, type: `optional ${this.reference(meta)}`, doc: "What the list carries beside its items." },
      { ...field, name: "items", number: 2, type: `repeated ${kind.kind}`, doc: "The objects." },
    ]
    return [{ name: kind.listKind, doc: `A list of objects of kind ${kind.kind}.`, reserved: [], nested: [], fields }]
  }

  private field(field: FieldModel, number: number): ProtoField {
    const name = (field.protoName ?? field.name).replaceAll(/\W/g, "_")
    const isOwnName = field.inline || field.name === lowerCamel(name)
    return {
      type: this.labelled(field),
      name,
      number,
      doc: field.inline ? `${field.doc} In JSON its fields are those of the message around it.`.trim() : field.doc,
      deprecated: field.deprecated,
      ...(!isOwnName && { jsonName: field.name }),
    }
  }

  private labelled(field: FieldModel): string {
    const { type } = field
    if ("list" in type) return `repeated ${this.typeText(type.list, field)}`
    if ("map" in type) return `map<string, ${this.typeText(type.map, field)}>`
    return `optional ${this.typeText(type, field)}`
  }

  private typeText(type: TypeRefModel, field: FieldModel): string {
    if ("scalar" in type) {
      if (isMessageScalar(type.scalar)) this.imports.add(protobufFile(runtimePackage))
      return isMessageScalar(type.scalar) ? `.${runtimePackage}.${scalarMessages[type.scalar].name}` : (scalarNames[type.scalar] ?? "bytes")
    }
    if ("ref" in type) return this.reference(typeOf(this.packages.context, type.ref))
    if ("union" in type) return this.reference(typeOf(this.packages.context, type.union))
    if ("wrappedList" in type) return wrapperName(field)
    throw new Error("lists and maps in each other have no compact form; name the inner list with wrapped<...>")
  }

  /** A message in a package that refers back to this one is written as its bytes, which is the same on the wire. */
  private reference(type: TypeModel): string {
    const other = protobufPackage(type)
    if (other === this.name) {
      const file = this.packages.fileOf(type)
      if (file !== this.packages.file(this.name)) this.imports.add(file)
      return type.localName
    }
    if (this.packages.reaches(other, this.name)) return "bytes"
    this.imports.add(this.packages.fileOf(type))
    return `.${other}.${type.localName}`
  }

  /** The message of a named list type. */
  private wrapper(field: FieldModel): ProtoMessage[] {
    const type = "map" in field.type ? field.type.map : field.type
    if (field.number === undefined || !("wrappedList" in type)) return []
    const items = `repeated ${this.typeText(type.wrappedList, field)}`
    const doc = `A list of ${field.name}.`
    return [
      {
        name: wrapperName(field),
        doc,
        reserved: [],
        nested: [],
        fields: [{ type: items, name: "items", number: 1, doc: "", deprecated: false }],
      },
    ]
  }
}

/** Protobuf has no lists of lists and no maps of lists without a name. Kinds with such a field are stored as JSON. */
function isExpressible(type: TypeRefModel): boolean {
  const item = "list" in type ? type.list : "map" in type ? type.map : type
  return !("list" in item || "map" in item)
}

function wrapperName(field: FieldModel): string {
  return `${upperFirst(field.name.replaceAll(/\W/g, "_"))}Items`
}

/** The JSON name that protobuf gives a field without `json_name`. */
function lowerCamel(name: string): string {
  return name.replaceAll(/_+([A-Za-z0-9]?)/g, (_match, letter: string) => letter.toUpperCase())
}
