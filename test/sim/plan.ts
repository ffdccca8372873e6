/**
 * The steps of a run, drawn from a seed. A plan is data: the same steps have the same effect, and steps can be removed
 * from it.
 */
import { customResources } from "./lives/definitions.ts"
import { actsOf, drawLife, drawShape, drawThemes, type LifeAct } from "./lives/steps.ts"
import { createRandom, type SeededRandom } from "./world/random.ts"
import type { Driver } from "./world/world.ts"

/** The version that a conditional write names: the newest that clients know, an older one, or none. */
export type Condition = "known" | "stale" | "none"

export type Step =
  | {
      readonly do: "create" | "put"
      readonly server: number
      readonly name: string
      readonly tag: string
      readonly label: string
      readonly condition: Condition
    }
  | { readonly do: "patch"; readonly server: number; readonly name: string; readonly tag: string; readonly condition: Condition }
  | { readonly do: "delete"; readonly server: number; readonly name: string; readonly condition: Condition }
  | { readonly do: "twins"; readonly server: number; readonly names: readonly [string, string]; readonly tag: string }
  | { readonly do: "get"; readonly server: number; readonly name: string; readonly freshness: "consistent" | "any" | "by-patch" }
  | {
      readonly do: "list"
      readonly server: number
      readonly freshness: "consistent" | "any" | "not-older" | "exact"
      readonly label: boolean
      /** 0: no pages. */
      readonly limit: number
      /** Turns between pages. */
      readonly pause: number
    }
  | {
      readonly do: "watch"
      readonly server: number
      readonly slot: number
      /**
       * Start at the end of the slot's last watch, at a version from some answer, or with the state, which also
       * replaces the first two when there is no such version.
       */
      readonly from: "resume" | "known" | "state"
      readonly label: boolean
      readonly name: string | undefined
    }
  /** `rival`: a concurrent act of another client, at the other server if there is one. */
  | { readonly do: "life"; readonly server: number; readonly life: LifeAct; readonly rival?: LifeAct }
  | { readonly do: "pause" | "unpause" | "leave"; readonly slot: number }
  | { readonly do: "turns"; readonly count: number }
  | { readonly do: "pass"; readonly milliseconds: number }
  | { readonly do: "step-clock"; readonly server: number; readonly milliseconds: number }
  | { readonly do: "compact"; readonly back: number }
  | { readonly do: "start" | "kill" | "cut" | "restore" | "answer-death"; readonly server: number }
  | { readonly do: "stall" | "resume" | "fill-disk" | "free-disk" | "power-cut" }
  | { readonly do: "fail-flush"; readonly how: "data" | "commit" }
  | { readonly do: "write-death"; readonly writes: number }
  | { readonly do: "flush-death"; readonly when: "before-flush" | "after-flush" }

export interface Plan {
  readonly seed: number
  readonly driver: Driver
  /** Number of steps drawn; consequences of faults come in addition. */
  readonly length: number
  readonly steps: readonly Step[]
}

export const watchSlots = 6
const names = ["a", "b", "c", "d", "e"] as const

/** Weight of each kind of step. Reads and watches are four fifths of the traffic, as in etcd's robustness tests. */
const traffic: Readonly<Record<string, number>> = { write: 22, get: 14, list: 26, watch: 28, slow: 6, turns: 20, pass: 5 }

/** Number of faults per step of traffic. */
const faultShare = 0.04

/** Steps about other kinds of objects per step of traffic, in plans that have them. */
const lifeShare = 0.5
const plansWithLives = 0.7
const rivalShare = 0.4

/** Selected by seed, so that many seeds cover all. */
const drivers: readonly [Driver, ...Driver[]] = ["lmdb", "shared", "lmdb", "etcd"]

export interface PlanOptions {
  /** Default: by the seed; odd ones have two servers that share a store. */
  readonly driver?: Driver
  /** Themes of the plan beside ConfigMaps; default: drawn, and sometimes none. */
  readonly themes?: readonly string[]
}

/** Called once per run. */
export function makePlan(seed: number, length: number, options: PlanOptions = {}): Plan {
  const { driver = drivers[seed % drivers.length] ?? drivers[0] } = options
  const random = createRandom(seed, "plan")
  const steps: Step[] = []
  // A separate sequence, so that the draws about ConfigMaps stay the same.
  const lives = createRandom(seed, "lives")
  const themes = options.themes ?? (lives.chance(plansWithLives) ? drawThemes(lives) : [])
  const acts = actsOf(themes)
  // Objects of a kind need its definition first.
  for (const resource of acts.define === undefined ? [] : customResources) {
    const shape = drawShape(lives, "first")
    steps.push({ do: "life", server: 0, life: { act: "define", resource, shape } }, { do: "turns", count: 40 })
  }
  /** Consequences of a fault, and the step after which they follow. */
  const later: { readonly at: number; readonly steps: readonly Step[] }[] = []
  for (let index = 0; index < length; index++) {
    for (const { steps: due } of later.filter(({ at }) => at === index)) steps.push(...due)
    if (random.chance(faultShare)) {
      let at = index
      for (const group of driver === "lmdb" ? drawDiskFault(random) : drawStoreFault(random, random.integer(2), driver)) {
        if (at === index) steps.push(...group)
        else later.push({ at, steps: group })
        at += 2 + random.integer(10)
      }
    }
    steps.push(drawTraffic(random, { server: driver === "lmdb" ? 0 : random.integer(2), tag: `t${index}` }))
    if (themes.length > 0 && lives.chance(lifeShare)) steps.push(lifeStep(lives, acts, { driver, tag: `t${index}` }))
  }
  return { seed, driver, length, steps }
}

function lifeStep(random: SeededRandom, acts: Readonly<Record<string, number>>, { driver, tag }: { driver: Driver; tag: string }): Step {
  const act = weighted(random, acts)
  const life = drawLife(random, act, tag)
  if ("pass" in life) return { do: "pass", milliseconds: life.pass }
  const server = driver === "lmdb" ? 0 : random.integer(2)
  if ("setClockBy" in life) return { do: "step-clock", server, milliseconds: life.setClockBy }
  if (!random.chance(rivalShare)) return { do: "life", server, life }
  // Equal acts conflict most often.
  const rival = drawLife(random, random.chance(0.6) ? act : weighted(random, acts), `${tag}-rival`)
  return { do: "life", server, life, ...("act" in rival && { rival }) }
}

function drawTraffic(random: SeededRandom, { server, tag }: { server: number; tag: string }): Step {
  switch (weighted(random, traffic)) {
    case "write":
      return drawWrite(random, server, tag)
    case "get":
      return { do: "get", server, name: random.pick(names), freshness: random.pick(["consistent", "consistent", "any", "by-patch"]) }
    case "list":
      return {
        do: "list",
        server,
        freshness: random.pick(["consistent", "consistent", "any", "not-older", "exact"]),
        label: random.chance(0.3),
        limit: random.pick([0, 1, 2]),
        pause: random.integer(30),
      }
    case "watch":
      return {
        do: "watch",
        server,
        slot: random.integer(watchSlots),
        from: random.pick(["resume", "resume", "known", "known", "state"]),
        label: random.chance(0.3),
        name: random.chance(0.15) ? random.pick(names) : undefined,
      }
    case "slow":
      return { do: random.pick(["pause", "unpause", "unpause", "leave"]), slot: random.integer(watchSlots) }
    case "pass":
      return { do: "pass", milliseconds: random.pick([1, 100, 1000, 5000, 61_000]) }
    default:
      return { do: "turns", count: 1 + random.integer(12) }
  }
}

function drawWrite(random: SeededRandom, server: number, tag: string): Step {
  const name = random.pick(names)
  const label = random.pick(["in", "out", ""])
  const condition = random.pick<Condition>(["known", "known", "stale", "none"])
  switch (weighted(random, { create: 30, put: 30, patch: 20, delete: 15, twins: 8 })) {
    case "create":
      return { do: "create", server, name, tag, label, condition: "none" }
    case "patch":
      return { do: "patch", server, name, tag, condition: random.pick(["none", "none", "known"]) }
    case "delete":
      return { do: "delete", server, name, condition: random.pick(["none", "known", "stale"]) }
    case "twins":
      return {
        do: "twins",
        server,
        names: random.pick([
          ["a", "b"],
          ["c", "a"],
          ["d", "e"],
        ]),
        tag,
      }
    default:
      return { do: "put", server, name, tag, label, condition }
  }
}

/**
 * A fault of one server and its disk. The repair follows some steps later, group by group: a world that is never
 * repaired proves nothing.
 */
function drawDiskFault(random: SeededRandom): readonly (readonly Step[])[] {
  const perhapsPower: readonly Step[] = random.chance(0.5) ? [{ do: "power-cut" }] : []
  const again: readonly Step[] = [...perhapsPower, { do: "start", server: 0 }]
  switch (weighted(random, { kill: 3, write: 3, flush: 4, answer: 4, full: 2, eio: 4, stall: 2, compact: 5, clock: 1 })) {
    case "kill":
      return [[{ do: "kill", server: 0 }], again]
    case "write":
      return [[{ do: "write-death", writes: 1 + random.integer(40) }], again]
    case "flush":
      return [[{ do: "flush-death", when: random.pick(["before-flush", "after-flush"]) }], again]
    case "answer":
      return [[{ do: "answer-death", server: 0 }], again]
    case "full":
      return [[{ do: "fill-disk" }], [{ do: "free-disk" }]]
    case "eio":
      return [
        [{ do: "fail-flush", how: random.pick(["data", "commit"]) }],
        ...(random.chance(0.4) ? [[{ do: "kill", server: 0 } as const], again] : []),
      ]
    case "stall":
      return [[{ do: "stall" }], [{ do: "pass", milliseconds: random.pick([1000, 6000, 65_000]) }], [{ do: "resume" }]]
    case "clock":
      return [[{ do: "step-clock", server: 0, milliseconds: random.pick([-3_600_000, -1000, 1000, 3_600_000]) }]]
    default:
      // Sometimes with a crash during the compaction: each of its sweeps is a transaction of its own.
      return random.chance(0.4)
        ? [
            [
              { do: "compact", back: random.integer(12) },
              { do: "write-death", writes: 1 + random.integer(10) },
            ],
            again,
          ]
        : [[{ do: "compact", back: random.integer(12) }]]
  }
}

/** A fault of two servers and their connections. */
function drawStoreFault(random: SeededRandom, server: number, driver: Driver): readonly (readonly Step[])[] {
  // Only etcd has an alarm for lack of space.
  const full = driver === "etcd" ? 2 : 0
  switch (weighted(random, { kill: 2, commit: 3, cut: 4, election: 2, stall: 2, compact: 5, clock: 1, full })) {
    case "full":
      return [[{ do: "fill-disk" }], [{ do: "free-disk" }]]
    case "kill":
      return [[{ do: "kill", server }], [{ do: "start", server }]]
    case "commit":
      return [[{ do: "answer-death", server }], [{ do: "start", server }]]
    case "cut":
      return [[{ do: "cut", server }], [{ do: "restore", server }]]
    case "election":
      return [
        [
          { do: "cut", server: 0 },
          { do: "cut", server: 1 },
        ],
        [
          { do: "pass", milliseconds: 3000 },
          { do: "restore", server: 1 },
        ],
        [{ do: "restore", server: 0 }],
      ]
    case "stall":
      return [[{ do: "stall" }], [{ do: "pass", milliseconds: random.pick([1000, 6000, 65_000]) }], [{ do: "resume" }]]
    case "clock":
      return [[{ do: "step-clock", server, milliseconds: random.pick([-3_600_000, -1000, 1000, 3_600_000]) }]]
    default:
      return [[{ do: "compact", back: random.integer(12) }]]
  }
}

function weighted(random: SeededRandom, weights: Readonly<Record<string, number>>): string {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  let left = random.fraction() * total
  for (const [name, weight] of Object.entries(weights)) {
    left -= weight
    if (left < 0) return name
  }
  return ""
}
