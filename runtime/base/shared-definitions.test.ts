import { expect, test } from "vitest"
import { withSharedDefinitions } from "./shared-definitions.ts"

test("definitions are put in where they are marked, and the file is read only then", async () => {
  const never = (): Promise<string> => Promise.reject(new Error("read"))
  const complete = '{\n   "a.B":{"type":"object","default":"shared"}\n}'
  expect(await withSharedDefinitions(complete, never)).toBe(complete)
  const shared = '{\n "schemas":{\n  "a.A":{"description":"$& and $1"},\n  "a.B":{}\n }\n}'
  const text = '{\n   "a.A":"shared",\n   "a.B":{"type":"object"},\n   "a.B":"shared"\n}'
  expect(await withSharedDefinitions(text, () => Promise.resolve(shared))).toBe(
    '{\n   "a.A":{"description":"$& and $1"},\n   "a.B":{"type":"object"},\n   "a.B":{}\n}',
  )
})
