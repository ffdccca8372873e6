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

test("drained waits for nothing of other namespaces, and without a namespace for everything", async () => {
  const creations = new InFlightCreates()
  let finish = (): void => {}
  const running = creations.track("", () => new Promise<void>((resolve) => (finish = resolve)))
  await creations.drained("a")
  let isDrained = false
  const drained = creations.drained().then(() => (isDrained = true))
  await Promise.resolve()
  expect(isDrained).toBe(false)
  finish()
  await Promise.all([running, drained])
  await creations.drained()
})
