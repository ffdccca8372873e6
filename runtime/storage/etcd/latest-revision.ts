/** One question for everybody who wants to know the same: reads that must be fresh ask for the newest revision, thousands of times a second. */

/**
 * Called once per store, with what asks etcd. The returned function answers a revision that was read after it was called: a question that is
 * under way may have been answered before, so who comes meanwhile shares the next one.
 */
export function sharedQuestion(ask: () => Promise<number>): () => Promise<number> {
  let running: Promise<number> | undefined
  let next: Promise<number> | undefined
  function start(): Promise<number> {
    next = undefined
    const asked = ask()
    running = asked
    const done = (): void => {
      if (running === asked) running = undefined
    }
    asked.then(done, done)
    return asked
  }
  return () => {
    if (running === undefined) return start()
    next ??= running.then(start, start)
    return next
  }
}
