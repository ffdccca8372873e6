/** The load process: executes the calls of the benchmark, one at a time or several. Started by `openLoad`. */
import type { CallMessage, ResultMessage } from "./load-plans.ts"
import { runRequests } from "./request-load.ts"
import { openWatches, type WatchLoad } from "./watch-load.ts"

let watches: WatchLoad | undefined

process.on("message", (message: CallMessage) => {
  result(message).then(
    (done) => process.send?.({ ...done, id: message.id }),
    (error: unknown) => process.send?.({ id: message.id, failure: String(error) }),
  )
})
process.on("disconnect", () => process.exit())

async function result({ target, call }: CallMessage): Promise<Omit<ResultMessage, "id">> {
  switch (call.call) {
    case "requests":
      return { requests: await runRequests(target, call.plan) }
    case "watch":
      watches?.end()
      watches = await openWatches(target, call.plan)
      return {}
    case "watchFigures":
      return watches === undefined ? {} : { watches: watches.figures() }
    case "endWatches":
      watches?.end()
      watches = undefined
      return {}
  }
}
