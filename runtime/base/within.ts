import type { Clock } from "./clock.ts"

/** Resolves when the work is done or `milliseconds` have passed; at once for 0. */
export async function within(milliseconds: number, work: Promise<void>, clock: Clock): Promise<void> {
  if (milliseconds === 0) return
  let cancel = (): void => {}
  const patience = new Promise<void>((resolve) => {
    cancel = clock.after(milliseconds, resolve)
  })
  await Promise.race([work, patience])
  cancel()
}
