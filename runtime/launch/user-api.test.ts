import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { readSchemas } from "../../codegen/folder.ts"
import { generate } from "../../codegen/generate.ts"
import { packageRoot } from "../package-root.ts"
import { loadApiFolder } from "./user-api.ts"

const cup = `
kind: Cup
group: kitchen.example.com
version: v1
doc: A cup.
scope: Namespaced
names: {plural: cups}
fields:
  template: {type: core.v1.PodTemplateSpec, number: 2, pointer: true, doc: What washes it.}
`

const folder = mkdtempSync(join(tmpdir(), "user-api-"))
afterEach(() => rmSync(folder, { recursive: true }))

it("loads a kind that refers to built-in types, in a folder without packages", async () => {
  const schemas = new Map([["kitchen.example.com/v1/cup.yaml", cup]])
  const { files, diagnostics } = await generate(schemas, { library: readSchemas(join(packageRoot, "schemas")) })
  expect(diagnostics).toEqual([])
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { kinds } = await loadApiFolder(folder)
  expect(kinds.map(({ kind }) => kind)).toEqual(["Cup"])
  // Validation of pods imports packages that only this package has installed.
  expect(await kinds[0]?.load()).toHaveProperty("validate")
})
