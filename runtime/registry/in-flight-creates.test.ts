import { expect, test } from "vitest"
import { InFlightCreates } from "./in-flight-creates.ts"

async function turn(): Promise<void> {
  for (let index = 0; index < 5; index++) await Promise.resolve()
}

test("waits for what is under way in a namespace now, not for what comes later or elsewhere", async () => {
  const creations = new InFlightCreates()
  const ends: (() => void)[] = []
  const create = (namespace: string) => creations.track(namespace, () => new Promise<void>((resolve) => ends.push(resolve)))
  const [first, elsewhere] = [create("a"), create("b")]
  let settled = false
  const waiting = creations.drained("a").then(() => {
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
  const creations = new InFlightCreates()
  const failing = creations.track("a", async () => {
    throw new Error("no")
  })
  await creations.drained("a")
  await expect(failing).rejects.toThrow("no")
})

test("nothing under way is no wait, and cluster-scoped objects are not counted", async () => {
  const creations = new InFlightCreates()
  const never = creations.track("", () => new Promise<void>(() => {}))
  await creations.drained("a")
  await creations.drained("")
  expect(never).toBeInstanceOf(Promise)
})
