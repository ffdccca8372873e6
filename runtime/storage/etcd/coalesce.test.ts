import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import { coalesce } from "./coalesce.ts"

interface Asked {
  readonly answer: (revision: number) => void
  readonly fail: (error: Error) => void
}

function questions() {
  const asked: Asked[] = []
  const ask = coalesce(() => new Promise<number>((answer, fail) => void asked.push({ answer, fail })))
  return { asked, ask }
}

/** One turn more than a call waits for others to join. */
async function gathered(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}

test("calls before a request share it, and calls during a request share the next one", async () => {
  const { ask, asked } = questions()
  const first = [ask(), ask()]
  await gathered()
  expect(asked).toHaveLength(1)
  const shared = [ask(), ask(), ask()]
  await gathered()
  expect(asked).toHaveLength(1)
  asked[0]?.answer(7)
  expect(await Promise.all(first)).toEqual([7, 7])
  await gathered()
  expect(asked).toHaveLength(2)
  asked[1]?.answer(9)
  expect(await Promise.all(shared)).toEqual([9, 9, 9])
  const last = ask()
  await gathered()
  expect(asked).toHaveLength(3)
  asked[2]?.answer(9)
  expect(await last).toBe(9)
})

test("a single call waits for no more than a turn", async () => {
  const { ask, asked } = questions()
  const alone = ask()
  await nextTurn()
  await nextTurn()
  expect(asked).toHaveLength(1)
  asked[0]?.answer(3)
  expect(await alone).toBe(3)
})

test("calls that keep arriving do not delay a request for ever", async () => {
  const { ask, asked } = questions()
  const all: Promise<number>[] = []
  for (let turn = 0; turn < 10 && asked.length === 0; turn++) {
    all.push(ask())
    await nextTurn()
  }
  expect(all.length).toBeLessThan(10)
  asked[0]?.answer(3)
  expect(await all[0]).toBe(3)
})

test("a failed request fails for the calls that share it, and not for later ones", async () => {
  const { ask, asked } = questions()
  const first = ask()
  await gathered()
  const next = ask()
  asked[0]?.fail(new Error("gone"))
  await expect(first).rejects.toThrow("gone")
  await gathered()
  asked[1]?.answer(3)
  expect(await next).toBe(3)
})

test("a request that cannot be sent fails for the calls that share it, and not for later ones", async () => {
  let open = false
  const ask = coalesce(() => {
    if (!open) throw new Error("closed")
    return Promise.resolve(3)
  })
  await expect(ask()).rejects.toThrow("closed")
  open = true
  expect(await ask()).toBe(3)
})
