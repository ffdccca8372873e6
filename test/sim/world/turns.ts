/** Turns of the event loop, the unit of time of everything except the clock. */

/** Resolves after this many turns: all work without I/O has run that often. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/**
 * Resolves with true once `done` holds, checking after every turn, or with false after `limit` turns. A simulation
 * never waits for real time: an event that has not happened after thousands of turns never will.
 */
export async function turnsUntil(done: () => boolean, limit: number): Promise<boolean> {
  for (let turn = 0; turn < limit; turn++) {
    if (done()) return true
    await turns(1)
  }
  return done()
}
