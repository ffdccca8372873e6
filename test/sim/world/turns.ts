/** Turns of the event loop, the unit in which everything that is not the clock takes its time. */

/** Resolves after so many turns: whatever could run without I/O has run that often. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/**
 * Resolves once `done` holds, looking after every turn; false when it did not within `limit` turns. A simulation never waits for real time, so what
 * has not happened after thousands of turns never will.
 */
export async function turnsUntil(done: () => boolean, limit: number): Promise<boolean> {
  for (let turn = 0; turn < limit; turn++) {
    if (done()) return true
    await turns(1)
  }
  return done()
}
