/** A promise that a test holds back until it resolves it. */
interface Gate {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

export function gate(): Gate {
  let resolve = (): void => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}
