import { describe, expect, it } from "vitest"
import { ApiError } from "../../base/errors.ts"
import { listFreshness, readListOptions } from "./list-options.ts"

function freshness(query: string) {
  return listFreshness(readListOptions(new URLSearchParams(query), { watch: false, watchList: false }))
}

function causes(query: string, options: { watch: boolean; watchList: boolean }): string[] {
  try {
    readListOptions(new URLSearchParams(query), options)
  } catch (error) {
    if (error instanceof ApiError) return (error.details?.causes ?? []).map((cause) => `${cause.field} ${cause.reason}`)
    throw error
  }
  return []
}

// The list table of specification section 4.6, row by row.
describe("list freshness", () => {
  it.each([
    ["", { mode: "most-recent" }],
    ["resourceVersion=0", { mode: "any" }],
    ["resourceVersion=7", { mode: "not-older", revision: 7 }],
    ["limit=3", { mode: "most-recent" }],
    ["limit=3&resourceVersion=0", { mode: "any" }],
    ["limit=3&resourceVersion=7", { mode: "exact", revision: 7 }],
    ["limit=3&continue=x", { mode: "most-recent" }],
    ["limit=3&continue=x&resourceVersion=0", { mode: "most-recent" }],
    ["resourceVersionMatch=Exact&resourceVersion=7", { mode: "exact", revision: 7 }],
    ["resourceVersionMatch=Exact&resourceVersion=7&limit=3", { mode: "exact", revision: 7 }],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=0", { mode: "any" }],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=7&limit=3", { mode: "not-older", revision: 7 }],
  ])("%s", (query, expected) => {
    expect(freshness(query)).toEqual(expected)
  })

  it("refuses resourceVersion together with a continue token", () => {
    expect(() => freshness("limit=3&continue=x&resourceVersion=7")).toThrow(/not allowed when using continue/)
  })

  it.each(["abc", "-1", "1.5", "99999999999999999999"])("refuses version %s", (version) => {
    expect(() => freshness(`resourceVersion=${version}`)).toThrow(/strconv.ParseUint: parsing/)
  })
})

describe("invalid combinations", () => {
  const list = { watch: false, watchList: false }
  const watch = { watch: true, watchList: false }
  const watchList = { watch: true, watchList: true }

  it.each([
    ["resourceVersionMatch=Exact", list, ["resourceVersionMatch FieldValueForbidden"]],
    ["resourceVersionMatch=NotOlderThan", list, ["resourceVersionMatch FieldValueForbidden"]],
    ["resourceVersionMatch=Exact&resourceVersion=0", list, ["resourceVersionMatch FieldValueForbidden"]],
    ["resourceVersionMatch=Newest&resourceVersion=7", list, ["resourceVersionMatch FieldValueNotSupported"]],
    ["sendInitialEvents=true", list, ["sendInitialEvents FieldValueForbidden"]],
    ["sendInitialEvents=true&resourceVersionMatch=NotOlderThan", watch, ["sendInitialEvents FieldValueForbidden"]],
    ["sendInitialEvents=true&resourceVersionMatch=NotOlderThan", watchList, []],
    ["sendInitialEvents=true", watchList, ["resourceVersionMatch FieldValueForbidden"]],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=7", watchList, ["resourceVersionMatch FieldValueForbidden"]],
  ])("%s", (query, options, expected) => {
    expect(causes(query, options)).toEqual(expected)
  })
})
