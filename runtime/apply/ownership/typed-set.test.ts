import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import type { FieldShape, TypeShape } from "../../schema/shape.ts"
import { pathText, pathsOf } from "./field-set.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"
import { fieldSetOf } from "./typed-set.ts"

const shown = (shape: TypeShape, object: JsonObject): string[] => pathsOf(fieldSetOf(shape, object)).map(pathText)

describe("an object owns", () => {
  test.each<[string, JsonObject, string[]]>([
    ["nothing when it sets nothing", {}, []],
    ["its plain values", { text: "a", count: 1, flag: false, any: "50%" }, [".any", ".count", ".flag", ".text"]],
    ["its kind", { apiVersion: "v1", kind: "Example" }, [".apiVersion", ".kind"]],
    ["a plain value that is null", { text: null }, [".text"]],
    ["entries of a map, not the map", { labels: { a: "1", b: null } }, [".labels.a", ".labels.b"]],
    ["a map that is empty or null", { labels: {}, child: null }, [".child", ".labels"]],
    ["an atomic map whole", { frozen: { a: "1" } }, [".frozen"]],
    ["an atomic list whole, empty or not", { items: ["a", "a"], lists: { x: [] } }, [".items", ".lists.x"]],
    ["items of a set", { names: ["b", "a"] }, ['.names[="a"]', '.names[="b"]']],
    ["nothing of an empty set or keyed list", { names: [], ports: [] }, []],
    ["a set that is null", { names: null }, [".names"]],
    ["items of a set that are there twice", { names: ["a", "a", "b"] }, ['.names[="a"]', '.names[="b"]']],
    ["numbers of a set by their value", { numbers: [3, 3.0, 2.5, 10n] }, [".numbers[=2.5]", ".numbers[=3]", ".numbers[=10]"]],
    ["a struct through its fields", { child: { text: "a", child: { labels: {} } } }, [".child.text", ".child.child.labels"]],
    ["a struct that is empty", { child: { child: {} } }, [".child.child"]],
    ["a struct that is atomic here", { whole: { text: "a" } }, [".whole"]],
    ["entries of a map of structs", { children: { x: { text: "a" }, y: {} } }, [".children.x", ".children.y", ".children.x.text"]],
    [
      "keyed items and their fields",
      { ports: [{ port: 1, protocol: "UDP" }] },
      ['.ports[port=1,protocol="UDP"]', '.ports[port=1,protocol="UDP"].port', '.ports[port=1,protocol="UDP"].protocol'],
    ],
    [
      "keyed items whose key has a default",
      { ports: [{ port: 1 }] },
      ['.ports[port=1,protocol="TCP"]', '.ports[port=1,protocol="TCP"].port'],
    ],
    [
      "keyed items that are there twice, without fields",
      {
        ports: [
          { port: 1, text: "a" },
          { port: 1, protocol: "TCP" },
        ],
      },
      ['.ports[port=1,protocol="TCP"]'],
    ],
    ["objects without a type by field", { free: { a: { b: 1, c: [{ d: 1 }] } } }, [".free.a", ".free.a.b", ".free.a.c"]],
    ["plain values without a type", { free: 5 }, [".free"]],
    ["a raw object whole", { raw: { a: { b: 1 } } }, [".raw"]],
    ["unknown fields where they are kept", { open: { text: "a", other: { b: 1 } } }, [".open.other", ".open.text", ".open.other.b"]],
    ["no fields that the type does not have", { unknown: 1, child: { unknown: 1 } }, []],
    [
      "names that objects inherit",
      { labels: JSON.parse('{"__proto__":"a","constructor":"b"}') },
      [".labels.__proto__", ".labels.constructor"],
    ],
  ])("%s", (_, object, paths) => expect(shown(exampleShape, object)).toEqual(paths))
})

test("a list without a type merges in apply as in strategic merge patch", () => {
  const item: TypeShape = { name: "test.v1.Item", fields: [{ name: "name", type: { scalar: "string" } }] }
  const shape: TypeShape = {
    name: "test.v1.Lists",
    fields: [
      { name: "keyed", type: { list: { ref: () => item } }, patch: ["merge", "retainKeys"], mergeKey: "name" },
      { name: "plain", type: { list: { scalar: "string" } }, patch: ["merge"] },
      { name: "replaced", type: { list: { scalar: "string" } }, patch: ["replace"] },
      { name: "wrapped", type: { wrappedList: { scalar: "string" } } },
    ],
  }
  const object = { keyed: [{ name: "a" }], plain: ["a"], replaced: ["a"], wrapped: ["a"] }
  expect(shown(shape, object)).toEqual([".replaced", ".wrapped", '.keyed[name="a"]', '.keyed[name="a"].name', '.plain[="a"]'])
})

test("lists the fields of inline types among those of the parent", () => {
  const inner: TypeShape = { name: "test.v1.Inner", fields: [{ name: "a", type: { map: { scalar: "string" } } }] }
  const shape: TypeShape = { name: "test.v1.Outer", fields: [{ name: "inner", type: { ref: () => inner }, inline: true }] }
  expect(shown(shape, { a: { x: "1" } })).toEqual([".a.x"])
})

test("a key field that is always written defaults to its zero value", () => {
  const item: TypeShape = {
    name: "test.v1.Item",
    fields: [
      { name: "name", type: { scalar: "string" }, keepEmpty: true },
      { name: "port", type: { scalar: "int32" }, keepEmpty: true },
      { name: "flag", type: { scalar: "boolean" }, keepEmpty: true },
    ],
  }
  const keyed: FieldShape = { name: "keyed", type: { list: { ref: () => item } }, listType: "map", mapKeys: ["port", "name", "flag"] }
  const shape: TypeShape = { name: "test.v1.Keyed", fields: [keyed] }
  expect(shown(shape, { keyed: [{}, { port: 1 }] })).toEqual([
    '.keyed[flag=false,name="",port=0]',
    '.keyed[flag=false,name="",port=1]',
    '.keyed[flag=false,name="",port=1].port',
  ])
})
