import { describe, expect, it } from "vitest"
import { fieldKey } from "./field-key.ts"
import { referencedValue } from "./field-reference.ts"
import type { JsonObject } from "../base/json.ts"
import type { TypeShape } from "../schema/shape.ts"
import { compareSortKeys, parseSortQuery } from "./sort-query.ts"

const shape: TypeShape = {
  name: "test.Thing",
  fields: [
    { name: "name", type: { scalar: "string" } },
    { name: "size", type: { scalar: "int32" } },
    { name: "labels", type: { map: { scalar: "string" } } },
  ],
}
const read = (text: string) => parseSortQuery({ parameter: "sortBy", text, shape })

function sorted(text: string, objects: readonly JsonObject[]): (string | undefined)[] {
  const fields = read(text)
  const keys = (object: JsonObject): Buffer[] => fields.map(({ field }) => fieldKey(referencedValue(object, field.steps), field.scalar))
  return objects.toSorted((left, right) => compareSortKeys(fields, keys(left), keys(right))).map(({ name }) => String(name))
}

describe("sortBy", () => {
  const objects = [{ name: "b", size: 10 }, { name: "a", size: 9 }, { name: "d" }, { name: "c", size: 10 }]

  it("orders by one field or several, either way, absent values last", () => {
    expect(sorted("name", objects)).toEqual(["a", "b", "c", "d"])
    expect(sorted("-{.name}", objects)).toEqual(["d", "c", "b", "a"])
    expect(sorted(".size,-name", objects)).toEqual(["a", "c", "b", "d"])
    expect(sorted("-.size,.name", objects)).toEqual(["b", "c", "a", "d"])
  })

  it("keeps the order of equal objects", () => {
    expect(sorted("labels['x,y']", objects)).toEqual(["b", "a", "d", "c"])
  })

  it.each(["name,", ",name", "--name", "name size", "name,,size", "name}", "name,name,name,name,name"])("refuses %s", (text) =>
    expect(() => read(text)).toThrow(/query parameter sortBy/),
  )
})
