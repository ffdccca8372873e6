import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { columnsOfDefinition } from "./columns.ts"

interface RecordedCells {
  readonly object: JsonObject
  /** The cells of each path in a column of this type; `UNPARSABLE`: the columns end before it. */
  readonly types: readonly { readonly type: string; readonly cells: readonly (readonly [string, JsonValue])[] }[]
}

const recorded: RecordedCells = parse(readFileSync(new URL("recorded/columns.yaml", import.meta.url), "utf8"))

const nowMs = Date.UTC(2026, 10, 23, 17, 30)
const context = { nowMs, vendor: vendorProfile("kubernetes") }

function cellAt(path: string, type: string, object: JsonObject): JsonValue | undefined {
  const [, column] = columnsOfDefinition([{ name: "c", type, jsonPath: path }])
  return column === undefined ? "UNPARSABLE" : column.value(object, context)
}

function shown(cell: JsonValue | undefined, type: string, path: string): unknown {
  // Ignores creation times set by the server, and ages that grew since the recording.
  return path.includes("creationTimestamp") || (type === "date" && typeof cell === "string" && /^[0-9]+[ydhms]/.test(cell)) ? "age" : cell
}

describe("recorded cells", () => {
  const object = { ...recorded.object, metadata: { name: "x", labels: { x: "y" }, creationTimestamp: "2026-11-23T17:30:00Z" } }
  for (const { type, cells } of recorded.types) {
    for (const [path, cell] of cells) {
      // The reference orders an object's fields randomly, and has more metadata.
      if (path === ".spec.*" || path === "..k") continue
      it(`${type} ${path}`, () => expect(shown(cellAt(path, type, object), type, path)).toEqual(shown(cell, type, path)))
    }
  }
})

describe("columnsOfDefinition", () => {
  it("has Name and Age where none are declared", () => {
    const object = { metadata: { name: "one", creationTimestamp: "2026-11-23T17:27:00Z" } }
    for (const declared of [undefined, [], null]) {
      const columns = columnsOfDefinition(declared)
      expect(columns.map(({ name, type, format, priority }) => [name, type, format, priority])).toEqual([
        ["Name", "string", "name", 0],
        ["Age", "date", "", 0],
      ])
      expect(columns.map((column) => column.value(object, context))).toEqual(["one", "3m"])
    }
  })

  it("keeps format, description and priority, and describes a column by its path", () => {
    const declared = [
      { name: "A", type: "integer", format: "int32", description: "Number of As.", priority: 1, jsonPath: ".spec.a" },
      { name: "B", type: "string", jsonPath: ".spec.b" },
    ]
    expect(columnsOfDefinition(declared).slice(1)).toMatchObject([
      { name: "A", type: "integer", format: "int32", description: "Number of As.", priority: 1 },
      {
        name: "B",
        type: "string",
        format: "",
        description: "Custom resource definition column (in JSONPath format): .spec.b",
        priority: 0,
      },
    ])
  })

  it("takes the last character of an operator for the right side, if nothing follows", () => {
    expect(cellAt(".spec[?(@.a==)].b", "string", {})).toBe("UNPARSABLE")
    expect(cellAt(".spec[?(@.a==1)].b", "string", { spec: [{ a: 1, b: "x" }] })).toBe("x")
  })

  it("ends work on paths that visit an object again and again", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(60)}1${"]}".repeat(60)}`)
    expect(cellAt(".spec..a..a..a..a..a", "string", { spec: deep })).toBeNull()
    expect(cellAt(".spec..a", "string", { spec: deep })).toContain('[{"a":')
    expect(cellAt(`.${"[?(@".repeat(100)}`, "string", {})).toBe("UNPARSABLE")
    expect(cellAt(`.${"a.".repeat(10_000)}`, "string", {})).toBe("UNPARSABLE")
  })

  it("ends work on many columns that each visit or show the whole object", () => {
    const spec = { list: Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}` })), text: "x".repeat(300_000) }
    const declared = Array.from({ length: 1000 }, (_, index) => [
      { name: `path${index}`, type: "string", jsonPath: ".spec.list[?(@.name=='n9999')].name" },
      { name: `text${index}`, type: "string", jsonPath: ".spec.text" },
    ]).flat()
    const columns = columnsOfDefinition(declared)
    const row = (object: JsonObject): readonly JsonValue[] => columns.map((column) => column.value(object, context))
    const one = { spec }
    for (const object of [one, one, { spec }]) {
      const cells = row(object)
      expect(cells[1]).toBe("n9999")
      expect(cells.filter((cell) => cell === spec.text)).toHaveLength(4)
      expect(cells.filter((cell) => cell === null).length).toBeGreaterThan(1900)
    }
  })

  it("takes any path and any object", () => {
    const word = fc.constantFrom(
      ".",
      "..",
      "[",
      "]",
      "?(",
      ")",
      "@",
      "'",
      '"',
      "*",
      ",",
      ":",
      "-1",
      "a",
      "==",
      "<",
      "{",
      "}",
      "\\",
      " ",
      "é",
      "7.5",
    )
    const path = fc.array(word, { maxLength: 12 }).map((parts) => parts.join(""))
    fc.assert(
      fc.property(
        path,
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom("string", "integer", "number", "boolean", "date"),
        (text, value, type) => {
          const object: JsonObject = { a: value as JsonValue }
          cellAt(`.a${text}`, type, object)
          cellAt(text, type, object)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
