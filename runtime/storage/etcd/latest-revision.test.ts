import { expect, test } from "vitest"
import { sharedQuestion } from "./latest-revision.ts"

interface Asked {
  readonly answer: (revision: number) => void
  readonly fail: (error: Error) => void
}

function questions() {
  const asked: Asked[] = []
  const ask = sharedQuestion(() => new Promise<number>((answer, fail) => void asked.push({ answer, fail })))
  return { asked, ask }
}

test("who comes while a question is under way shares the next one", async () => {
  const { ask, asked } = questions()
  const first = ask()
  const shared = [ask(), ask(), ask()]
  expect(asked).toHaveLength(1)
  asked[0]?.answer(7)
  expect(await first).toBe(7)
  expect(asked).toHaveLength(2)
  asked[1]?.answer(9)
  expect(await Promise.all(shared)).toEqual([9, 9, 9])
  const last = ask()
  expect(asked).toHaveLength(3)
  asked[2]?.answer(9)
  expect(await last).toBe(9)
})

test("a question that failed fails for those who shared it, and not for those after", async () => {
  const { ask, asked } = questions()
  const first = ask()
  const next = ask()
  asked[0]?.fail(new Error("gone"))
  await expect(first).rejects.toThrow("gone")
  asked[1]?.answer(3)
  expect(await next).toBe(3)
})
