/** A mutex that is granted in the order of requests. */

export interface Mutex {
  /**
   * Resolves when it is the caller's turn, with the function that ends it. Calling that function again does nothing.
   */
  acquire(): Promise<() => void>
}

export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve()
  return {
    async acquire() {
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
