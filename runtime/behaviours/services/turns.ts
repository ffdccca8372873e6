/** A mutex that is granted in the order of requests. */

export interface Turns {
  /**
   * Resolves when it is the caller's turn, with the function that ends it. Calling that function again does nothing.
   */
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
