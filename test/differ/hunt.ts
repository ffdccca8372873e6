/** Sends random requests to two servers until time is up, and keeps the smallest input of each class of difference. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { type Difference, differences } from "../real-answers/compare.ts"
import type { Facts } from "../real-answers/compared.ts"
import { placeOf } from "../real-answers/place.ts"
import type { Step } from "../real-answers/recorded.ts"
import { steady } from "../real-answers/steady.ts"
import { fieldOf, isList, same } from "../real-answers/values.ts"
import { createRandom } from "../sim/world/random.ts"
import type { Kind } from "./kinds.ts"
import { isOfOwners, ownersClass } from "./owners.ts"
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
  /** The real server's answers to each step up to the one that differs. */
  readonly answers: readonly Facts[]
  /** The real server's answers to the end of a probe that has one. */
  readonly ended: readonly Facts[]
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

/** Limits: classes to keep, and bodies to try when shrinking one. */
const classesMax = 2000
const attemptsMax = 60

/**
 * The name of a class: the difference and its place, whatever the kind. Pod templates count as pods, and conflicts are
 * the same in all fields.
 */
export function classOf(difference: Difference): string {
  const name = difference.class
  const place = placeOf(difference).replace(/^(Apply failed with \d+ conflict)[^]*/, "$1")
  return `${name} ${place}`.replace(/\b(?:spec\.)?(?:jobTemplate\.spec\.)?template\.spec\./g, "spec.").trim()
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
    const { differing, owners, ...answered } = await ask(given.servers, probe)
    for (const difference of differing) {
      if (given.isKnown(difference, probe.kind)) continue
      // A Status without details lacks all of them.
      if (/^details\.(?:group|kind)$/.test(difference.class) && differing.some((one) => one.class === "details.name")) continue
      const name = nameOf(difference, owners)
      const known = classes.get(name)
      if (known !== undefined) known.count++
      if (known !== undefined || classes.size >= classesMax) continue
      const one = await smallest(given.servers, { name, probe, difference, ...answered, count: 1 })
      classes.set(name, one)
      given.found(one)
    }
  }
  return { requests, classes }
}

const nameOf = (difference: Difference, owners: string): string => (isOfOwners(difference) ? owners : classOf(difference))

interface Asked {
  readonly differing: readonly Difference[]
  /** The class of all differences of managed fields. */
  readonly owners: string
  readonly answers: readonly Facts[]
  readonly ended: readonly Facts[]
}

/** Sends the steps up to the first with different answers: later steps would meet other objects. */
async function ask({ real, ours }: Servers, { kind, operation, steps, end }: Probe): Promise<Asked> {
  const id = `${kind}/${operation}/random`
  const answers: Facts[] = []
  let differing: Difference[] = []
  let owners = ""
  for (const step of steps) {
    const [a, b] = await Promise.all([real(step), ours(step)])
    answers.push(a)
    // The real server panics at some patches, and ends the connection.
    const hasPanicked = a.code === 0 && b.code >= 400
    const [there, here] = [withoutAllocations(steady(a, id)), withoutNotEnforced(withoutAllocations(steady(b, id)))]
    differing = hasPanicked ? [] : differences(there, here)
    if (differing.some(isOfOwners)) owners = ownersClass(a, b)
    if (differing.length > 0) break
  }
  const ended: Facts[] = []
  for (const step of end ?? []) ended.push((await Promise.all([real(step), ours(step)]))[0])
  return { differing, owners, answers, ended }
}

/** Removes the warnings that a field is not enforced, which the recorded cases cover; others may stand beside them. */
function withoutNotEnforced({ warnings, ...facts }: Facts): Facts {
  const kept = warnings?.filter((text) => !text.includes("not enforced by this server: ")) ?? []
  return { ...facts, ...(kept.length > 0 && { warnings: kept }) }
}

/** Internal errors, and duplicates of an empty name, come beside the cause itself. */
function isOfNoUse(cause: JsonValue): boolean {
  return fieldOf(cause, "reason") === "InternalError" || fieldOf(cause, "message") === 'Duplicate value: ""'
}

/**
 * Messages name the addresses and node ports that the server has chosen for a stored Service, and places in memory. The
 * recorded cases cover how often a cause is repeated.
 */
function withoutAllocations({ status: given, ...facts }: Facts): Facts {
  if (given === undefined) return facts
  const answer = JSON.parse(JSON.stringify(given).replace(/\(0x[0-9a-f]+\)/g, "(0x0)")) as JsonObject // The same.
  const causes = fieldOf(answer, "details", "causes")
  const kept = (isList(causes) ? causes : []).filter(
    (cause, at, all) => !isOfNoUse(cause) && all.findIndex((one) => same(one, cause)) === at,
  )
  const details = fieldOf(answer, "details")
  const status = isList(causes) && isObject(details) ? { ...answer, details: { ...details, causes: kept } } : answer
  const text = JSON.stringify(status).replace(/\b10\.0\.0\.\d{1,3}\b/g, "<ip>")
  return { ...facts, status: JSON.parse(text.replace(/\b3[0-2]\d{3}\b/g, "<port>")) }
}

/** Leaves out the steps before the last that are not needed, and shrinks the bodies from the last to the first. */
async function smallest(servers: Servers, found: FoundClass): Promise<FoundClass> {
  let best: FoundClass = { ...found, probe: upTo(found.probe, found.answers.length) }
  const differs = async (probe: Probe): Promise<boolean> => {
    const { differing, owners, ...answered } = await ask(servers, probe)
    const difference = differing.find((one) => nameOf(one, owners) === found.name)
    if (difference === undefined) return false
    best = { ...found, probe: upTo(probe, answered.answers.length), difference, ...answered }
    return true
  }
  for (let at = best.probe.steps.length - 2; at > 0; at--) await differs(withSteps(best.probe, best.probe.steps.toSpliced(at, 1)))
  for (let at = best.probe.steps.length - 1; at >= 0; at--) {
    const step = best.probe.steps[at]
    if (step?.b === undefined) continue
    const withBody = (b: JsonValue): Probe => withSteps(best.probe, best.probe.steps.with(at, { ...step, b }))
    await shrinkBody(step.b as JsonValue, (body) => differs(withBody(body)), attemptsMax) // A probe has no base.
  }
  return best
}

function upTo(probe: Probe, length: number): Probe {
  return withSteps(probe, probe.steps.slice(0, length))
}

function withSteps(probe: Probe, [first, ...others]: readonly Step[]): Probe {
  return { ...probe, steps: first === undefined ? probe.steps : [first, ...others] }
}
