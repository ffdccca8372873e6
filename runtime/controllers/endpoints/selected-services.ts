/** Services indexed by their selectors, so that a change of a pod checks only services that may select it. */
import type { LabelSelector } from "../../query/selector.ts"
import { labelSelectorOfMap } from "../../query/selector.ts"

type Labels = Readonly<Record<string, string>>

interface Selecting {
  readonly selector: LabelSelector
  /** One of the labels that the selector requires. */
  readonly pair: string
}

/** The services of one namespace. */
export class SelectedServices {
  private readonly byName = new Map<string, Selecting>()
  private readonly byPair = new Map<string, Set<string>>()

  /** Called for every state of a service; without a selector it selects nothing. */
  set(name: string, selector: Labels | undefined): void {
    this.delete(name)
    const [first] = Object.entries(selector ?? {})
    if (first === undefined) return
    const pair = first.join("=")
    this.byName.set(name, { selector: labelSelectorOfMap(selector), pair })
    const same = this.byPair.get(pair)
    if (same === undefined) this.byPair.set(pair, new Set([name]))
    else same.add(name)
  }

  delete(name: string): void {
    const before = this.byName.get(name)
    if (before === undefined) return
    this.byName.delete(name)
    const same = this.byPair.get(before.pair)
    same?.delete(name)
    if (same?.size === 0) this.byPair.delete(before.pair)
  }

  get size(): number {
    return this.byName.size
  }

  /** The names of the services that select a pod with these labels. */
  selecting(labels: Labels): string[] {
    return Object.entries(labels).flatMap((pair) =>
      [...(this.byPair.get(pair.join("=")) ?? [])].filter((name) => this.byName.get(name)?.selector.matches(labels) === true),
    )
  }
}
