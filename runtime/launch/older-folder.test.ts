import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { systemClock } from "../base/clock.ts"
import { vendorProfile, type VendorName } from "../base/vendor.ts"
import { loadOptions } from "../options/load.ts"
import { selfSignedPair } from "./certificates.ts"
import { warnOfOlderFolder } from "./older-folder.ts"
import { servedNames } from "./server-names.ts"

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "older-folder-"))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** A folder as a server of this vendor leaves it. */
async function fill(folder: string, vendor: VendorName): Promise<void> {
  mkdirSync(join(cwd, folder, "store"), { recursive: true })
  const names = servedNames({ vendor: vendorProfile(vendor), advertised: "127.0.0.1", serviceRanges: [] })
  await selfSignedPair({ dir: join(cwd, folder, "pki"), names, clock: systemClock })
}

function warnings(...args: readonly string[]): readonly string[] {
  const said: string[] = []
  warnOfOlderFolder(loadOptions({ args, env: {}, readFile: () => "" }), (text) => said.push(text), cwd)
  return said
}

const kubernetes = "--vendor=kubernetes"

test("a new folder beside an older one of the same vendor is a warning that says how to use the older one", async () => {
  await fill(".orch", "kubernetes")
  expect(warnings(kubernetes)).toEqual([
    ".orch has objects that were stored with --vendor=kubernetes, and this start begins the new folder .orch-kubernetes; " +
      "--data-dir=.orch goes on with them",
  ])
})

test.each([[["--data-dir=.orch"]], [["--store=memory"]], [["--store-servers=http://127.0.0.1:2379"]], [["--vendor=orch"]]])(
  "there is none with %j",
  async (args) => {
    await fill(".orch", "kubernetes")
    expect(warnings(kubernetes, ...args)).toEqual([])
  },
)

test("there is none where the older folder has other names, no certificate, or is not there", async () => {
  expect(warnings(kubernetes)).toEqual([])
  await fill(".orch", "orch")
  expect(warnings(kubernetes)).toEqual([])
  rmSync(join(cwd, ".orch", "pki"), { recursive: true })
  expect(warnings(kubernetes)).toEqual([])
})

test("there is none once the new folder has a store", async () => {
  await fill(".orch", "kubernetes")
  await fill(".orch-kubernetes", "kubernetes")
  expect(warnings(kubernetes)).toEqual([])
})
