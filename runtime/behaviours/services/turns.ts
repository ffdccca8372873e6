/** Turns at something that only one may hold at a time, in the order of asking. */

export interface Turns {
  /** Resolves when it is the caller's turn, with the function that ends it; calling that again does nothing. */
  enter(): Promise<() => void>
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve()
  return {
    async enter() {
      const before = last
      let end: () => void = () => {}
      last = new Promise((resolve) => {
        end = resolve
      })
      await before
      return end
    },
  }
}
