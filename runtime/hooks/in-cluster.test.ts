import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { vendorProfile } from "../base/vendor.ts"
import { fileCheckMs } from "../base/watched-files.ts"
import { inClusterHook } from "./in-cluster.ts"

const vendor = vendorProfile("kubernetes")

function accountFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "account-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "token"), "first\n")
  writeFileSync(join(folder, "ca.crt"), "PEM")
  return folder
}

test("the place is the API server, with the token of the account as it is now", async () => {
  const folder = accountFolder()
  const clock = createManualClock()
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" }
  const hook = inClusterHook({ vendor, env, folder, clock, onFault: () => undefined })
  onTestFinished(() => hook.stop())
  const caBundle = Buffer.from("PEM").toString("base64")
  expect(hook.place).toEqual({ url: "https://[fd00::1]:443/", caBundle, access: { authorization: "Bearer first" } })
  writeFileSync(join(folder, "token"), "second")
  await expect
    .poll(() => {
      clock.advance(fileCheckMs)
      return hook.place.access?.authorization
    })
    .toBe("Bearer second")
})

test.each([
  [{}, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined"],
  [{ KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }, "ENOENT"],
])("with %j it says what is missing", (env, fault) => {
  const folder = join(tmpdir(), "no-such-account")
  expect(() => inClusterHook({ vendor, env, folder, clock: createManualClock(), onFault: () => undefined })).toThrow(fault)
})
