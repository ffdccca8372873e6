/** Sends random requests to two servers until time is up, and keeps the smallest input of each class of difference. */
import type { JsonValue } from "../../runtime/base/json.ts"
import { type Difference, differences } from "../real-answers/compare.ts"
import type { Facts } from "../real-answers/compared.ts"
import { placeOf } from "../real-answers/place.ts"
import type { Step } from "../real-answers/recorded.ts"
import { steady } from "../real-answers/steady.ts"
import { createRandom } from "../sim/world/random.ts"
import type { Kind } from "./kinds.ts"
import { drawProbe, type Probe } from "./probe.ts"
import { shrinkBody } from "./shrink.ts"

/** Sends a request to one of the servers. */
export type Ask = (step: Step) => Promise<Facts>

export interface Servers {
  readonly real: Ask
  readonly ours: Ask
}

export interface FoundClass {
  readonly name: string
  readonly probe: Probe
  readonly difference: Difference
  readonly answer: Facts
  count: number
}

export interface Hunt {
  readonly seed: number
  readonly kinds: readonly Kind[]
  readonly servers: Servers
  readonly goesOn: () => boolean
  /** Whether a class is known, and not reported. */
  readonly isKnown: (difference: Difference, kind: string) => boolean
  /** Called once for each class, after it was shrunk. */
  readonly found: (found: FoundClass) => void
}

/** Classes that are kept, and bodies that are tried to shrink one. */
const classesMax = 2000
const attemptsMax = 60

/** The name of a class: what is different, and where, whatever the kind. Pod templates are pods. */
export function classOf(difference: Difference): string {
  return `${difference.class} ${placeOf(difference)}`.replace(/\b(?:spec\.)?(?:jobTemplate\.spec\.)?template\.spec\./g, "spec.").trim()
}

/** Returns how many requests were sent, and the classes. */
export async function hunt(given: Hunt): Promise<{ readonly requests: number; readonly classes: ReadonlyMap<string, FoundClass> }> {
  const random = createRandom(given.seed, "differ")
  const classes = new Map<string, FoundClass>()
  let requests = 0
  const [first, ...others] = given.kinds
  if (first === undefined) throw new Error("there are no kinds to ask about")
  for (; given.goesOn(); requests++) {
    const probe = drawProbe(random, random.pick([first, ...others]))
    const { differing, answer } = await ask(given.servers, probe)
    for (const difference of differing) {
      if (given.isKnown(difference, probe.kind)) continue
      const name = classOf(difference)
      const known = classes.get(name)
      if (known !== undefined) known.count++
      if (known !== undefined || classes.size >= classesMax) continue
      const one = await smallest(given.servers, { name, probe, difference, answer, count: 1 })
      classes.set(name, one)
      given.found(one)
    }
  }
  return { requests, classes }
}

async function ask({ real, ours }: Servers, { kind, operation, step }: Probe): Promise<{ differing: Difference[]; answer: Facts }> {
  const [a, b] = await Promise.all([real(step), ours(step)])
  const id = `${kind}/${operation}/random`
  return { answer: a, differing: differences(steady(a, id), steady(b, id)) }
}

async function smallest(servers: Servers, found: FoundClass): Promise<FoundClass> {
  let best = found
  const withBody = (b: JsonValue): Probe => ({ ...found.probe, step: { ...found.probe.step, b } })
  const differs = async (body: JsonValue): Promise<boolean> => {
    const probe = withBody(body)
    const { differing, answer } = await ask(servers, probe)
    const difference = differing.find((one) => classOf(one) === found.name)
    if (difference === undefined) return false
    best = { ...found, probe, difference, answer }
    return true
  }
  const body = found.probe.step.b
  if (body !== undefined) await shrinkBody(body as JsonValue, differs, attemptsMax) // A probe has no base.
  return best
}
