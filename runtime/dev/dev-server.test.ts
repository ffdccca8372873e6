import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Clock } from "../base/clock.ts"
import { StartError } from "../base/start-error.ts"
import type { Launched } from "../launch/launch.ts"
import type { ApiFolder } from "../launch/user-api.ts"
import type { App } from "../http/env.ts"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import { type DevOptions, startDevServer } from "./dev-server.ts"
import { Gate } from "./gate.ts"

/** A clock whose timers the test fires. */
function manualClock() {
  let now = 0
  const timers: { readonly at: number; readonly act: () => void }[] = []
  const clock: Clock = {
    nowMs: () => now,
    elapsedMs: () => now,
    after(delayMs, act) {
      const timer = { at: now + delayMs, act }
      timers.push(timer)
      return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1))
    },
  }
  function pass(ms: number): void {
    now += ms
    for (const timer of timers.filter(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.act()
    }
  }
  return { clock, pass, timers }
}

/** A program with one word as its schemas; it notes what happens. */
function devProgram(first: string) {
  const time = manualClock()
  const notes: string[] = []
  const state = { schema: first, refuseStart: "", duringGenerate: (): void => {} }
  let change = (): void => {}
  const options: DevOptions = {
    trees: [join(tmpdir(), "orch-no-such-folder")],
    out: "/out",
    generate: async () => {
      const word = state.schema
      notes.push(`generate ${word}`)
      state.duringGenerate()
      return word !== "faulty"
    },
    load: async () => {
      if (state.schema === "unloadable") throw new StartError("the code does not build")
      return state.schema === "faulty" ? [] : [folderOf(state.schema)]
    },
    launch: async ({ folders }) => {
      const word = folders[0]?.digest ?? "nothing"
      if (word === state.refuseStart) throw new StartError(`${word} does not start`)
      notes.push(`start ${word}`)
      return launchedAs(word, notes)
    },
    gate: new Gate(() => Promise.reject(new Error("no port"))),
    clock: time.clock,
    print: (line) => void notes.push(line),
    printError: (line) => void notes.push(`! ${line}`),
    watchFolder: (_folder, { changed }) => {
      change = () => changed("orch-no-such-folder")
      return {
        close() {
          change = () => {}
        },
      }
    },
  }
  return { ...time, notes, state, options, change: () => change() }
}

function folderOf(digest: string): ApiFolder {
  return { kinds: [], bodies: [], api: () => ({}), behaviours: {}, documents: new Map(), sources: [], digest }
}

function launchedAs(word: string, notes: string[]): Launched {
  const server = { stop: async () => void notes.push(`stop ${word}`) }
  return { server, url: "", token: "", authority: "", kubeconfig: "" } as unknown as Launched // Nothing else is used.
}

test("a storm of changes is one round, and one that never pauses is acted on", async () => {
  const program = devProgram("a")
  const server = await startDevServer(program.options)
  program.notes.length = 0
  program.state.schema = "b"
  for (let index = 0; index < 1000; index++) program.change()
  expect(program.timers.length).toBe(1)
  program.pass(25)
  await server.settled()
  expect(program.notes).toEqual(["generate b", "stop a", "start b", "serving 0 kinds of your own, 25 ms after the change"])
  program.notes.length = 0
  program.state.schema = "c"
  for (let index = 0; index < 12; index++) {
    program.change()
    program.pass(24)
  }
  expect(program.notes).toEqual([])
  program.change()
  program.pass(24)
  await server.settled()
  expect(program.notes.slice(0, 3)).toEqual(["generate c", "stop b", "start c"])
  await server.stop()
})

test.each([
  ["faulty", []],
  ["unloadable", ["! the code does not build"]],
])("%s schemas leave the server as it is, and mending them is reported", async (word, told) => {
  const program = devProgram("a")
  const server = await startDevServer(program.options)
  program.notes.length = 0
  for (program.state.schema of [word, "a"]) {
    program.change()
    program.pass(25)
    await server.settled()
  }
  expect(program.notes).toEqual([
    `generate ${word}`,
    ...told,
    "! what was served before is still served",
    "generate a",
    "serving 0 kinds of your own, 25 ms after the change",
  ])
  await server.stop()
})

test("a server that does not start is replaced by the one before it", async () => {
  const program = devProgram("a")
  const server = await startDevServer(program.options)
  program.notes.length = 0
  program.state.schema = "b"
  program.state.refuseStart = "b"
  program.change()
  program.pass(25)
  await server.settled()
  expect(program.notes).toEqual(["generate b", "stop a", "start a", "! b does not start", "! what was served before is still served"])
  await server.stop()
  expect(program.notes.at(-1)).toBe("stop a")
})

test("changes during a round are the next round's, also during the first", async () => {
  const program = devProgram("a")
  program.state.duringGenerate = () => {
    program.state.duringGenerate = () => {}
    program.state.schema = "b"
    program.change()
    program.pass(25)
  }
  const server = await startDevServer({ ...program.options, load: async () => [folderOf(program.notes.at(-1) ?? "")] })
  await server.settled()
  expect(program.notes.filter((note) => /^(start|stop)/.test(note))).toEqual(["start generate a", "stop generate a", "start generate b"])
  await server.stop()
})

test("with faults at the start the built-in kinds are served until they are mended", async () => {
  const program = devProgram("faulty")
  const server = await startDevServer(program.options)
  expect(program.notes).toEqual([
    "generate faulty",
    "! until that is mended, only the built-in kinds and what was generated before are served",
    "start nothing",
  ])
  program.state.schema = "a"
  program.change()
  program.pass(25)
  await server.settled()
  expect(program.notes.slice(3)).toEqual(["generate a", "stop nothing", "start a", "serving 0 kinds of your own, 25 ms after the change"])
  await server.stop()
})

test("after stop nothing is generated, and no watch or timer is left", async () => {
  const program = devProgram("a")
  const server = await startDevServer(program.options)
  program.change()
  await server.stop()
  expect(program.timers).toEqual([])
  program.change()
  program.pass(1000)
  expect(program.notes.filter((note) => note.startsWith("generate"))).toEqual(["generate a"])
})

test("requests wait during a change and reach the next server", async () => {
  const answered: string[] = []
  let port: Parameters<ConstructorParameters<typeof Gate>[0]>[0] | undefined
  let closed = 0
  const gate = new Gate(async (options) => {
    port = options
    return { port: 1, close: async () => void closed++ }
  })
  const appOf =
    (name: string): App =>
    () =>
      void answered.push(name)
  const listenOptions = { host: "", port: 0, tls: { certificate: "", key: "" } }
  const first = await gate.listen({ ...listenOptions, app: appOf("first") })
  const ask = () => port?.app({} as Incoming, {} as Outgoing) // Nothing reads them.
  ask()
  const during = gate.duringChange(async () => {
    await first.close({ graceMs: 0, clock: manualClock().clock })
    ask()
    await gate.listen({ ...listenOptions, app: appOf("second") })
    expect(answered).toEqual(["first"])
  })
  await during
  ask()
  expect([answered, closed]).toEqual([["first", "second", "second"], 0])
  gate.beginClosing()
  await first.close({ graceMs: 0, clock: manualClock().clock })
  expect(closed).toBe(1)
})
