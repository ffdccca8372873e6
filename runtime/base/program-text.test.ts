import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { programText } from "./program-text.ts"

test.each([
  ["gen", "", "npm run gen", "npx orch-apiserver gen"],
  ["gen", "--explain", "npm run gen -- --explain", "npx orch-apiserver gen --explain"],
  ["start", "--api x", "npm start -- --api x", "npx orch-apiserver start --api x"],
  ["serve", "--api x", "npm start -- --api x", "npx orch-apiserver serve --api x"],
  ["store verify", "", "npm run cli -- store verify", "npx orch-apiserver store verify"],
  ["backup", "FILE", "npm run cli -- backup FILE", "npx orch-apiserver backup FILE"],
])("%s %s", (command, rest, clone, installed) => {
  expect([programText(command, rest, true), programText(command, rest, false)]).toEqual([clone, installed])
})

test("the scripts that texts name exist", () => {
  const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  )
  for (const command of ["dev", "gen", "new", "openapi", "convert", "cli"]) expect(scripts).toHaveProperty(command)
  expect(programText("gen")).toBe("npm run gen")
})
