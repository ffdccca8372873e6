import { describe, expect, test } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { Failures } from "../base/failure.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import {
  CheckContext,
  entries,
  field,
  immutable,
  items,
  nested,
  requiredOn,
  rule,
  selfContained,
  type TypeValidator,
  unique,
  warningTexts,
} from "./validate.ts"
import { group, oneOf } from "./groups.ts"

const vendor = vendorProfile("orch")

/** Failures as `type field value detail`. */
function faults(root: ApiObject, old: ApiObject | undefined, run: (context: CheckContext) => void): string[] {
  const failures = new Failures()
  run(CheckContext.of(root, { failures, vendor, ...(old !== undefined && { old }) }))
  return failures.list.map(({ type, field, value, detail, supported }) =>
    `${type} ${field} ${JSON.stringify(value) ?? "-"} ${supported?.join("|") ?? detail}`.trim(),
  )
}

const seen: TypeValidator = (value, context) => context.fail("Invalid", value.name, `old ${JSON.stringify(context.old)}`)

describe("paths", () => {
  test("fields, items and entries have the stored value at the same path", () => {
    const root = {
      spec: {
        one: { name: 1 },
        list: [{ name: "b" }, { name: "a" }],
        byIndex: [{ name: "c" }],
        map: { "a.b": { name: "d" } },
        deep: { k: [{ name: "e" }] },
      },
    }
    const old = { spec: { one: { name: 0 }, list: [{ name: "a", x: 1 }], byIndex: [{ name: "z" }], map: { "a.b": { name: "y" } } } }
    const told = faults(root, old, (context) => {
      const spec = context.field("spec")
      field(root.spec, "one", spec, seen)
      items(root.spec, "list", spec, seen, ["name"])
      items(root.spec, "byIndex", spec, seen)
      entries(root.spec, "map", spec, seen)
      nested(root.spec.deep, spec.field("deep"), ["map", "list"], seen)
    })
    expect(told).toEqual([
      'Invalid spec.one 1 old {"name":0}',
      'Invalid spec.list[0] "b" old undefined',
      'Invalid spec.list[1] "a" old {"name":"a","x":1}',
      'Invalid spec.byIndex[0] "c" old {"name":"z"}',
      'Invalid spec.map[a.b] "d" old {"name":"y"}',
      'Invalid spec.deep[k][0] "e" old undefined',
    ])
  })

  test("a value that is as it was checked last is not checked again", () => {
    const root = { spec: { name: 1, spec: { name: 2 } }, status: { name: 3 } }
    const run = (context: CheckContext): void => {
      for (const name of ["spec", "status"]) selfContained(root, name, context, seen)
      // Names below the root are not fields of the object.
      selfContained(root.spec, "spec", context.field("spec"), seen)
    }
    const failures = new Failures()
    run(CheckContext.of(root, { failures, vendor, old: root, passed: (name) => name === "spec" }))
    expect(failures.list.map(({ field: at, value }) => [at, value])).toEqual([
      ["status", 3],
      ["spec.spec", 2],
    ])
    expect(faults(root, root, run)).toHaveLength(3)
  })

  test("at joins names with a dot and indices without", () => {
    faults({}, undefined, (context) => {
      expect([
        context.at(""),
        context.at("a.b"),
        context.field("a").at("[0].b"),
        context.field("a").at("b"),
        context.isRoot,
        context.operation,
      ]).toEqual(["", "a.b", "a[0].b", "a.b", true, "create"])
    })
  })
})

describe("facts besides constraints", () => {
  test("unique: reports the later item, by one field, several, or whole; an empty only field collides with none", () => {
    const self: JsonObject = {
      ports: [{ name: "a", n: 1 }, { name: "a", n: 2 }, {}, {}],
      pairs: [{ a: 1, b: 2 }, { b: 2, a: 1 }, {}, { c: 3 }],
      texts: ["x", "x"],
    }
    const told = faults(self, undefined, (context) => {
      unique(self, "ports", context, ["name"])
      unique(self, "pairs", context, ["a", "b"])
      unique(self, "texts", context, [])
    })
    expect(told).toEqual([
      'Duplicate ports[1].name "a"',
      'Duplicate pairs[1] {"a":1,"b":2}',
      "Duplicate pairs[3] {}",
      'Duplicate texts[1] "x"',
    ])
  })

  test("immutable: always, or once set; absent and empty are the same", () => {
    const run = (value: JsonObject, old: JsonObject | undefined, when: "always" | "once-set"): string[] =>
      faults(value, old, (context) => immutable(value, "x", context, when))
    expect(run({ x: 1 }, undefined, "always")).toEqual([])
    expect(run({ x: 2 }, { x: 1 }, "always")).toEqual(["Invalid x 2 field is immutable"])
    expect(run({}, { x: "" }, "always")).toEqual([])
    expect(run({ x: 1 }, {}, "always")).toEqual(["Invalid x 1 field is immutable"])
    expect(run({ x: 1 }, {}, "once-set")).toEqual([])
    expect(run({}, { x: 1 }, "once-set")).toEqual(["Invalid x null field is immutable"])
    expect(run({ x: [1, { a: 2 }] }, { x: [1, { a: 2 }] }, "always")).toEqual([])
  })

  test("required on one operation only", () => {
    expect(faults({ x: "" }, undefined, (context) => requiredOn({ x: "" }, "x", context, "create"))).toEqual(["Required x -"])
    expect(faults({}, {}, (context) => requiredOn({}, "x", context, "create"))).toEqual([])
  })

  test("one of several fields, whose value is validated", () => {
    const member = { name: "a", validate: (_self: JsonObject, context: CheckContext) => context.fail("Required", undefined, "") }
    const run = (value: JsonObject, required: boolean): string[] =>
      faults(value, undefined, (context) => oneOf(value, context.field("at"), group([member, "b", { ...member, name: "c" }], required)))
    expect(run({ a: {}, c: {} }, true)).toEqual(["Required at.a -", "Forbidden at.c - may not be set together with a"])
    expect(run({ b: 1, c: {} }, true)).toEqual(["Forbidden at.c - may not be set together with b"])
    expect(run({}, true)).toEqual(["Required at - must specify one of: a, b, c"])
    expect(run({}, false)).toEqual([])
  })

  test("rules: path, value, message, operation", () => {
    const self: JsonObject = { spec: { n: 5 } }
    const message = (): string => "n is 5"
    const run = (old?: ApiObject): string[] =>
      faults(self, old, (context) => {
        rule(true, self, context, { type: "Invalid", at: "", message: "never" })
        rule(false, self, context, { type: "Invalid", at: "spec.n", message })
        rule(false, self, context, { type: "Invalid", at: "spec.none", absent: "", message: "empty" })
        rule(false, self, context, { type: "Forbidden", at: "spec", message: "on update", on: "update" })
        rule(false, self, context, { type: "Forbidden", at: "spec", message: "on create", on: "create" })
      })
    expect(run()).toEqual(["Invalid spec.n 5 n is 5", 'Invalid spec.none "" empty', "Forbidden spec - on create"])
    expect(run({})).toEqual(["Invalid spec.n 5 n is 5", 'Invalid spec.none "" empty', "Forbidden spec - on update"])
  })

  test("returns the warnings that apply, in order", () => {
    expect(
      warningTexts([
        { when: true, text: "a" },
        { when: false, text: "b" },
        { when: true, text: () => "c" },
      ]),
    ).toEqual(["a", "c"])
  })
})
