import { expect, it } from "vitest"
import { longDocuments, missingFiles, missingHeadings } from "./documents.ts"

const paths = new Set(["README.md", "docs", "docs/STORE.md", "runtime", "runtime/base", "runtime/base/turns.ts", "bench", "bench/soak.ts"])
const missing = (text: string): string[] => missingFiles([{ path: "docs/A.md", text }], paths)

it.each([
  "`runtime/base/turns.ts`, `base/turns.ts` and `turns.ts`",
  "`docs/`, `base/` and `runtime/base`",
  "`bench/soak`",
  "[the store](STORE.md), [its end](STORE.md#end), [home](../README.md), [a page](https://example.com/a.md)",
  "`test/api/*.yaml`, `runtime/filters/<name>.ts` and `my/schemas/kettle.yaml`",
  "`application/json`, `apps/v1`, `/api/v1/pods`, `k8s.io/apiserver` and `pkg/cmd/apply/apply.go`",
  "```\nruntime/gone.ts\n```",
])("finds no fault in %j", (text) => expect(missing(text)).toEqual([]))

it.each([
  ["`runtime/gone.ts`", "runtime/gone.ts"],
  ["`base/gone.ts`", "base/gone.ts"],
  ["`gone.ts`", "gone.ts"],
  ["`urns.ts`", "urns.ts"],
  ["`runtime/gone`", "runtime/gone"],
  ["`gone/`", "gone/"],
  ["`bench/gone`", "bench/gone"],
  ["[the store](GONE.md)", "GONE.md"],
])("finds the fault in %j", (text, name) => expect(missing(`First line.\n${text}`)).toEqual([`docs/A.md:2: ${name}`]))

const store = { path: "docs/STORE.md", text: "# The store\n\n## Backup and restore (lmdb)\n\n```sh\n# no heading\n```" }
const headings = (text: string): string[] => missingHeadings([{ path: "docs/A.md", text }, store])

it("finds headings by the names that links give them", () => {
  expect(headings("# Own\n[here](#own), [there](STORE.md#backup-and-restore-lmdb), [elsewhere](https://example.com/a.md#b)")).toEqual([])
  const faults = ["docs/A.md:2: #gone", "docs/A.md:2: STORE.md#backup", "docs/A.md:2: STORE.md#no-heading"]
  expect(headings("# Own\n[here](#gone), [there](STORE.md#backup), [command](STORE.md#no-heading)")).toEqual(faults)
})

it("counts the lines of what newcomers read first", () => {
  const lines = (count: number): string => "a line\n".repeat(count)
  const readme = (count: number): string[] =>
    longDocuments([
      { path: "README.md", text: lines(count) },
      { path: "docs/A.md", text: lines(900) },
    ])
  expect(readme(180)).toEqual([])
  expect(readme(181)).toEqual(["README.md has 181 lines: 180 at most"])
})
