/** The table of acts, `acts.yaml`: each act's questions to authorizers, by resources with the same questions. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import type { Act, ActPlace } from "./acts.ts"

/** One question to authorizers, with the group as on the wire. */
export interface Asked extends ActPlace {
  readonly user: string
  readonly verb: string
}

/** The questions in their order, by resource or sub-resource and way. */
export type Table = Map<string, Map<string, readonly string[]>>

/** The user of all acts. */
export const actor = "alice"

/** A question as the table writes it: the verb alone if the question is about the place of the act itself. */
export function askedText({ place }: Act, { user, verb, ...asked }: Asked): string {
  const isOwn = (Object.keys(place) as (keyof ActPlace)[]).every((part) => place[part] === asked[part])
  const { group, version, resource, subresource, namespace, name } = asked
  const about = isOwn
    ? ""
    : ` ${[group, version].filter((part) => part !== "").join("/")} ${[resource, subresource].filter((part) => part !== "").join("/")} ${namespace}/${name}`
  return `${user === actor ? "" : `${user}: `}${verb}${about}`
}

const file = join(import.meta.dirname, "acts.yaml")

interface TableGroup {
  readonly of: readonly string[]
  readonly asks: Readonly<Record<string, string>>
}

const separator = ", then "

/** Called by the test. */
export function readTable(): Table {
  const groups: readonly TableGroup[] = parse(readFileSync(file, "utf8"))
  return new Map(
    groups.flatMap(({ of, asks }) =>
      of.map((one) => [one, new Map(Object.entries(asks).map(([way, text]) => [way, text === "" ? [] : text.split(separator)]))] as const),
    ),
  )
}

/** Called to record the answers of another server. */
export function writeTable(table: Table): void {
  const groups = new Map<string, { of: string[]; asks: Record<string, string> }>()
  for (const [of, ways] of table) {
    const asks = Object.fromEntries([...ways].map(([way, texts]) => [way, texts.join(separator)]))
    const key = JSON.stringify(asks)
    const group = groups.get(key) ?? { of: [], asks }
    groups.set(key, group)
    group.of.push(of)
  }
  const head = "# What each way to use a resource asks of authorizers, as recorded of kube-apiserver 1.30.14 by record.ts.\n"
  writeFileSync(file, head + stringify([...groups.values()], { lineWidth: 118 }))
}

/** Lines about the acts in which two tables differ. */
export function differences(found: Table, expected: Table): readonly string[] {
  const lines: string[] = []
  for (const of of new Set([...expected.keys(), ...found.keys()])) {
    const [one, other] = [found.get(of), expected.get(of)]
    for (const way of new Set([...(other ?? new Map<string, unknown>()).keys(), ...(one ?? new Map<string, unknown>()).keys()])) {
      const [asked, wanted] = [one?.get(way)?.join(separator), other?.get(way)?.join(separator)]
      if (asked !== wanted) lines.push(`${way} ${of}: asks ${asked ?? "is no act"}, expected ${wanted ?? "no act"}`)
    }
  }
  return lines
}
