/**
 * Invariant 1: the operations on each object, versions included, can be explained by a single object that executes them
 * in some order.
 */
import type { Content, History, ListRecord, Write, WriteRecord } from "../history.ts"
import { linearize, type Model, type Operation } from "../linearizable.ts"
import type { Truth } from "../truth.ts"
import { sameContent } from "../truth.ts"

/** An operation and its outcome, as far as they concern the object. */
export type Action =
  | { readonly do: "write"; readonly write: Write; readonly content: Content | undefined }
  | { readonly do: "refused"; readonly why: "exists" | "missing" | "conflict"; readonly write: Write }
  /** `label`: objects without it are not shown. */
  | { readonly do: "read"; readonly content: Content | undefined; readonly label?: string }

interface State {
  /** Undefined: the object does not exist. */
  readonly content: Content | undefined
  /** Every later version is greater. */
  readonly floor: number
}

export const objectModel: Model<State, Action> = {
  initial: { content: undefined, floor: 0 },
  key: ({ content, floor }) =>
    `${floor} ${content === undefined ? "-" : `${content.version} ${content.text} ${content.patched} ${content.label}`}`,
  step(state, action) {
    switch (action.do) {
      case "read":
        return shows(state, action) ? [state] : []
      case "refused":
        return mayRefuse(state, action) ? [state] : []
      case "write":
        return written(state, action.write, action.content)
    }
  },
}

function shows({ content }: State, read: Extract<Action, { do: "read" }>): boolean {
  if (read.content === undefined && read.label !== undefined) return content === undefined || content.label !== read.label
  return sameContent(content, read.content)
}

function mayRefuse({ content }: State, { why, write }: Extract<Action, { do: "refused" }>): boolean {
  if (why === "exists") return content !== undefined
  if (why === "missing") return content === undefined
  // Without a condition the request lost too many races, which proves nothing.
  if (!("ifVersion" in write) || write.ifVersion === undefined) return true
  return content?.version !== write.ifVersion
}

function written({ content, floor }: State, write: Write, result: Content | undefined): readonly State[] {
  const condition = "ifVersion" in write ? write.ifVersion : undefined
  if (condition !== undefined && content?.version !== condition) return []
  if (write.do === "delete") return content === undefined ? [] : [{ content: undefined, floor: Math.max(floor, content.version) }]
  if (result === undefined || result.version <= floor) return []
  if (write.do === "create" ? content !== undefined : write.do !== "set" && content === undefined) return []
  const expected = write.do === "patch" ? { ...content, patched: write.patched } : { text: write.text, label: write.label, patched: "" }
  const right = result.text === expected.text && result.patched === expected.patched && result.label === expected.label
  return right ? [{ content: result, floor: result.version }] : []
}

/** A description of each object that cannot be explained. */
export function objectFaults(history: History, truth: Truth): string[] {
  const names = new Set(truth.changes.map(({ name }) => name))
  for (const { name } of [...history.writes, ...history.gets]) names.add(name)
  return [...names].flatMap((name) => {
    const operations = operationsOn(name, history, truth)
    const verdict = linearize(operations, objectModel)
    if (verdict.outcome === "linearizable") return []
    if (verdict.outcome === "undecided") return [`object ${name}: more orders than can be looked at`]
    const tail = verdict.order.slice(-4).map(brief)
    return [`object ${name} is not linearizable: after ${tail.join("; ")} none of these may follow: ${verdict.stuck.map(brief).join("; ")}`]
  })
}

function brief({ action, call, return: end }: Operation<Action>): string {
  return `${JSON.stringify(action)} (${call} to ${end})`
}

function operationsOn(name: string, history: History, truth: Truth): Operation<Action>[] {
  const writes = history.writes.filter((record) => record.name === name).flatMap((record) => writeOperation(record, truth))
  const gets = history.gets
    .filter((record) => record.name === name && record.freshness.mode === "consistent")
    .map((record) => ({ call: record.call, return: record.return, action: { do: "read" as const, content: record.content } }))
  const lists = history.lists.flatMap((record) => listOperation(record, name))
  return [...writes, ...gets, ...lists]
}

function writeOperation({ write, outcome, call, return: end, name }: WriteRecord, truth: Truth): Operation<Action>[] {
  switch (outcome.is) {
    case "done":
      return [{ call, return: end, action: { do: "write", write, content: outcome.content } }]
    case "unknown": {
      if (write.do === "delete") return [{ call, return: end, action: { do: "write", write, content: undefined } }]
      // Each write leaves a mark of its own, so the history shows whether it happened, and with which version.
      const change = truth.changes.find(
        ({ name: changed, content, before }) => changed === name && isMark(write, content) && !isMark(write, before),
      )
      return change === undefined ? [] : [{ call, return: end, action: { do: "write", write, content: change.content } }]
    }
    default:
      return [{ call, return: end, action: { do: "refused", why: outcome.is, write } }]
  }
}

function isMark(write: Exclude<Write, { do: "delete" }>, content: Content | undefined): boolean {
  return write.do === "patch" ? content?.patched === write.patched : content?.text === write.text
}

/** A consistent list reads every object at one moment during its first page. */
function listOperation({ freshness, label, pages, whole, call, return: end }: ListRecord, name: string): Operation<Action>[] {
  if (freshness.mode !== "consistent") return []
  const content = pages.map(({ items }) => items.get(name)).find((item) => item !== undefined)
  if (content === undefined && !whole) return []
  return [{ call, return: end, action: { do: "read", content, ...(label !== undefined && { label }) } }]
}

/** An acknowledged write is in the store at the version of its answer. */
export function acknowledgedFaults(history: History, truth: Truth): string[] {
  return history.writes.flatMap(({ name, write, outcome }) => {
    if (outcome.is !== "done" || outcome.content === undefined) return []
    const { content } = outcome
    const there = truth.changes.some((change) => change.name === name && sameContent(change.content, content))
    return there ? [] : [`acknowledged write lost: ${name} ${JSON.stringify(write)} at version ${content.version}`]
  })
}
