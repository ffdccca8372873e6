/** What the simulation has found, as the least that shows it: none of it comes back. A new finding is added with the steps that `npm run sim` prints. */
import { expect, it } from "vitest"
import type { Plan } from "./plan.ts"
import { run } from "./run.ts"

const found: Readonly<Record<string, Plan>> = {
  "a batch whose flush failed, found when the store was opened anew and lost by the next power cut, is told to nobody": {
    seed: 176,
    driver: "lmdb",
    length: 0,
    steps: [
      { do: "create", server: 0, name: "b", tag: "t1", label: "in", condition: "none" },
      { do: "turns", count: 30 },
      { do: "watch", server: 0, slot: 0, from: "known", label: false, name: undefined },
      { do: "fail-flush", how: "commit" },
      { do: "put", server: 0, name: "b", tag: "t2", label: "", condition: "known" },
      { do: "turns", count: 30 },
      { do: "fail-flush", how: "data" },
      { do: "pass", milliseconds: 1000 },
      { do: "turns", count: 30 },
      { do: "list", server: 0, freshness: "consistent", label: false, limit: 0, pause: 0 },
      { do: "turns", count: 30 },
      { do: "kill", server: 0 },
      { do: "power-cut" },
      { do: "start", server: 0 },
    ],
  },
  "what waited behind a failed flush is not written": {
    seed: 30,
    driver: "lmdb",
    length: 0,
    steps: [
      { do: "stall" },
      { do: "create", server: 0, name: "e", tag: "t1", label: "", condition: "none" },
      { do: "turns", count: 10 },
      { do: "create", server: 0, name: "d", tag: "t2", label: "", condition: "none" },
      { do: "compact", back: 0 },
      { do: "turns", count: 10 },
      { do: "fail-flush", how: "data" },
      { do: "resume" },
      { do: "turns", count: 30 },
    ],
  },
  "a watch ahead of what its server has seen is not sent away when that server has a gap": {
    seed: 5039,
    driver: "shared",
    length: 0,
    steps: [
      { do: "cut", server: 1 },
      { do: "list", server: 1, freshness: "any", label: false, limit: 1, pause: 20 },
      { do: "restore", server: 1 },
      { do: "twins", server: 0, names: ["c", "a"], tag: "t200" },
      { do: "list", server: 0, freshness: "any", label: false, limit: 1, pause: 5 },
      { do: "turns", count: 1 },
      { do: "watch", server: 1, slot: 0, from: "resume", label: true, name: "e" },
      { do: "delete", server: 0, name: "a", condition: "known" },
      { do: "compact", back: 1 },
    ],
  },
}

it.each(Object.entries(found))("%s", { timeout: 60_000 }, async (_finding, plan) => {
  expect((await run(plan)).faults).toEqual([])
})
