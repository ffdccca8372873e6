import { describe, expect, it } from "vitest"
import { differences } from "./compare.ts"
import type { Facts } from "./compared.ts"
import { factsOf } from "./facts.ts"
import { faultsOf, keyOf, type Reasons, reasonOf } from "./ledger.ts"
import { edited, subsetOf } from "./recorded.ts"
import type { Found } from "./run.ts"
import { steady } from "./steady.ts"

const classes = (real: Facts, ours: Facts): string[] => differences(real, ours).map((one) => one.class)
const invalid = (message: string, ...causes: { field: string; reason: string; message: string }[]): Facts => ({
  code: 422,
  status: { reason: "Invalid", message, details: { name: "a", causes } },
})
const cause = (field: string, message: string): { field: string; reason: string; message: string } => ({
  field,
  reason: "FieldValueInvalid",
  message,
})

describe("a Status", () => {
  it("may go on after the real message, and may not begin otherwise", () => {
    const real: Facts = { code: 404, status: { reason: "NotFound", message: 'pods "a" not found' } }
    expect(classes(real, { code: 404, status: { reason: "NotFound", message: 'pods "a" not found: look' } })).toEqual([])
    expect(classes(real, { code: 404, status: { reason: "NotFound", message: "no pod" } })).toEqual(["message"])
  })

  it("has the same code, reason and details", () => {
    const real: Facts = { code: 409, status: { reason: "Conflict", message: "m", details: { name: "a", kind: "pods" } } }
    expect(classes(real, { code: 422 })).toEqual(["code 409 here 422"])
    expect(classes(real, { code: 409, status: { reason: "Exists", message: "m", details: { name: "a" } } })).toEqual([
      "reason",
      "details.kind",
    ])
  })

  it("may be of a client's mistake where the real one is 500", () => {
    expect(classes({ code: 500, status: { message: "bad" } }, { code: 400, status: { message: "bad: fix it" } })).toEqual([])
  })

  it("has the same causes", () => {
    const real = invalid("m", cause("a", 'Invalid value: "x": must be y'))
    expect(classes(real, invalid("m"))).toEqual(["causes: missing"])
    expect(classes(invalid("m"), real)).toEqual(["causes: more"])
    expect(classes(real, invalid("m", cause("b", 'Invalid value: "x": must be y')))).toEqual(["causes: other field, same words"])
    expect(classes(real, invalid("m", cause("a", 'Invalid value: "z": must be y')))).toEqual(["cause text: value written otherwise"])
    expect(classes(real, invalid("m", cause("a", 'Invalid value: "x": is bad')))).toEqual(["cause text: words"])
  })

  it("may show a value that is printed in Go's syntax as it likes", () => {
    const real = invalid("m", cause("a", 'Invalid value: core.Pod{Name:"x: y"}: must be z'))
    expect(classes(real, invalid("m", cause("a", 'Invalid value: {"name":"x"}: must be z')))).toEqual([])
    expect(classes(invalid("m", cause("a", "Invalid value: 0xc0001: z")), invalid("m", cause("a", "Invalid value: 5: z")))).toEqual([])
  })

  it("has its causes in the same order", () => {
    const [one, other] = [cause("a", "x"), cause("b", "y")]
    expect(classes(invalid("[a, b]", one, other), invalid("[b, a]", other, one))).toEqual(["order of causes"])
  })

  it("has words of its own for faults of decoding", () => {
    const status = (message: string): Facts => ({ code: 400, status: { message } })
    expect(classes(status("json: cannot unmarshal x"), status("strict decoding error: y"))).toEqual([])
  })
})

describe("an object", () => {
  const answer = (body: object, headers = {}): Facts =>
    factsOf(
      { status: 200, headers: { "content-type": "application/json", ...headers }, body: Buffer.from(JSON.stringify(body)) },
      {},
      { port: 1234, generateName: "a-" },
    )

  it("is compared without what a server chooses", () => {
    const one = answer({ metadata: { name: "a-abcde", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" }, at: "127.0.0.1:1234" })
    const two = answer({ metadata: { name: "a-fghij", uid: "2", creationTimestamp: "2026-01-02T00:00:00Z" }, at: "127.0.0.1:1234" })
    expect(classes(one, two)).toEqual([])
    expect(one.object).toEqual({ metadata: { name: "a-<5>" }, at: "<server>" })
  })

  it("has its differences by field, whatever the index", () => {
    expect(classes(answer({ spec: { c: [{ n: 1 }] } }), answer({ spec: { c: [{ n: 2 }] } }))).toEqual(["object .spec.c[].n"])
  })

  it("comes with the same warnings", () => {
    const warned = answer({}, { warning: '299 - "a", 299 - "b, c"' })
    expect(warned.warnings).toEqual(["a", "b, c"])
    expect(classes(warned, answer({}))).toEqual(["warnings"])
    expect(classes(warned, answer({}, { warning: '299 - "b, c", 299 - "a"' }))).toEqual(["warnings: order"])
  })

  it("of a kind that a controller works on has no status that is compared", () => {
    const facts: Facts = { code: 200, object: { metadata: {}, status: { conditions: [] } } }
    expect(steady(facts, "APIService/get").object).toEqual({ metadata: {} })
    expect(steady(facts, "APIService/status/a").object).toEqual(facts.object)
  })

  it("of a document is compared part by part", () => {
    const split = (parts: Record<string, number>): Facts => ({ code: 200, split: parts })
    expect(classes(split({ a: 1, b: 1, c: 1 }), split({ a: 1, b: 2, d: 1 }))).toEqual([
      "split: differs ",
      "split: missing here",
      "split: only here",
    ])
  })
})

describe("the ledger", () => {
  const found: Found = { id: "Pod/a", step: 0, class: "warnings", real: ["old"], ours: ["old", "x: not enforced"] }
  const reasons: Reasons = { later: { see: "s", why: "w", classes: ["warnings"], ours: "not enforced" } }
  const key = "Pod/a\t0\twarnings\tx: not enforced"

  it("fails on a difference that is not listed, and on a line that is not true", () => {
    expect(faultsOf([found], new Map(), reasons, () => true)).toEqual([expect.stringMatching(/^new: Pod\/a/)])
    expect(faultsOf([], new Map([[key, "open"]]), reasons, () => true)).toEqual([expect.stringMatching(/^no longer so: Pod\/a/)])
    expect(faultsOf([], new Map([[key, "open"]]), reasons, () => false)).toEqual([])
    expect(faultsOf([found], new Map([[key, "open"]]), reasons, () => true)).toEqual([])
  })

  it("takes a reason for what it explains alone", () => {
    expect(reasonOf(found, reasons)).toBe("later")
    expect(reasonOf({ ...found, real: ["old", "lost"] }, reasons)).toBe("open")
    expect(reasonOf({ ...found, ours: ["old", "x: not enforced", "wrong"] }, reasons)).toBe("open")
    const lost = { ...found, real: ["lost"] }
    expect(faultsOf([lost], new Map([[keyOf(lost), "later"]]), reasons, () => true)).toEqual([expect.stringMatching(/does not explain/)])
  })
})

describe("recorded cases", () => {
  it("are edits of a base", () => {
    const base = { a: { b: [1, 2] } }
    expect(
      edited(base, [
        ["set", ["a", "b", -1], 3],
        ["del", ["a", "b", 0]],
        ["set", ["c", "d"], null],
      ]),
    ).toEqual({ a: { b: [2, 3] }, c: { d: null } })
    expect(base).toEqual({ a: { b: [1, 2] } })
  })

  it("are chosen by their ids", () => {
    const cases = Array.from({ length: 1000 }, (_, index) => ({ id: `A/${index}`, steps: [], always: index === 0 }))
    const [chosen] = subsetOf([{ group: "A", cases }], 0.2)
    expect(chosen?.cases[0]?.id).toBe("A/0")
    expect(chosen?.cases.length).toBeGreaterThan(150)
    expect(chosen?.cases.length).toBeLessThan(250)
    expect(subsetOf([{ group: "A", cases }], 0.2)).toEqual([chosen])
  })
})
