/**
 * The emitted `.proto` files: every message equals the shape of its type, and a client that knows nothing but the files
 * reads and writes the server's bytes.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import protobuf from "protobufjs"
import { beforeAll, describe, expect, it } from "vitest"
import { kinds } from "../generated/index.ts"
import { upperFirst } from "../model/names.ts"
import { protobufPackage } from "../model/protobuf.ts"
import { createProtobufCodec, unwrapUnknown, wrapUnknown } from "../runtime/encoding/protobuf/codec.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import { isMessageScalar, scalarMessages } from "../runtime/schema/scalar-messages.ts"
import type { TypeRef, TypeShape } from "../runtime/schema/shape.ts"
import { arbitraryObject } from "./support/arbitrary-objects.ts"

const generated = join(import.meta.dirname, "..", "generated")
const runs = Number(process.env.PROTO_RUNS ?? 40)
const root = new protobuf.Root()
const paths = filesOf("proto", ".proto")

beforeAll(() => {
  for (const path of paths) protobuf.parse(readFileSync(join(generated, path), "utf8"), root, { keepCase: true })
  root.resolveAll()
})

describe("emitted .proto files", () => {
  it("have a message for every type, with its fields, numbers and types", async () => {
    const shapes = await allShapes()
    expect(shapes.length).toBeGreaterThan(200)
    for (const shape of shapes) {
      const numbered = shape.fields.filter((field) => field.number !== undefined)
      if (numbered.length === 0 && shape.fields.length > 0) continue
      const message = root.lookupType(messageName(shape))
      const stated = numbered.map(
        (field) => [field.number, `${typeText(field.type, namedList(shape, field.name))} ${field.protoName ?? field.name}`] as const,
      )
      expect(fieldsOf(message), shape.name).toEqual(new Map(stated))
      for (const { name, type } of numbered.filter((field) => hasNamedList(field.type)))
        expect(fieldsOf(root.lookupType(namedList(shape, name))), name).toEqual(new Map([[1, `repeated ${itemOf(type)} items`]]))
    }
    for (const shape of Object.values(scalarMessages)) {
      const stated = shape.fields.map((field) => [field.number, `${typeText(field.type)} ${field.name}`] as const)
      expect(fieldsOf(root.lookupType(`orch.runtime.v1.${shape.name}`)), shape.name).toEqual(new Map(stated))
    }
  })

  it("import exactly the files whose messages they use", () => {
    for (const path of paths) {
      const text = readFileSync(join(generated, path), "utf8")
      const used = [...text.matchAll(/ \.([a-z0-9_.]+)\.[A-Z]\w*[ >]/g)].map(([, name = ""]) => name)
      const imported = [...text.matchAll(/^import "(.*)\/\w+\.proto";$/gm)].map(([, folder = ""]) => folder.replaceAll("/", "."))
      expect(new Set(imported), path).toEqual(new Set(used))
    }
  })

  it.each(kinds.map((kind) => [`${kind.group === "" ? "core" : kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    "hold %s: what a client decodes and encodes again is the same object, byte for byte as long",
    async (_name, kind) => {
      const { shape } = await kind.load()
      const codec = createProtobufCodec(shape)
      const message = root.lookupType(messageName(shape))
      const property = fc.property(arbitraryObject(shape), (document) => {
        const { object } = normalize(shape, document, { typeMeta: false })
        const bytes = codec.encode(object)
        const read = message.decode(bytes)
        expect(message.verify(read)).toBeNull()
        const again = Buffer.from(message.encode(read).finish())
        // JavaScript sorts keys that look like numbers, so entries of maps may come in another order.
        expect(again).toHaveLength(bytes.length)
        expect(normalize(shape, codec.decode(again), { typeMeta: false }).object).toEqual(object)
      })
      fc.assert(property, { numRuns: runs })
    },
  )

  it("hold lists and the envelope", async () => {
    const list = root.lookupType("orch.api.core.v1.PodList")
    expect(fieldsOf(list)).toEqual(
      new Map([
        [1, "optional orch.api.meta.v1.ListMeta metadata"],
        [2, "repeated orch.api.core.v1.Pod items"],
      ]),
    )
    const unknown = root.lookupType("orch.runtime.v1.Unknown")
    const envelope = wrapUnknown({ apiVersion: "v1", kind: "Pod", raw: Buffer.from("ab") })
    const read = unknown.toObject(unknown.decode(envelope.subarray(4)), { bytes: String })
    expect(read).toEqual({ typeMeta: { apiVersion: "v1", kind: "Pod" }, raw: "YWI=", contentEncoding: "", contentType: "" })
    const written = Buffer.concat([envelope.subarray(0, 4), unknown.encode(unknown.fromObject(read)).finish()])
    expect(unwrapUnknown(written)).toMatchObject({ apiVersion: "v1", kind: "Pod" })
  })
})

function filesOf(below: string, ending: string): string[] {
  const all = readdirSync(join(generated, below), { recursive: true, encoding: "utf8" })
  return all.filter((path) => path.endsWith(ending)).map((path) => join(below, path))
}

async function allShapes(): Promise<TypeShape[]> {
  const modules: object[] = await Promise.all(filesOf(".", "shape.ts").map((path) => import(join(generated, path))))
  return modules.flatMap((module) => Object.values(module) as TypeShape[]) // `shape.ts` exports nothing else.
}

/** `events.orch.io.v1.Event` → `orch.api.events.v1.Event`. */
function messageName(shape: TypeShape): string {
  const [name = "", version = "", ...rest] = shape.name.split(".").toReversed()
  const group = rest.toReversed().join(".")
  return `${protobufPackage({ group: group === "core" ? "" : group, version })}.${name}`
}

function fieldsOf(message: protobuf.Type): Map<number, string> {
  return new Map(
    message.fieldsArray.map((field) => {
      const type = field.resolvedType?.fullName.slice(1) ?? field.type
      const text = field.map ? `map<string, ${type}>` : `${field.repeated ? "repeated" : "optional"} ${type}`
      return [field.id, `${text} ${field.name}`]
    }),
  )
}

/** Name of the message, within the message of `shape`, that holds a named list of its field. */
function namedList(shape: TypeShape, field: string): string {
  return `${messageName(shape)}.${upperFirst(field)}Items`
}

function hasNamedList(type: TypeRef): boolean {
  return "wrappedList" in type || ("map" in type && hasNamedList(type.map)) || ("list" in type && hasNamedList(type.list))
}

function itemOf(type: TypeRef): string {
  if ("map" in type) return itemOf(type.map)
  if ("list" in type) return itemOf(type.list)
  return "wrappedList" in type ? single(type.wrappedList) : single(type)
}

/** `named`: the message of a named list. */
function typeText(type: TypeRef, named?: string): string {
  if ("list" in type) return `repeated ${single(type.list, named)}`
  return "map" in type ? `map<string, ${single(type.map, named)}>` : `optional ${single(type, named)}`
}

function single(type: TypeRef, named?: string): string {
  if ("ref" in type) return messageName(type.ref())
  if ("union" in type) return messageName(type.union())
  if ("wrappedList" in type && named !== undefined) return named
  if (!("scalar" in type)) throw new Error("a named list needs the name of its message")
  if (isMessageScalar(type.scalar)) return `orch.runtime.v1.${scalarMessages[type.scalar].name}`
  return type.scalar === "boolean" ? "bool" : type.scalar
}
