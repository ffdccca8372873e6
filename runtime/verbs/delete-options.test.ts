import { describe, expect, it } from "vitest"
import { readDeleteOptions } from "./delete-options.ts"

const query = (text: string) => new URLSearchParams(text)

describe("delete options", () => {
  it("combine body and query: neither can cancel a dry run of the other", () => {
    expect(readDeleteOptions(query("dryRun=All"), { dryRun: [] }).dryRun).toBe(true)
    expect(readDeleteOptions(query(""), { dryRun: ["All"] }).dryRun).toBe(true)
    expect(readDeleteOptions(query("gracePeriodSeconds=5&propagationPolicy=Orphan"), {})).toEqual({
      dryRun: false,
      gracePeriodSeconds: 5,
      propagationPolicy: "Orphan",
    })
    expect(readDeleteOptions(query("gracePeriodSeconds=5"), { gracePeriodSeconds: 7, preconditions: { uid: "u" } })).toEqual({
      dryRun: false,
      gracePeriodSeconds: 7,
      uid: "u",
    })
  })

  it("take preconditions from the query by their short names, as the reference does", () => {
    expect(readDeleteOptions(query("uid=u&resourceVersion=5"), undefined)).toEqual({ dryRun: false, uid: "u", resourceVersion: "5" })
    expect(readDeleteOptions(query("uid="), {})).toEqual({ dryRun: false })
    expect(() => readDeleteOptions(query("uid=u"), { preconditions: { uid: "v" } })).toThrow(/disagree about uid: "v" and "u"/)
  })

  it("do not take the query's resourceVersion of a collection for a precondition if there is a body", () => {
    const collection = { collection: true }
    expect(readDeleteOptions(query("resourceVersion=0"), {}, collection)).toEqual({ dryRun: false })
    expect(readDeleteOptions(query("resourceVersion=0"), undefined, collection)).toEqual({ dryRun: false, resourceVersion: "0" })
  })

  it("refuse an empty value where one is required", () => {
    for (const options of ["propagationPolicy=", "gracePeriodSeconds=", "dryRun=", "dryRun"])
      expect(() => readDeleteOptions(query(options), undefined)).toThrow()
    for (const body of [{ propagationPolicy: "" }, { dryRun: [""] }])
      expect(() => readDeleteOptions(query(""), body)).toThrow(/Unsupported/)
  })

  it("shorten a long value in the error", () => {
    const long = "x".repeat(100_000)
    for (const body of [
      { propagationPolicy: long },
      { propagationPolicy: [long] },
      { orphanDependents: { [long]: long } },
      { gracePeriodSeconds: long },
      { preconditions: { uid: long } },
      { preconditions: { resourceVersion: long } },
      { preconditions: { uid: Array(100_000).fill("x") } },
      { dryRun: [long] },
      { dryRun: Array(100_000).fill("x") },
    ])
      expect(() => readDeleteOptions(query("uid=u&resourceVersion=5"), body)).toThrow(/^.{10,2500}$/)
  })

  it("name the field in errors about contradictions and wrong types", () => {
    expect(() => readDeleteOptions(query("orphanDependents=true"), { propagationPolicy: "Orphan" })).toThrow(/cannot be both set/)
    expect(() => readDeleteOptions(query("propagationPolicy=Sideways"), undefined)).toThrow(/Foreground/)
    expect(() => readDeleteOptions(query(""), { gracePeriodSeconds: "soon" })).toThrow(/gracePeriodSeconds: expected a whole number/)
  })
})
