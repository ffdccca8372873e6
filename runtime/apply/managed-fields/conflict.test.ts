import { expect, test } from "vitest"
import { conflictCausesMax, messageCharactersMax } from "../../base/limits.ts"
import { conflictError } from "./conflict.ts"

const owner = (manager: string) => ({ manager, operation: "Apply", apiVersion: "v1", subresource: "" }) as const
const fieldsOf = (count: number) => ({ "f:data": Object.fromEntries(Array.from({ length: count }, (_, index) => [`f:k${index}`, {}])) })

test("names the first of very many fields and counts all", () => {
  const count = 3 * conflictCausesMax
  const conflicts = [
    { owner: owner("a"), fields: fieldsOf(10) },
    { owner: owner("b"), fields: fieldsOf(count) },
    { owner: owner("c"), fields: fieldsOf(1) },
  ]
  const { message, details } = conflictError(conflicts)
  expect(details?.causes).toHaveLength(conflictCausesMax)
  expect(message).toMatch(new RegExp(`^Apply failed with ${count + 11} conflicts: conflicts with "a":\n- .data.k0\n`))
  expect(message).toContain(`\nand ${count + 11 - conflictCausesMax} more\nLeave these fields out`)
})

test("cuts long names in fields", () => {
  const name = "x".repeat(1_000_000)
  const { message } = conflictError([{ owner: owner("a"), fields: { [`f:${name}`]: {} } }])
  expect(message.length).toBeLessThan(2 * messageCharactersMax)
})
