import type { Clock } from "./clock.ts"

/** Resolves when the work is done, `milliseconds` have passed or `hurry` is aborted; at once for 0. */
export async function within(milliseconds: number, work: Promise<unknown>, clock: Clock, hurry?: AbortSignal): Promise<void> {
  if (milliseconds === 0 || hurry?.aborted === true) return
  let cancel = (): void => {}
  const patience = new Promise<void>((resolve) => {
    cancel = clock.after(milliseconds, resolve)
    hurry?.addEventListener("abort", () => resolve(), { once: true })
  })
  await Promise.race([work, patience])
  cancel()
}

/** As `within`, but once `hurry` is aborted, the work has `hurriedMs` more. */
export async function withinHurried(
  { milliseconds, hurriedMs, hurry }: { milliseconds: number; hurriedMs: number; hurry: AbortSignal | undefined },
  work: Promise<unknown>,
  clock: Clock,
): Promise<void> {
  await within(milliseconds, work, clock, hurry)
  if (hurry?.aborted === true) await within(hurriedMs, work, clock)
}
