import { expect, it } from "vitest"
import { missingFiles } from "./documents.ts"

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
