/**
 * Bugs that the simulation has found, each as its shortest plan, so that none returns. Add a new one with the steps
 * that `npm run sim` prints.
 */
import { expect, it } from "vitest"
import { longPlans } from "./found-plans.ts"
import type { LifeAct } from "./lives/steps.ts"
import type { Plan, Step } from "./plan.ts"
import { run } from "./run.ts"

/** Deletes a namespace at one server while objects are created in it at the other. */
const namespaceGoes: Plan["steps"] = [
  { do: "life", server: 0, life: { act: "namespace", name: "n2", remove: false } },
  { do: "turns", count: 60 },
  { do: "life", server: 1, life: { act: "namespace", name: "n2", remove: true } },
  { do: "turns", count: 1 },
  ...["p", "q", "r"].map(
    (name) =>
      ({
        do: "life",
        server: 0,
        life: { act: "make", namespace: "n2", name, tag: "t1", label: "", held: false, owners: [], blocks: false },
      }) as const,
  ),
]

/**
 * Creates the namespace again as early as possible, while servers may still be emptying the old one. Later deletes it
 * too, while an object with a finalizer holds it.
 */
function namespaceMadeAnew(pause: number): Plan["steps"] {
  const namespace = (server: number, remove: boolean): Step => ({ do: "life", server, life: { act: "namespace", name: "n2", remove } })
  const attempt: readonly Step[] = [{ do: "turns", count: pause }, namespace(0, false)]
  const held: LifeAct = { act: "make", namespace: "n2", name: "p", tag: "t1", label: "", held: true, owners: [], blocks: false }
  const longEnough: Step = { do: "turns", count: 60 }
  return [
    namespace(0, false),
    longEnough,
    namespace(1, true),
    ...attempt,
    ...attempt,
    ...attempt,
    ...attempt,
    longEnough,
    { do: "life", server: 0, life: held },
    longEnough,
    namespace(0, true),
    longEnough,
  ]
}

const happens = (name: string): Step => ({ do: "life", server: 1, life: { act: "happen", namespace: "home", name, label: "" } })

const madeOfV2: LifeAct = {
  ...{ act: "make", resource: "gears", version: "v1", namespace: "home", name: "q", tag: "t1", label: "", held: true, owners: [] },
  blocks: false,
}
const shape = { mark: "t1", storage: "v2", served: ["v1", "v2"] } as const

/** Applies to an object while its definition is removed by force. */
const appliesWhileDefinitionGoes: Plan["steps"] = [
  { do: "life", server: 0, life: { act: "define", resource: "gears", shape } },
  { do: "turns", count: 60 },
  { do: "life", server: 0, life: madeOfV2 },
  { do: "turns", count: 40 },
  { do: "life", server: 0, life: { act: "undefine", resource: "gears", force: true } },
  ...Array.from({ length: 10 }, (_, index): readonly Step[] => {
    const applied = { act: "change", how: "force", manager: "one", tag: `t${index}` } as const
    const life = { ...applied, resource: "gears", version: "v1", namespace: "home", name: "q" } as const
    return [
      { do: "life", server: 0, life },
      { do: "turns", count: 1 + (index % 3) },
    ]
  }).flat(),
]

const ownerThatGoes: LifeAct = {
  ...{ act: "make", resource: "gears", version: "v2", namespace: "home", name: "r", tag: "t1", label: "", held: true, owners: [] },
  blocks: false,
}

/** An object gets its owner while the owner's definition is deleted, and before another server has started fully. */
const ownerGoesWithItsDefinition: Plan["steps"] = [
  { do: "life", server: 0, life: { act: "define", resource: "gears", shape } },
  { do: "turns", count: 60 },
  { do: "life", server: 0, life: ownerThatGoes },
  { do: "turns", count: 40 },
  { do: "life", server: 0, life: { act: "undefine", resource: "gears" } },
  { do: "turns", count: 20 },
  { do: "kill", server: 1 },
  { do: "start", server: 1 },
  {
    do: "life",
    server: 0,
    life: { act: "make", namespace: "home", name: "q", tag: "t2", label: "", held: false, owners: ["gears/r"], blocks: true },
  },
]

const found: Readonly<Record<string, Plan>> = {
  "a batch whose flush failed, which a reopened store found and the next power cut lost, reaches no client": {
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
  "commits that waited behind a failed flush are not written": {
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
  "a value expires although the store looked for expired values just before the value was written": {
    seed: 314166522,
    driver: "lmdb",
    length: 0,
    steps: [
      {
        do: "life",
        server: 0,
        life: { act: "sweep", resource: "configmaps", namespace: "home", label: "out" },
        rival: { act: "happen", namespace: "home", name: "r", label: "in" },
      },
      { do: "pass", milliseconds: 3000000 },
      { do: "flush-death", when: "before-flush" },
      { do: "kill", server: 0 },
      { do: "pass", milliseconds: 600000 },
      { do: "start", server: 0 },
      { do: "pass", milliseconds: 1 },
      { do: "start", server: 0 },
      {
        do: "life",
        server: 0,
        life: { act: "change", namespace: "n1", name: "q", how: "force", manager: "one", tag: "t207" },
        rival: { act: "drop", resource: "events", namespace: "home", name: "r", policy: "Orphan" },
      },
      { do: "watch", server: 0, slot: 4, from: "resume", label: false, name: undefined },
      { do: "stall" },
      { do: "life", server: 0, life: { act: "happen", namespace: "home", name: "s", label: "" } },
      { do: "pass", milliseconds: 6000 },
    ],
  },
  "a watch ahead of its server is not ended as compacted when that server has a gap": {
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
  "a list of the newest state whose revision is compacted before it was read shows a newer one": {
    seed: 293078871,
    driver: "etcd",
    length: 0,
    steps: [
      { do: "list", server: 0, freshness: "not-older", label: false, limit: 1, pause: 4 },
      { do: "turns", count: 4 },
      { do: "watch", server: 1, slot: 0, from: "known", label: true, name: undefined },
      { do: "get", server: 1, name: "e", freshness: "consistent" },
      { do: "list", server: 1, freshness: "not-older", label: false, limit: 0, pause: 22 },
      { do: "twins", server: 1, names: ["c", "a"], tag: "t124" },
      { do: "list", server: 0, freshness: "not-older", label: false, limit: 1, pause: 6 },
      { do: "watch", server: 1, slot: 0, from: "resume", label: false, name: undefined },
      { do: "cut", server: 0 },
      { do: "watch", server: 0, slot: 2, from: "known", label: true, name: undefined },
      { do: "turns", count: 5 },
      { do: "restore", server: 0 },
      { do: "get", server: 0, name: "e", freshness: "by-patch" },
      { do: "watch", server: 0, slot: 3, from: "resume", label: false, name: "a" },
      { do: "patch", server: 1, name: "e", tag: "t131", condition: "none" },
      { do: "watch", server: 1, slot: 3, from: "resume", label: true, name: undefined },
      { do: "watch", server: 0, slot: 2, from: "state", label: true, name: "e" },
      { do: "list", server: 1, freshness: "consistent", label: false, limit: 0, pause: 13 },
      { do: "turns", count: 7 },
      { do: "watch", server: 1, slot: 2, from: "resume", label: true, name: undefined },
      { do: "watch", server: 0, slot: 0, from: "resume", label: false, name: undefined },
      { do: "get", server: 1, name: "d", freshness: "any" },
      { do: "twins", server: 0, names: ["a", "b"], tag: "t143" },
      { do: "put", server: 0, name: "a", tag: "t144", label: "", condition: "none" },
      { do: "list", server: 0, freshness: "not-older", label: false, limit: 2, pause: 14 },
      { do: "list", server: 1, freshness: "consistent", label: false, limit: 2, pause: 19 },
      { do: "watch", server: 1, slot: 1, from: "resume", label: true, name: "c" },
      { do: "get", server: 0, name: "e", freshness: "consistent" },
      { do: "put", server: 1, name: "d", tag: "t149", label: "", condition: "known" },
      { do: "watch", server: 1, slot: 3, from: "resume", label: false, name: undefined },
      { do: "patch", server: 1, name: "d", tag: "t151", condition: "none" },
      { do: "pass", milliseconds: 61000 },
      { do: "compact", back: 2 },
      { do: "turns", count: 1 },
      { do: "list", server: 0, freshness: "consistent", label: false, limit: 1, pause: 16 },
      { do: "turns", count: 2 },
      { do: "compact", back: 0 },
    ],
  },
  "a watch that waits for past events is not ended as compacted when its server has a gap": {
    seed: 293386535,
    driver: "etcd",
    length: 0,
    steps: [
      { do: "watch", server: 0, slot: 4, from: "state", label: false, name: undefined },
      { do: "list", server: 1, freshness: "not-older", label: true, limit: 0, pause: 9 },
      { do: "watch", server: 1, slot: 0, from: "known", label: false, name: undefined },
      { do: "watch", server: 0, slot: 3, from: "known", label: false, name: undefined },
      { do: "turns", count: 11 },
      { do: "watch", server: 0, slot: 0, from: "known", label: false, name: undefined },
      { do: "turns", count: 3 },
      { do: "turns", count: 12 },
      { do: "compact", back: 7 },
      { do: "list", server: 1, freshness: "exact", label: false, limit: 0, pause: 4 },
      { do: "watch", server: 1, slot: 5, from: "resume", label: true, name: undefined },
      { do: "list", server: 0, freshness: "not-older", label: false, limit: 2, pause: 16 },
      { do: "get", server: 0, name: "e", freshness: "consistent" },
      { do: "patch", server: 1, name: "e", tag: "t12", condition: "none" },
      { do: "watch", server: 0, slot: 1, from: "state", label: false, name: undefined },
      { do: "list", server: 1, freshness: "consistent", label: true, limit: 1, pause: 25 },
      { do: "patch", server: 1, name: "e", tag: "t15", condition: "none" },
      { do: "patch", server: 1, name: "c", tag: "t16", condition: "known" },
      { do: "list", server: 0, freshness: "exact", label: true, limit: 1, pause: 5 },
      { do: "list", server: 1, freshness: "consistent", label: false, limit: 0, pause: 7 },
      { do: "list", server: 0, freshness: "exact", label: true, limit: 0, pause: 7 },
      { do: "pass", milliseconds: 61000 },
      { do: "watch", server: 0, slot: 5, from: "resume", label: false, name: "e" },
      { do: "answer-death", server: 0 },
      { do: "watch", server: 0, slot: 0, from: "state", label: false, name: "e" },
      { do: "turns", count: 11 },
      { do: "list", server: 0, freshness: "not-older", label: false, limit: 2, pause: 8 },
      { do: "put", server: 1, name: "a", tag: "t25", label: "out", condition: "none" },
      { do: "watch", server: 0, slot: 0, from: "known", label: false, name: undefined },
      { do: "turns", count: 4 },
      { do: "list", server: 0, freshness: "consistent", label: true, limit: 1, pause: 7 },
      { do: "turns", count: 10 },
      { do: "delete", server: 1, name: "d", condition: "none" },
      { do: "put", server: 0, name: "c", tag: "t31", label: "", condition: "known" },
      { do: "watch", server: 1, slot: 4, from: "resume", label: false, name: "b" },
      { do: "start", server: 0 },
      { do: "list", server: 1, freshness: "consistent", label: false, limit: 2, pause: 3 },
      { do: "list", server: 1, freshness: "exact", label: true, limit: 0, pause: 20 },
      { do: "watch", server: 1, slot: 5, from: "resume", label: false, name: undefined },
      { do: "pause", slot: 4 },
      { do: "turns", count: 5 },
      { do: "get", server: 1, name: "e", freshness: "any" },
      { do: "cut", server: 0 },
      { do: "list", server: 1, freshness: "consistent", label: true, limit: 2, pause: 14 },
      { do: "turns", count: 10 },
      { do: "create", server: 1, name: "b", tag: "t41", label: "out", condition: "none" },
      { do: "list", server: 1, freshness: "exact", label: false, limit: 0, pause: 18 },
      { do: "create", server: 1, name: "c", tag: "t43", label: "in", condition: "none" },
      { do: "watch", server: 1, slot: 2, from: "known", label: true, name: undefined },
      { do: "restore", server: 0 },
      { do: "watch", server: 0, slot: 0, from: "state", label: true, name: undefined },
      { do: "list", server: 1, freshness: "not-older", label: false, limit: 1, pause: 18 },
      { do: "patch", server: 1, name: "c", tag: "t57", condition: "known" },
      { do: "list", server: 0, freshness: "consistent", label: false, limit: 1, pause: 5 },
      { do: "pause", slot: 4 },
      { do: "create", server: 1, name: "d", tag: "t62", label: "", condition: "none" },
      { do: "turns", count: 2 },
      { do: "list", server: 1, freshness: "consistent", label: true, limit: 0, pause: 25 },
      { do: "patch", server: 1, name: "b", tag: "t92", condition: "none" },
      { do: "patch", server: 1, name: "e", tag: "t93", condition: "none" },
      { do: "list", server: 1, freshness: "consistent", label: true, limit: 0, pause: 16 },
      { do: "watch", server: 0, slot: 3, from: "state", label: false, name: undefined },
      { do: "cut", server: 0 },
      { do: "get", server: 0, name: "d", freshness: "by-patch" },
      { do: "get", server: 1, name: "c", freshness: "consistent" },
      { do: "watch", server: 0, slot: 3, from: "resume", label: false, name: undefined },
      { do: "twins", server: 1, names: ["d", "e"], tag: "t130" },
      { do: "compact", back: 9 },
      { do: "watch", server: 0, slot: 4, from: "known", label: false, name: undefined },
      { do: "turns", count: 5 },
      { do: "list", server: 0, freshness: "any", label: false, limit: 1, pause: 0 },
      { do: "turns", count: 8 },
      { do: "delete", server: 1, name: "e", condition: "stale" },
      { do: "compact", back: 6 },
    ],
  },
  "a server that does not know yet that a namespace is being deleted creates no object in it": {
    seed: 36,
    driver: "shared",
    length: 0,
    steps: namespaceGoes,
  },
  "nor do servers that share an etcd": {
    seed: 24,
    driver: "etcd",
    length: 0,
    steps: namespaceGoes,
  },
  "a server that empties a namespace late does not delete a new one of the same name": {
    seed: 7,
    driver: "shared",
    length: 0,
    steps: namespaceMadeAnew(8),
  },
  "nor do servers that share an etcd and empty it late": {
    seed: 5,
    driver: "etcd",
    length: 0,
    steps: namespaceMadeAnew(6),
  },
  "an apply is not answered with 500 when the definition went meanwhile": {
    seed: 2,
    driver: "shared",
    length: 0,
    steps: appliesWhileDefinitionGoes,
  },
  "an object is collected whose owner goes with its definition just after the collector found it": {
    seed: 2,
    driver: "shared",
    length: 0,
    steps: ownerGoesWithItsDefinition,
  },
  "an object with a time to live gets no old lease of etcd that looks young after the clock was set back": {
    seed: 12,
    driver: "etcd",
    length: 0,
    steps: [
      happens("q"),
      { do: "turns", count: 60 },
      { do: "step-clock", server: 1, milliseconds: -3_600_000 },
      { do: "pass", milliseconds: 61_000 },
      happens("s"),
      { do: "turns", count: 60 },
    ],
  },
}

it.each(Object.entries({ ...found, ...longPlans }))("%s", { timeout: 60_000 }, async (_finding, plan) => {
  expect((await run(plan)).faults).toEqual([])
})
