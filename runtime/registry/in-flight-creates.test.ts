import { expect, test } from "vitest"
import { InFlightCreates } from "./in-flight-creates.ts"

async function turn(): Promise<void> {
  for (let index = 0; index < 5; index++) await Promise.resolve()
}

test("drained waits for creations now in flight in the namespace, not for later ones or other namespaces", async () => {
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

test("a failed creation counts as ended, and its caller gets the error", async () => {
  const creations = new InFlightCreates()
  const failing = creations.track("a", async () => {
    throw new Error("no")
  })
  await creations.drained("a")
  await expect(failing).rejects.toThrow("no")
})

test("drained does not wait if nothing is in flight, nor for cluster-scoped objects", async () => {
  const creations = new InFlightCreates()
  const never = creations.track("", () => new Promise<void>(() => {}))
  await creations.drained("a")
  await creations.drained("")
  expect(never).toBeInstanceOf(Promise)
})
