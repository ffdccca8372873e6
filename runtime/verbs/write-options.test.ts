import { describe, expect, it } from "vitest"
import { readWriteOptions } from "./write-options.ts"

const query = (text: string) => new URLSearchParams(text)

describe("write options", () => {
  it("take All as a dry run, and refuse an empty dryRun, which cannot be meant as a real request", () => {
    expect(readWriteOptions(query(""), "CreateOptions")).toMatchObject({ dryRun: false, fieldValidation: "Warn" })
    for (const empty of ["dryRun", "dryRun=", "dryRun=All&dryRun="])
      expect(() => readWriteOptions(query(empty), "CreateOptions")).toThrow(/dryRun: Unsupported value/)
    expect(readWriteOptions(query("dryRun=All&fieldValidation=Strict"), "PatchOptions")).toEqual({
      dryRun: true,
      fieldValidation: "Strict",
      fieldManager: "",
      force: false,
    })
  })

  it("require a manager for an apply, and allow force only there", () => {
    expect(readWriteOptions(query("fieldManager=m&force"), "apply")).toMatchObject({ fieldManager: "m", force: true })
    expect(() => readWriteOptions(query("force=true"), "apply")).toThrow(/PatchOptions.*fieldManager: Required value/)
    expect(() => readWriteOptions(query("force=false"), "PatchOptions")).toThrow(/may not be specified for non-apply patch/)
    expect(readWriteOptions(query(`fieldManager=${"m".repeat(128)}`), "apply").fieldManager).toHaveLength(128)
    expect(() => readWriteOptions(query(`fieldManager=${"é".repeat(65)}`), "UpdateOptions")).toThrow(/at most 128 bytes/)
    expect(() => readWriteOptions(query("fieldManager=a%07"), "UpdateOptions")).toThrow(/U\+0007 \(at position 1\)/)
  })

  it("refuse values that would otherwise be ignored", () => {
    expect(() => readWriteOptions(query("dryRun=all"), "UpdateOptions")).toThrow(
      /Unsupported value: \[\]string\{"all"\}: supported values: "All"/,
    )
    expect(() => readWriteOptions(query("dryRun=All&dryRun=None"), "UpdateOptions")).toThrow(/dryRun/)
    expect(() => readWriteOptions(query("fieldValidation=strict"), "UpdateOptions")).toThrow(/"Ignore", "Strict", "Warn"/)
    expect(() => readWriteOptions(query("force=true"), "PatchOptions")).toThrow(/may not be specified for non-apply patch/)
    expect(() => readWriteOptions(query(`fieldManager=${"m".repeat(129)}`), "PatchOptions")).toThrow(/Too long/)
  })
})
