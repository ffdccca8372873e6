/** The tutorial, followed word for word: from an empty folder with the packed package, and in a clone. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { hasProgram, repository } from "../../scripts/freshness.mjs"
import { describeWhere } from "../support/needs.ts"
import { runInClone } from "./clone.ts"
import { follow } from "./project.ts"

const timeout = 600_000
const path = "docs/TUTORIAL.md"

test(path, { timeout }, () => follow(path))

describeWhere(hasProgram("git"), "git is not installed")("in a clone", () => {
  test(path, { timeout }, async () => {
    const text = readFileSync(join(repository, path), "utf8")
    const [, instead] = /\*\*In a clone\*\* of the repository, `(.+?)` replaces these commands/.exec(text) ?? []
    const inClone = text.replace(/^```console\n[^]*?^```$/m, `\`\`\`console\n$ ${instead}\n…\n\`\`\``)
    expect(inClone).toContain("npm run build")
    expect(inClone).not.toContain("npm install")
    await runInClone(path, inClone)
  })
})
