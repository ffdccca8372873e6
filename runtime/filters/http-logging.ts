import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import type { Step } from "../http/env.ts"

/** The longest path that a line shows: paths may hold arbitrary text. */
const pathCharactersMax = 512

/**
 * Logs a line for each request once it has ended, health probes too, as the reference does at its level. Part of the
 * chain only from `-v=4` on. The query is left out, since tokens may be in it, and so are header fields.
 */
export function httpLogging({ clock, log }: { clock: Pick<Clock, "elapsedMs">; log: Pick<Logger, "debug"> }): Step {
  return function httpLogging(request) {
    const { outgoing } = request
    const startedMs = clock.elapsedMs()
    request.onEnd(() => {
      const { info, user, incoming } = request
      log.debug(
        {
          verb: info.verb === "" ? (incoming.method ?? "").toLowerCase().slice(0, 16) : info.verb,
          path: info.path.slice(0, pathCharactersMax),
          user: user.name,
          code: outgoing.statusCode,
          milliseconds: Math.round((clock.elapsedMs() - startedMs) * 100) / 100,
        },
        "HTTP",
      )
    })
    return undefined
  }
}
