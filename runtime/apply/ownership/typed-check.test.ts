import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { typedFaults } from "./typed-check.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"

const shown = (object: JsonObject, duplicates: "allow" | "refuse" = "refuse"): string[] =>
  typedFaults(exampleShape, object, { duplicates }).map(({ path, detail }) => `${path}: ${detail}`)

describe("an object fits its type with", () => {
  test.each<[string, JsonObject]>([
    ["nothing", {}],
    ["null anywhere but among items", { text: null, count: null, labels: null, names: null, ports: null, child: { text: null } }],
    ["values of each kind", { text: "a", count: 1.5, flag: true, any: 5, labels: { a: "b" } }],
    ["large numbers", { count: 2n ** 60n, numbers: [2n ** 60n] }],
    ["an atomic list that holds an item twice, or null", { items: ["a", "a", null] }],
    ["keyed items of different keys", { ports: [{ port: 1 }, { port: 1, protocol: "UDP" }, { port: 2 }] }],
    ["anything where no type is declared", { free: { a: [{ b: [[1]] }] }, raw: [1, "a"], open: { other: { a: 1 } } }],
  ])("%s", (_, object) => expect(shown(object)).toEqual([]))
})

describe("an object does not fit its type with", () => {
  test.each<[string, JsonObject, string[]]>([
    ["an unknown field", { unknown: 1 }, [".unknown: field not declared in schema"]],
    [
      "an unknown field of a keyed item",
      { ports: [{ port: 1, other: 1 }] },
      ['.ports[port=1,protocol="TCP"].other: field not declared in schema'],
    ],
    ["a name that objects inherit", { child: { constructor: "a" } }, [".child.constructor: field not declared in schema"]],
    ["a number for text", { text: 5 }, [".text: expected string, got a number"]],
    ["text for a number", { count: "5" }, [".count: expected numeric (int or float), got a string"]],
    ["text for true or false", { flag: "true" }, [".flag: expected boolean, got a string"]],
    ["an object for a plain value", { any: {} }, [".any: expected any scalar, got an object"]],
    ["a list for a map", { labels: ["a"] }, [".labels: expected map, got a list"]],
    ["text for a list", { names: "a" }, [".names: expected list, got a string"]],
    ["an object for an atomic list", { items: {} }, [".items: expected list, got an object"]],
    ["a value of the wrong kind in a map", { labels: { a: 1 } }, [".labels.a: expected string, got a number"]],
    ["a value of the wrong kind in an atomic list", { items: ["a", 1] }, [".items[1]: expected string, got a number"]],
    ["a value of the wrong kind in a set", { names: [1] }, [".names[=1]: expected string, got a number"]],
    ["null in a set", { names: [null] }, [".names: element 0: associative list without keys has an element that's an explicit null"]],
    ["an object in a set", { names: ["a", {}] }, [".names: element 1: associative list without keys has an element that's a map type"]],
    [
      "a keyed item without its key",
      { ports: [{ text: "a" }] },
      [`.ports: element 0: associative list with keys has an element that omits key field "port" (and doesn't have default value)`],
    ],
    [
      "a keyed item whose key is null",
      { ports: [{ port: null }] },
      [`.ports: element 0: associative list with keys has an element that omits key field "port" (and doesn't have default value)`],
    ],
    ["a keyed item that is null", { ports: [null] }, [".ports: element 0: associative list with keys may not have a null element"]],
    ["a keyed item that is text", { ports: ["a"] }, [".ports: element 0: associative list with keys may not have non-map elements"]],
    [
      "a key of the wrong kind",
      { ports: [{ port: "1" }] },
      ['.ports[port="1",protocol="TCP"].port: expected numeric (int or float), got a string'],
    ],
    ["several faults", { text: 1, flag: 1 }, [".text: expected string, got a number", ".flag: expected boolean, got a number"]],
  ])("%s", (_, object, faults) => expect(shown(object)).toEqual(faults))

  test.each<[string, JsonObject, string[]]>([
    ["an item of a set", { names: ["a", "a"] }, ['.names: duplicate entries for key [="a"]']],
    ["a number of a set", { numbers: [1, 2, 1.0] }, [".numbers: duplicate entries for key [=1]"]],
    ["a keyed item", { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] }, ['.ports: duplicate entries for key [port=1,protocol="TCP"]']],
  ])("%s twice, unless duplicates are allowed", (_, object, faults) => {
    expect(shown(object)).toEqual(faults)
    expect(shown(object, "allow")).toEqual([])
  })
})

test("limits the number of errors", () => {
  const object = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`unknown-${index}`, index]))
  expect(shown(object)).toHaveLength(100)
})
