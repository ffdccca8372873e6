import { describe, expect, it } from "vitest"
import { readWriteOptions } from "./write-options.ts"

const query = (text: string) => new URLSearchParams(text)

describe("write options", () => {
  it("take a bare dryRun as a real request and All as a dry one (specification section 4.9)", () => {
    expect(readWriteOptions(query("dryRun"), "CreateOptions")).toEqual({ dryRun: false, fieldValidation: "Warn" })
    expect(readWriteOptions(query("dryRun=All&fieldValidation=Strict"), "CreateOptions")).toEqual({
      dryRun: true,
      fieldValidation: "Strict",
    })
  })

  it("refuse what would otherwise be carried out by mistake", () => {
    expect(() => readWriteOptions(query("dryRun=all"), "UpdateOptions")).toThrow(/Unsupported value: \["all"\]: supported values: "All"/)
    expect(() => readWriteOptions(query("dryRun=All&dryRun=None"), "UpdateOptions")).toThrow(/dryRun/)
    expect(() => readWriteOptions(query("fieldValidation=strict"), "UpdateOptions")).toThrow(/"Ignore", "Strict", "Warn"/)
    expect(() => readWriteOptions(query("force=true"), "PatchOptions")).toThrow(/may not be specified for non-apply patch/)
    expect(() => readWriteOptions(query(`fieldManager=${"m".repeat(129)}`), "PatchOptions")).toThrow(/Too long/)
  })
})
