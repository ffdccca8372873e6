import { beginsWork, endsWork } from "../base/event-loop-monitor.ts"
import type { RequestContext } from "../http/request/context.ts"

interface RecoveryOptions {
  readonly fail: (request: RequestContext, thrown: unknown) => void
  /** Called with the error of an `onEnd` callback. */
  readonly report: (fault: unknown) => void
}

/**
 * Called once for each request, around all of its work. Never rejects: `fail` answers errors of the work. In any case
 * it ends the bookkeeping of the request and discards the unread body.
 */
export async function recovered(
  request: RequestContext,
  work: (request: RequestContext) => Promise<void>,
  { fail, report }: RecoveryOptions,
): Promise<void> {
  beginsWork(request)
  try {
    await work(request)
  } catch (thrown) {
    fail(request, thrown)
  } finally {
    request.handled(report)
    endsWork(request)
    request.incoming.discardBody(request.outgoing)
  }
}
