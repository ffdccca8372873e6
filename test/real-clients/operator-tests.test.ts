/** The examples of docs/OPERATOR-TESTS.md, run unchanged. The first line of each names its file. */
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../clients/command.ts"
import { programArguments } from "../clients/server-process.ts"

const page = new URL("../../docs/OPERATOR-TESTS.md", import.meta.url)
const goModule = fileURLToPath(new URL("go", import.meta.url))
const { ORCH_GO_CLIENTS: programs, ORCH_PYTHON: python, ORCH_JUNIT: junit, ORCH_FABRIC8: classPath } = process.env

let folder: string
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "operator-tests-"))
  const blocks = (await readFile(page, "utf8")).matchAll(/^```\w+\n(?:#|\/\/) (\S+)\n([^]*?)^```$/gm)
  for (const [, name = "", text = ""] of blocks) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const bin = join(folder, "bin")
  await mkdir(bin)
  const command = [process.execPath, ...programArguments()].map((word) => `'${word}'`).join(" ")
  await writeFile(join(bin, "orch-apiserver"), `#!/bin/sh\nexec ${command} "$@"\n`)
  await chmod(join(bin, "orch-apiserver"), 0o755)
  env = { PATH: [bin, process.env.PATH].join(delimiter) }
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a program in the folder of the examples to its successful end and returns all that it printed. */
async function ends(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(program, args, { cwd: folder, env })
  expect(code, stdout + stderr).toBe(0)
  return stdout + stderr
}

describe.skipIf(programs === undefined)(`a test of an operator in Go${programs === undefined ? " (go is not installed)" : ""}`, () => {
  it("passes", { timeout: 600_000 }, async () => {
    for (const file of ["go.mod", "go.sum"]) await cp(join(goModule, file), join(folder, file))
    const module = await readFile(join(folder, "go.mod"), "utf8")
    await writeFile(
      join(folder, "go.mod"),
      module.replace(/=> (\.\.?\/.*)$/m, (_line, path) => `=> ${join(goModule, path)}`),
    )
    expect(await ends("go", ["test", "-count=1", "-v", "."])).toContain("--- PASS: TestOvensGetHot")
  })
})

describe.skipIf(python === undefined)(`a test of an operator in Python${python === undefined ? " (python3 is not installed)" : ""}`, () => {
  it("passes", async () => expect(await ends(python ?? "", ["-m", "pytest", "-p", "no:cacheprovider"])).toContain("3 passed"))
})

describe.skipIf(junit === undefined)(
  `a test of an operator in Java${junit === undefined ? " (java and maven are not installed)" : ""}`,
  () => {
    it("passes", async () => {
      const classes = join(folder, "classes")
      const all = [classes, junit, classPath].join(delimiter)
      await ends("javac", ["-cp", all, "-d", classes, join(folder, "OvenTest.java")])
      const args = ["-cp", all, "org.junit.platform.console.ConsoleLauncher", "execute", "--select-class=OvenTest"]
      expect(await ends("java", args)).toMatch(/ 2 tests successful /)
    })
  },
)
