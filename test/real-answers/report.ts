/** Report of a comparison, for people: how much is the same, and each class with its smallest example. */
import type { Found, Outcome } from "./run.ts"
import { shortText } from "./values.ts"

/** Limit of the groups that the report names of a class. */
const groupsMax = 5

/** `all`: also differences that `isKnown` accepts. */
export function reportOf(outcome: Outcome, isKnown: (found: Found) => boolean, all: boolean): string {
  const shown = outcome.found.filter((one) => all || !isKnown(one))
  const known = outcome.found.length - outcome.found.filter((one) => !isKnown(one)).length
  return [
    ...classesOf(shown).map(describe),
    ...outcome.refusedSetups.map((text) => `refused: ${text}`),
    `${outcome.same} of ${outcome.total} same, ${outcome.found.length} differences, ${known} of them on purpose`,
  ].join("\n")
}

/** The differences by class, the most frequent first. */
export function classesOf(found: readonly Found[]): Found[][] {
  const classes = new Map<string, Found[]>()
  for (const one of found) classes.set(one.class, [...(classes.get(one.class) ?? []), one])
  return [...classes.values()].sort((a, b) => b.length - a.length)
}

function describe(found: readonly Found[]): string {
  const size = (one: Found): number => JSON.stringify([one.real, one.ours, one.id]).length
  const [first = found[0]] = [...found].sort((a, b) => size(a) - size(b))
  const counts = new Map<string, number>()
  for (const { id } of found) counts.set(id.split("/")[0] ?? "", (counts.get(id.split("/")[0] ?? "") ?? 0) + 1)
  const groups = [...counts].sort(([, a], [, b]) => b - a).slice(0, groupsMax)
  return [
    `${String(found.length).padStart(5)}  ${first?.class}  (${groups.map(([name, count]) => `${name} ${count}`).join(", ")})`,
    `         ${first?.id}`,
    `         real ${shortText(first?.real)}`,
    `         ours ${shortText(first?.ours)}`,
  ].join("\n")
}
