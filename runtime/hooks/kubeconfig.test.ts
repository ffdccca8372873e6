import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { fileCheckMs } from "../base/watched-files.ts"
import { type HookFile, readHookFile } from "./kubeconfig.ts"
import { hookFileBytesMax } from "./limits.ts"

/** Writes a kubeconfig whose user and cluster have these fields, and reads it. */
function read(user: object, cluster: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hook-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write("token", "first\n")
  write("config", kubeconfig(user, cluster))
  const clock = createManualClock()
  const faults: unknown[] = []
  const changes: string[] = []
  const file: HookFile = readHookFile({
    path: join(folder, "config"),
    clock,
    onFault: (error) => faults.push(error),
    onChange: () => changes.push("changed"),
  })
  onTestFinished(() => file.stop())
  const checked = async (done: () => boolean): Promise<void> => {
    while (!done()) {
      clock.advance(fileCheckMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { file, write, checked, faults, changes, remove: (name: string) => rmSync(join(folder, name)) }
}

function kubeconfig(user: object, cluster: object = {}): string {
  return JSON.stringify({
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://hook.example.com/path", ...cluster } }],
    users: [{ name: "u", user }],
  })
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

test("the file itself is read again when it changes, with the files that it names by then; a wrong one changes nothing", async () => {
  const { file, write, checked, faults, changes } = read({ token: "first" })
  const authorization = (): string | undefined => file.place.access?.authorization
  write("config", "{s3cr3t")
  await checked(() => faults.length === 1)
  expect(String(faults[0])).toMatch(/config or a file that it names has changed and cannot be used: .*see line 1/)
  expect(String(faults[0])).not.toMatch(/s3cr3t/)
  // It is reported once, and so is a named file that is not there yet.
  write("config", kubeconfig({ tokenFile: "later" }, { server: "https://other.example.com" }))
  await checked(() => faults.length === 2)
  expect(String(faults[1])).toMatch(/ENOENT.*later/)
  expect([authorization(), file.place.url, changes]).toEqual(["Bearer first", "https://hook.example.com/path", []])
  write("later", "second")
  await checked(() => authorization() === "Bearer second")
  expect([file.place.url, changes]).toEqual(["https://other.example.com", ["changed"]])
  write("later", "third")
  await checked(() => authorization() === "Bearer third")
  write("config", kubeconfig({ tokenFile: "token" }))
  await checked(() => authorization() === "Bearer first")
  write("token", "fourth")
  await checked(() => authorization() === "Bearer fourth")
  expect([faults.length, changes.length]).toEqual([2, 2])
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
  const reading = (): HookFile =>
    readHookFile({ path: join(folder, "config"), clock: createManualClock(), onFault: () => undefined, onChange: () => undefined })
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
  const reading = (): HookFile => readHookFile({ path, clock: createManualClock(), onFault: () => undefined, onChange: () => undefined })
  writeFileSync(path, `kind: Config ${"#".repeat(hookFileBytesMax - "kind: Config ".length)}`)
  expect(reading).toThrow("current-context must name a context")
  writeFileSync(path, `kind: Config ${"#".repeat(hookFileBytesMax)}`)
  expect(reading).toThrow(`${path} has more than ${hookFileBytesMax} bytes`)
})
