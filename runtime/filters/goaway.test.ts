import { expect, it } from "vitest"
import type { RequestContext } from "../http/request/context.ts"
import { goaway } from "./goaway.ts"

it.each([
  [2, 0, true],
  [2, 19_999, true],
  [2, 20_000, false],
  [2, 999_999, false],
  [1, 0, false],
])("over HTTP/%i a draw of %i ends the connection: %s", (httpVersionMajor, draw, ends) => {
  let closed = false
  const random = { integer: (below: number) => (below === 1_000_000 ? draw : Number.NaN) }
  const request = { incoming: { httpVersionMajor }, outgoing: { closeAfterAnswer: () => (closed = true) } }
  // The step reads these members alone.
  expect(goaway({ chance: 0.02, random })(request as unknown as RequestContext)).toBeUndefined()
  expect(closed).toBe(ends)
})
