/**
 * Invariant 10: a list shows the state at its version, all pages of a list show one state, and no list is older than
 * its request allows.
 */
import type { Content, History, ListRecord } from "../history.ts"
import { sameContent, type Truth } from "../truth.ts"

export function listFaults(history: History, truth: Truth): string[] {
  const acknowledged = history.writes.flatMap(({ outcome, return: end }) =>
    outcome.is === "done" && outcome.content !== undefined ? [{ version: outcome.content.version, end }] : [],
  )
  return [
    ...history.lists.flatMap((list) => [...stateFaults(list, truth), ...freshnessFaults(list, acknowledged)]),
    ...history.gets.flatMap(({ name, content, call }) => {
      const known = content === undefined || truth.changes.some((change) => change.name === name && sameContent(change.content, content))
      return known ? [] : [`get of ${name} (${call}) shows what never was: ${JSON.stringify(content)}`]
    }),
  ]
}

function stateFaults({ call, label, pages, whole }: ListRecord, truth: Truth): string[] {
  const [first] = pages
  if (first === undefined) return []
  const faults = pages.flatMap(({ version }) =>
    version === first.version ? [] : [`pages of the list (${call}) show ${first.version} and ${version}`],
  )
  const shown = new Map(pages.flatMap(({ items }) => [...items]))
  if (pages.reduce((count, { items }) => count + items.size, 0) > shown.size) faults.push(`the list (${call}) shows an object twice`)
  const state = [...truth.stateAt(first.version)].filter(([, content]) => label === undefined || content.label === label)
  const last = [...shown.keys()].sort().at(-1) ?? ""
  const due = new Map(state.filter(([name]) => whole || name <= last))
  for (const name of new Set([...shown.keys(), ...due.keys()])) {
    if (sameContent(shown.get(name), due.get(name))) continue
    faults.push(`the list (${call}) at ${first.version} shows ${name} as ${text(shown.get(name))}, it was ${text(due.get(name))}`)
  }
  return faults
}

function freshnessFaults({ call, freshness, pages }: ListRecord, acknowledged: readonly { version: number; end: number }[]): string[] {
  const version = pages[0]?.version ?? 0
  switch (freshness.mode) {
    case "consistent": {
      const least = acknowledged.reduce((newest, write) => (write.end < call ? Math.max(newest, write.version) : newest), 0)
      return version < least ? [`the consistent list (${call}) shows ${version}, ${least} was acknowledged before it`] : []
    }
    case "not-older":
      return version < freshness.version ? [`the list (${call}) not older than ${freshness.version} shows ${version}`] : []
    case "exact":
      return version !== freshness.version ? [`the list (${call}) of exactly ${freshness.version} shows ${version}`] : []
    case "any":
      return []
  }
}

function text(content: Content | undefined): string {
  return content === undefined ? "absent" : JSON.stringify(content)
}
