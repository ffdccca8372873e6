/** Faults of the store while a controller works: failing commits, and changes that others make in between. */
import type { OpenRegistry } from "./open-registry.ts"
import type { Store } from "../../runtime/storage/store.ts"

/** The next `times` commits that write a key with this text in it fail. Returns how many have failed. */
export function failCommits(one: OpenRegistry, text: string, times: number): () => number {
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let failed = 0
  one.store.commit = async (options) => {
    if (failed < times && options.writes.some(({ key }) => key.includes(text))) {
      failed++
      throw new Error("the disk is on fire")
    }
    return real(options)
  }
  return () => failed
}

/** Calls `between` once, right before the first commit that writes a key with this text in it. */
export function beforeCommit(one: OpenRegistry, text: string, between: () => Promise<unknown>): () => boolean {
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let done = false
  one.store.commit = async (options) => {
    if (!done && options.writes.some(({ key }) => key.includes(text))) {
      done = true
      await between()
    }
    return real(options)
  }
  return () => done
}

/** Counts the commits from now on that write a key with this text in it. */
export function countCommits(one: OpenRegistry, text: string): () => number {
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let count = 0
  one.store.commit = async (options) => {
    if (options.writes.some(({ key }) => key.includes(text))) count++
    return real(options)
  }
  return () => count
}

/** Lets retries come: advances the clock in steps until the work has settled with nothing failing. */
export async function retried(one: OpenRegistry, controller: { idle(): Promise<void> }, withinMs = 1000): Promise<void> {
  for (let passedMs = 0; passedMs < withinMs; passedMs += 50) {
    one.clock.advance(50)
    await controller.idle()
  }
}
