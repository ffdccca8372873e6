import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, onTestFinished } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { put, write } from "../../test/contract/store-fixture.ts"
import { openLmdbStore } from "../storage/lmdb/lmdb-store.ts"
import { storeFolder } from "../launch/data-dir.ts"
import type { CommandContext } from "./context.ts"
import { run } from "./run.ts"
import { inChildProcess } from "./isolated-process.ts"

let base: string
let printed: string[]
let errors: string[]
let context: CommandContext
const dataDir = (): string => join(base, "data")

const namespace = (name: string): string => JSON.stringify({ kind: "Namespace", apiVersion: "v1", metadata: { name } })
const configMap = (name: string, value: string): string =>
  JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace: "default" }, data: { value } })

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "store-command-"))
  printed = []
  errors = []
  context = { cwd: base, env: {}, now: () => 0, print: (line) => printed.push(line), printError: (line) => errors.push(line) }
})
afterEach(() => rmSync(base, { recursive: true }))

async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  const store = await openLmdbStore({ dir: storeFolder(dataDir()), clock: createManualClock() })
  for (const [key, value] of Object.entries(values)) await write(store, [put(key, value)])
  await store.close()
}

const sound = {
  "/registry/namespaces/default": namespace("default"),
  "/registry/configmaps/default/small": configMap("small", "x"),
  "/registry/configmaps/default/large": configMap("large", "x".repeat(2000)),
  "/registry/kettles/default/tea": JSON.stringify({ kind: "Kettle" }),
}

describe("store verify", () => {
  test("finds no fault in a healthy store", async () => {
    await fill(sound)
    expect(await run(["store", "verify", `--data-dir=${dataDir()}`], context)).toBe(0)
    expect(printed.join("\n")).toMatch(/4 keys at version 5, 4 values since version 0\nsha256 of keys and values: [0-9a-f]{64}\nno faults$/)
  })

  test("names values that do not match their keys, with key and version, and exits 1", async () => {
    await fill({
      ...sound,
      "/registry/configmaps/default/other": configMap("another", "x"),
      "/registry/configmaps/default/wrong": namespace("default"),
      "/registry/namespaces/cut": '{"kind":"Namespace"',
      "/registry/namespaces/garbled": "k8s\0\n\xff",
      "/registry/kettles/default/cut": "{",
    })
    expect(await run(["store", "verify", `--data-dir=${dataDir()}`], context)).toBe(1)
    expect(printed.slice(0, -1)).toEqual([
      "/registry/configmaps/default/other version 6: its value is of another object, default/another",
      "/registry/configmaps/default/wrong version 7: its value is a Namespace and not a ConfigMap",
      expect.stringMatching(/^\/registry\/namespaces\/cut version 8: its value does not decode: /),
      expect.stringMatching(/^\/registry\/namespaces\/garbled version 9: its value does not decode: /),
      expect.stringMatching(/^\/registry\/kettles\/default\/cut version 10: its value does not decode: /),
    ])
    expect(printed.at(-1)).toMatch(/5 faults$/)
  })

  test("writes JSON for programs: a line for each fault and one at the end", async () => {
    await fill({ "/registry/namespaces/default": namespace("other") })
    expect(await run(["store", "verify", "--json", `--data-dir=${dataDir()}`], context)).toBe(1)
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      { fault: "its value is of another object, other", key: "/registry/namespaces/default", version: "2" },
      expect.objectContaining({ keys: 1, revision: 2, faults: 1 }),
    ])
  })

  test("reports that there is no store", async () => {
    expect(await run(["store", "verify", `--data-dir=${dataDir()}`], context)).toBe(1)
    expect(errors.join()).toContain("holds no store")
    expect(readdirSync(base)).toEqual([])
  })
})

describe("store stats", () => {
  test("prints a table for people", async () => {
    await fill(sound)
    expect(await run(["store", "stats", `--data-dir=${dataDir()}`], context)).toBe(0)
    expect(printed.join("\n")).toMatch(/^version +5, history from 0$/m)
    expect(printed.join("\n")).toMatch(/^configmaps +2 +2\.2 KiB +1\.1 KiB +2\.1 KiB \/registry\/configmaps\/default\/large$/m)
    expect(printed.join("\n")).toMatch(/^kettles +1 +17 B/m)
  })

  test("prints one object for programs", async () => {
    await fill({ ...sound, "/elsewhere/a": "1" })
    expect(await run(["store", "stats", "--json", `--data-dir=${dataDir()}`], context)).toBe(0)
    const measure = JSON.parse(printed.join(""))
    expect(measure).toMatchObject({ keys: 5, log: { records: 5 } })
    expect(measure.resources.map(({ resource }: { resource: string }) => resource)).toEqual([
      "(outside /registry/)",
      "configmaps",
      "kettles",
      "namespaces",
    ])
  })
})

describe("store copy", () => {
  const copyTo = (to: string, ...more: string[]): Promise<number> =>
    run(["store", "copy", `--from=lmdb:${dataDir()}`, `--to=lmdb:${to}`, ...more], context)

  test("fills a new data folder", async () => {
    await fill(sound)
    expect(await copyTo(join(base, "copy"), "--json")).toBe(0)
    const summary = JSON.parse(printed.join(""))
    expect(summary).toMatchObject({ keys: 4, sourceRevision: 5 })
    expect(await run(["store", "verify", "--json", `--data-dir=${join(base, "copy")}`], context)).toBe(0)
    expect(JSON.parse(printed.at(-1) ?? "")).toMatchObject({
      faults: 0,
      keys: 4,
      contentHash: summary.contentHash,
      revision: summary.revision,
    })
    expect(readdirSync(join(base, "copy"))).toEqual(["store"])
  })

  test("reports keys that it does not copy", async () => {
    await fill({ ...sound, "/elsewhere/a": "1" })
    expect(await copyTo(join(base, "copy"))).toBe(0)
    expect(errors).toEqual([expect.stringMatching(/^1 keys of .* are not below \/registry\//)])
  })

  test("refuses a folder with a store and leaves it unchanged", async () => {
    await fill(sound)
    expect(await copyTo(dataDir())).toBe(1)
    expect(errors.join()).toMatch(/is open in process|is not empty/)
  })

  test("fails while a server has the source open, and leaves nothing behind", async () => {
    await fill(sound)
    const store = await openLmdbStore({ dir: storeFolder(dataDir()), clock: createManualClock() })
    expect(await copyTo(join(base, "copy"))).toBe(1)
    expect(errors.join()).toContain(`is open in process ${process.pid}`)
    expect(readdirSync(base)).toEqual(["data"])
    await store.close()
  })

  test.each([
    [["store", "copy", "--from=lmdb:a"], "two places are needed"],
    [["store", "copy", "--from=lmdb:a", "--to=mysql:b"], '--to: "mysql:b" will not do'],
    [["store", "copi"], "unknown command store copi; did you mean copy?"],
    [["store"], "what is to be done with the store?"],
    [["store", "verify", "more"], 'unexpected argument "more"'],
  ])("%j is wrong usage", async (args, message) => {
    expect(await run(args, context)).toBe(2)
    expect(errors.join("\n")).toContain(message)
  })
})

describe("backup and restore", () => {
  test("restore the contents, with higher versions on request", async () => {
    await fill(sound)
    const file = join(base, "backup")
    expect(await run(["backup", file, `--data-dir=${dataDir()}`], context)).toBe(0)
    expect(await run(["restore", file, `--data-dir=${join(base, "new")}`, "--bump-revision=100"], context)).toBe(0)
    const [before = "", after = ""] = printed
    expect(before).toMatch(/: 4 keys at version 5\n/)
    expect(after).toMatch(/: 4 keys at version 105\n/)
    expect(after.split("\n")[1]).toBe(before.split("\n")[1])
    expect(await run(["restore", file, `--data-dir=${join(base, "other")}`, "--bump-revision=-1"], context)).toBe(2)
    expect(await run(["restore", file, `--data-dir=${dataDir()}`], context)).toBe(1)
    expect(errors.at(-1)).toContain("is not empty")
  })
})

describe("a command that reads a damaged file", () => {
  const command = (): Promise<number> => Promise.resolve(7)

  test("runs in a child process, whose death by a signal is reported", async () => {
    const dying = { ...context, rerun: () => Promise.resolve({ code: 1, signal: "SIGBUS" as const }) }
    expect(await inChildProcess(["store", "verify"], command)(["--json"], dying)).toBe(1)
    expect(errors.join()).toContain("Its file is damaged or cut off; restore a backup")
  })

  test("returns the exit code of that process", async () => {
    const calls: (readonly string[])[] = []
    const rerun: CommandContext["rerun"] = (args) => {
      calls.push(args)
      return Promise.resolve({ code: 3 })
    }
    expect(await inChildProcess(["store", "verify"], command)(["--json"], { ...context, rerun })).toBe(3)
    expect(calls).toEqual([["store", "verify", "--json"]])
    // A child ends with its parent. Here the parent is the test runner, whose channel must stay as it was.
    const before = process.listeners("disconnect")
    onTestFinished(() => {
      for (const listener of process.listeners("disconnect")) if (!before.includes(listener)) process.off("disconnect", listener)
      process.channel?.ref()
    })
    expect(await inChildProcess(["store", "verify"], command)([], { ...context, rerun, env: { ORCH_SHIELDED: "1" } })).toBe(7)
  })
})

test.each(["verify", "stats", "copy"])("store %s --help prints the usage", async (name) => {
  expect(await run(["store", name, "--help"], context)).toBe(0)
  expect(printed.join("\n")).toContain(`npm run cli -- store ${name}`)
  expect(printed.join("\n")).toContain("--store-prefix")
})
