import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { repository } from "./source.ts"

const bad = "export const a: any = 1\nvar unused = 'x'\n"

/** Runs the formatter and linter over one file of a folder that has this repository's settings. */
function lint(path: string): number | null {
  const folder = mkdtempSync(join(tmpdir(), "own-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of ["biome.json", ".gitignore"]) copyFileSync(join(repository, file), join(folder, file))
  for (const [file, text] of [
    ["good.ts", "export const good = 1\n"],
    [path, bad],
  ] as const) {
    mkdirSync(join(folder, file, ".."), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const biome = join(repository, "node_modules/@biomejs/biome/bin/biome")
  return spawnSync(process.execPath, [biome, "check", "--error-on-warnings", "."], { cwd: folder }).status
}

test("npm run check ignores my/, where a clone's user keeps schemas and TypeScript", () => {
  expect([lint("runtime/bad.ts"), lint("my/behaviours/bad.ts")]).toEqual([1, 0])
  expect(readFileSync(join(repository, ".gitignore"), "utf8").split("\n")).toContain("my/")
  const { include }: { include: string[] } = JSON.parse(readFileSync(join(repository, "tsconfig.json"), "utf8"))
  expect(include).not.toContain(".")
})
