/** Every committed measurement can be repeated: it names the measured commit. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { History } from "./history.ts"
import { repository, textFiles } from "./source.ts"

const results = textFiles(["bench/results"], /\.json$/)

describe("the measured commit is in the history", () => {
  const history = new History(repository)
  const fault = history.fault()

  test.for(results)("of $path", ({ text }, { skip }) => {
    if (fault !== undefined) skip(fault)
    expect(history.commitFault(JSON.parse(text).versions?.commit)).toBeUndefined()
  })

  test("of every result", () => expect(results.length).toBeGreaterThan(0))
})

/** A repository with one commit on its branch and one beside it, and a shallow clone of it. */
function repositories() {
  const folder = mkdtempSync(join(tmpdir(), "history-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const whole = join(folder, "whole")
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", whole, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { encoding: "utf8" }).trim()
  execFileSync("git", ["init", "-q", whole])
  for (const message of ["first", "second"]) git("commit", "-q", "--no-gpg-sign", "--allow-empty", "-m", message)
  const beside = git("commit-tree", "HEAD^{tree}", "-m", "beside")
  const shallow = join(folder, "shallow")
  execFileSync("git", ["clone", "-q", "--depth", "1", `file://${whole}`, shallow])
  return { folder, whole, shallow, first: git("rev-parse", "HEAD^"), beside }
}

test("a history reports which commits it lacks, and whether it is available", ({ skip }) => {
  if (spawnSync("git", ["--version"]).error !== undefined) skip("there is no git")
  const { folder, whole, shallow, first, beside } = repositories()
  const history = new History(whole)
  for (const commit of [first, first.slice(0, 7)]) expect(history.commitFault(commit)).toBeUndefined()
  expect(history.commitFault(undefined)).toMatch(/^versions.commit is undefined: measure it again/)
  expect(history.commitFault("HEAD")).toMatch(/^versions.commit is "HEAD"/)
  expect(history.commitFault(`${first}+`)).toMatch(/not committed/)
  expect(history.commitFault("0".repeat(40))).toMatch(/no commit/)
  expect(history.commitFault(beside)).toMatch(/no ancestor/)
  expect(history.fault()).toBeUndefined()
  expect(new History(shallow).fault()).toMatch(/shallow/)
  expect(new History(folder).fault()).toMatch(/no repository/)
  execFileSync("git", ["init", "-q", folder])
  expect(new History(shallow).fault()).toMatch(/shallow/)
  rmSync(join(shallow, ".git"), { recursive: true })
  expect(new History(shallow).fault()).toMatch(/no repository/)
})
