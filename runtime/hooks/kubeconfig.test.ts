import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { yamlFileBytesMax } from "../base/file-limits.ts"
import { fileCheckMs } from "../base/watched-files.ts"
import { type HookFile, readHookFile } from "./kubeconfig.ts"

/** Writes a kubeconfig whose user and cluster have these fields, and reads it. */
function read(user: object, cluster: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hook-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write("token", "first\n")
  write(
    "config",
    JSON.stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: "https://hook.example.com/path", ...cluster } }],
      users: [{ name: "u", user }],
    }),
  )
  const clock = createManualClock()
  const faults: unknown[] = []
  const file: HookFile = readHookFile({ path: join(folder, "config"), clock, onFault: (error) => faults.push(error) })
  onTestFinished(() => file.stop())
  const checked = async (done: () => boolean): Promise<void> => {
    while (!done()) {
      clock.advance(fileCheckMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { file, write, checked, faults, remove: (name: string) => rmSync(join(folder, name)) }
}

test("a token file is read again when it changes, and one that is gone is reported once", async () => {
  const { file, write, checked, faults, remove } = read({ tokenFile: "token", token: "not this one" })
  expect(file.place.access?.authorization).toBe("Bearer first")
  write("token", "second")
  await checked(() => file.place.access?.authorization === "Bearer second")
  remove("token")
  await checked(() => faults.length > 0)
  expect(file.place.access?.authorization).toBe("Bearer second")
  write("token", "third")
  await checked(() => file.place.access?.authorization === "Bearer third")
  expect(faults.length).toBe(1)
})

test.each([
  [{ token: "t" }, {}, { authorization: "Bearer t" }],
  [{ username: "me", password: "you" }, {}, { authorization: `Basic ${Buffer.from("me:you").toString("base64")}` }],
  [{}, { "tls-server-name": "other", "insecure-skip-tls-verify": true }, { serverName: "other", isUnverified: true }],
])("the user %j of the cluster %j", (user, cluster, access) => {
  expect(read(user, cluster).file.place).toEqual({ url: "https://hook.example.com/path", caBundle: "", access })
})

test.each([
  ["token: 's3cr3t", /see line 2, column \d+ \([A-Z_]+\)/],
  ['token: "a\ns3cr3t: {', /see line \d, column/],
  ["token: *s3cr3t", /an alias without an anchor/],
  ["token: !s3cr3t x", /must be a document of kind Config|current-context/],
  ["{s3cr3t", /see line 2, column/],
])("of a file that cannot be read, nothing is told that could be a credential: %s", (text, why) => {
  const folder = mkdtempSync(join(tmpdir(), "hook-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "config"), `kind: Config\n${text}`)
  const reading = (): HookFile => readHookFile({ path: join(folder, "config"), clock: createManualClock(), onFault: () => undefined })
  expect(reading).toThrow(why)
  expect(reading).toThrow(/^(?!.*s3cr3t)/s)
})

test("an address with a password is refused without it", () => {
  const server = "https://me:s3cr3t@hook.example.com/path"
  expect(() => read({}, { server })).toThrow(/^server must be an https address without a user and a password/)
})

test("a kubeconfig that is larger than the limit is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "hook-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "config")
  const reading = (): HookFile => readHookFile({ path, clock: createManualClock(), onFault: () => undefined })
  writeFileSync(path, `kind: Config ${"#".repeat(yamlFileBytesMax - "kind: Config ".length)}`)
  expect(reading).toThrow("current-context must name a context")
  writeFileSync(path, `kind: Config ${"#".repeat(yamlFileBytesMax)}`)
  expect(reading).toThrow(`${path} has more than ${yamlFileBytesMax} bytes`)
})
