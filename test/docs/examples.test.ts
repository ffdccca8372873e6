/** The example projects, tried as their READMEs say, with the packed package. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { repository } from "../../scripts/freshness.mjs"
import { follow } from "./project.ts"

const lock = "schemas/numbers.lock.yaml"

test.each(readdirSync(join(repository, "examples"), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])))(
  "examples/%s",
  { timeout: 600_000 },
  async (name) => {
    const example = join("examples", name)
    const files = readdirSync(join(repository, example))
    const folder = await follow(join(example, "README.md"), { copyOf: example })
    // The field numbers are part of the example, and come from its schemas.
    if (files.includes("schemas"))
      expect(readFileSync(join(folder, lock), "utf8")).toBe(readFileSync(join(repository, example, lock), "utf8"))
  },
)
