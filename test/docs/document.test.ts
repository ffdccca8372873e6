/** The runner of documents finds the mistakes that a document can have. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { runDocument } from "./document.ts"

async function run(...lines: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "document-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await runDocument(lines.join("\n"), { path: "A.md", folder, port: 1234, env: { PATH: process.env.PATH ?? "" } })
  return folder
}
const fence = "```"
const console = (...lines: readonly string[]): string[] => [`${fence}console`, ...lines, fence]

it("writes files, changes them, and runs commands in one shell", async () => {
  const folder = await run(
    ...[`${fence}yaml file=a/b.yaml`, "one: 1", "two: 2", "", "three: 6443", fence, "Text."],
    ...[
      `${fence}diff file=a/b.yaml`,
      " one: 1",
      "-two: 2",
      "+two: two",
      "@@",
      " three: 6443",
      fence,
      `${fence}diff file=a/b.yaml`,
      "+four: 4",
      fence,
    ],
    ...console("$ cd a && X=here && f() { echo $X; }", "$ f; cat <<E >&2", "> to 6443", "> E", "here", "to 1234", "$ pwd", "…/a"),
    ...[`<!--`, `${fence}console exit=3`, "$ printf '1  \\n2\\n3\\n'; exit 3", "1", "…", fence, "-->"],
  )
  expect(readFileSync(join(folder, "a/b.yaml"), "utf8")).toBe("one: 1\ntwo: two\n\nthree: 1234\nfour: 4\n")
})

it("runs a command that goes on", () =>
  run(
    ...[`${fence}console server`, "$ trap 'echo end; exit 0' INT; mkfifo f; echo up; cat f; echo more; cat f", "up", fence],
    ...console("$ echo x > f"),
    ...[`${fence}console server`, "x", "more", "^C", "end", fence],
  ))

it.each([
  ["output that differs", console("$ echo 1", "2"), "A.md:1: line 2: echo 1"],
  ["output that is not shown", console("$ echo 1"), "A.md:1"],
  ["output that did not come", console("$ true", "1"), "A.md:1"],
  ["a part for the whole", console("$ echo 12", "1"), "A.md:1"],
  ["a failure", console("$ exit 1"), "came, with code 1"],
  ["a success", [`${fence}console exit=1`, "$ true", fence], "came, with code 0"],
  ["output without a command", console("1"), "output without a command"],
  ["an unknown word", [`${fence}yaml fiel=a`, fence], "unknown word fiel"],
  ["a block that is not run", [`${fence}yaml`, fence], "neither a file nor run"],
  ["a change of what is not there", [`${fence}t file=a`, "1", fence, `${fence}diff file=a`, "-2", fence], "are 0 times in"],
  ["a change of two places", [`${fence}t file=a`, "1", "", "1", fence, `${fence}diff file=a`, "-1", fence], "are 2 times in"],
  ["a server that ends", [`${fence}console server`, "$ echo 1", "2", fence], "ended without the expected output"],
  [
    "wrong output at the end",
    [`${fence}console server`, "$ trap 'echo no; exit' INT; echo up; sleep 60", "up", "^C", "end", fence],
    "after ^C",
  ],
])("finds %s", async (_name, lines, fault) => {
  await expect(run(...lines)).rejects.toThrow(fault)
})

it("leaves out what needs a program that is not installed, and what is marked", () =>
  run(`${fence}console needs=no-such-program`, "$ false", fence, `${fence}go not-run`, "x", fence, `${fence}text`, "x", fence))
