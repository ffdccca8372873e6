import { EventEmitter } from "node:events"
import { expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { endAfterDrainMs, hurriedEndMs, interruptedStartMs } from "../base/stop-limits.ts"
import { EndSignals } from "./signals.ts"

/** A process whose ends are noted. */
function prepare() {
  const clock = createManualClock()
  const ends: string[] = []
  const program = Object.assign(new EventEmitter(), { exit: (code: number) => void ends.push(`exit ${code}`) })
  const kill = (why: string): void => void ends.push(`killed: ${why}`)
  const signals = new EndSignals({ clock, log: { info: () => undefined }, process: program, kill })
  return { clock, ends, signals, send: (signal: string) => program.emit(signal, signal), program }
}

it("kills a process that has not ended since its last client left", async () => {
  const { clock, ends, send, signals } = prepare()
  signals.started()
  send("SIGTERM")
  expect(await signals.first).toBe("SIGTERM")
  clock.advance(100 * endAfterDrainMs)
  expect([ends, signals.stopOptions.hurry.aborted]).toEqual([[], false])
  signals.stopOptions.onDrained()
  clock.advance(endAfterDrainMs - 1)
  expect(ends).toEqual([])
  clock.advance(1)
  expect(ends).toEqual(["killed: it has not ended since its last client left, 10 s ago"])
})

it("a second signal ends the wait for clients, and kills a process that has not ended since", () => {
  const { clock, ends, send, signals } = prepare()
  signals.started()
  send("SIGINT")
  send("SIGTERM")
  send("SIGTERM")
  expect([ends, signals.stopOptions.hurry.aborted]).toEqual([[], true])
  clock.advance(hurriedEndMs - 1)
  signals.stopOptions.onDrained()
  expect(ends).toEqual([])
  clock.advance(1)
  clock.advance(endAfterDrainMs)
  expect(ends).toEqual(["killed: it has not ended since the second signal, 5 s ago"])
})

it.each([
  [["SIGTERM"], 0],
  [["SIGTERM", "SIGTERM"], 143],
  [["SIGTERM", "SIGINT"], 130],
])("a server that %s stopped has its exit code, which later signals do not change", (sent, code) => {
  const { ends, program, send, signals } = prepare()
  signals.started()
  for (const signal of sent) send(signal)
  expect(signals.over()).toBe(code)
  send("SIGTERM")
  program.emit("beforeExit")
  expect(ends).toEqual([`exit ${code}`])
})

it("a start ends with the second signal, or a while after the first one", () => {
  const { clock, ends, send } = prepare()
  send("SIGTERM")
  clock.advance(interruptedStartMs - 1)
  expect(ends).toEqual([])
  clock.advance(1)
  send("SIGINT")
  expect(ends).toEqual(["exit 143", "exit 130"])
})

it("a start that succeeds meanwhile is stopped in order", () => {
  const { clock, ends, send, signals } = prepare()
  send("SIGTERM")
  signals.started()
  clock.advance(interruptedStartMs)
  expect(ends).toEqual([])
})
