import { expect, test } from "vitest"
import { Failures } from "../base/failure.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { vendorProfile } from "../base/vendor.ts"
import { distinct } from "./list-types.ts"
import { CheckContext } from "./validate.ts"

/** The failures of a list as `field value`. */
function failures(list: JsonValue, keys: readonly string[], stored?: JsonValue): string[] {
  const found = new Failures()
  const root: JsonObject = { list }
  const old = stored === undefined ? {} : { old: { list: stored } }
  distinct(root, "list", CheckContext.of(root, { failures: found, vendor: vendorProfile("orch"), ...old }), keys)
  return [...found.list].map(({ type, field, value }) => `${type} ${field} ${JSON.stringify(value)}`)
}

test("a set reports the second of equal items", () => {
  expect(failures(["a", "b"], [])).toEqual([])
  expect(failures(["a", "b", "a", "a", "b"], [])).toEqual(['Duplicate list[2] "a"', 'Duplicate list[4] "b"'])
  expect(failures([1, "1"], [])).toEqual([])
  expect(failures([{ a: 1 }, { a: 1 }], [])).toEqual(['Duplicate list[1] {"a":1}'])
})

test("a map list reports the second of items with equal keys, and shows the keys", () => {
  expect(
    failures(
      [
        { name: "a", x: 1 },
        { name: "a", x: 2 },
      ],
      ["name"],
    ),
  ).toEqual(['Duplicate list[1] {"name":"a"}'])
  expect(
    failures(
      [
        { name: "a", port: 1 },
        { name: "a", port: 2 },
      ],
      ["name", "port"],
    ),
  ).toEqual([])
  expect(
    failures(
      [
        { name: "a", port: 1 },
        { port: 1, name: "a" },
      ],
      ["name", "port"],
    ),
  ).toEqual(['Duplicate list[1] {"name":"a","port":1}'])
})

test("items without the keys are equal", () => {
  expect(failures([{ x: 1 }, { x: 2 }], ["name"])).toEqual(["Duplicate list[1] {}"])
  expect(failures([{ name: "a" }, { name: "a", port: 0 }], ["name", "port"])).toEqual([])
})

test("a list that was stored with duplicates may stay, one without may not get them", () => {
  expect(failures(["a", "a"], [], ["a", "a"])).toEqual([])
  expect(failures(["a", "a"], [], ["a"])).toEqual(['Duplicate list[1] "a"'])
})

test("anything but a list of two is nothing to compare", () => {
  for (const value of [null, "a", {}, [], ["a"]]) expect(failures(value, [])).toEqual([])
})
