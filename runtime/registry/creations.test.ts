import { expect, test } from "vitest"
import { Creations } from "./creations.ts"

async function turn(): Promise<void> {
  for (let index = 0; index < 5; index++) await Promise.resolve()
}

test("waits for what is under way in a namespace now, not for what comes later or elsewhere", async () => {
  const creations = new Creations()
  const ends: (() => void)[] = []
  const create = (namespace: string) => creations.during(namespace, () => new Promise<void>((resolve) => ends.push(resolve)))
  const [first, elsewhere] = [create("a"), create("b")]
  let settled = false
  const waiting = creations.settled("a").then(() => {
    settled = true
  })
  const later = create("a")
  await turn()
  expect(settled).toBe(false)
  ends[0]?.()
  await waiting
  expect(settled).toBe(true)
  for (const end of ends) end()
  await Promise.all([first, elsewhere, later])
})

test("a creation that fails has ended, and its fault is its caller's", async () => {
  const creations = new Creations()
  const failing = creations.during("a", async () => {
    throw new Error("no")
  })
  await creations.settled("a")
  await expect(failing).rejects.toThrow("no")
})

test("nothing under way is no wait, and cluster-scoped objects are not counted", async () => {
  const creations = new Creations()
  const never = creations.during("", () => new Promise<void>(() => {}))
  await creations.settled("a")
  await creations.settled("")
  expect(never).toBeInstanceOf(Promise)
})
