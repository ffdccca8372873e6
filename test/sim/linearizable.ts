/**
 * Decides whether there is an order of these operations, each at one moment between its call and its return, that a
 * single object could have executed. This is the search of Wing and Gong with the memory of Lowe: a set of operations
 * that led to a state once is not examined again. Operations of unknown outcome are open: they may happen at any time
 * after their call, or never.
 */

/** One operation as its caller saw it. Moments are whole numbers of one sequence. */
export interface Operation<Action> {
  readonly action: Action
  readonly call: number
  /** Infinity: the outcome is unknown. */
  readonly return: number
}

/** The behaviour of a single object. */
export interface Model<State, Action> {
  readonly initial: State
  /** Every state to which the action with its outcome may lead; none when that outcome is impossible. */
  step(state: State, action: Action): readonly State[]
  /** Equal for equal states, and for no others. */
  key(state: State): string
}

export type Verdict<Action> =
  | { readonly outcome: "linearizable" }
  /** `order`: a longest possible prefix. `stuck`: the operations that could not come next, with their times. */
  | { readonly outcome: "impossible"; readonly order: readonly Operation<Action>[]; readonly stuck: readonly Operation<Action>[] }
  /** The search exceeded its limit. */
  | { readonly outcome: "undecided" }

interface Frame<State> {
  readonly state: State
  /** Indexes of operations that have happened: all before `first`, and these. */
  readonly first: number
  readonly beyond: ReadonlySet<number>
  /** The operation that led here; -1 at the beginning. */
  readonly via: number
  readonly before: Frame<State> | undefined
}

/** Called per object. `steps` bounds the search; each takes about a microsecond. */
export function linearize<State, Action>(
  operations: readonly Operation<Action>[],
  model: Model<State, Action>,
  options: { readonly steps?: number } = {},
): Verdict<Action> {
  const sorted = [...operations].sort((left, right) => left.call - right.call)
  const seen = new Set<string>()
  const stack: Frame<State>[] = [{ state: model.initial, first: 0, beyond: new Set(), via: -1, before: undefined }]
  let deepest: Frame<State> | undefined = stack[0]
  let deepestCount = 0
  let steps = options.steps ?? 1_000_000
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    const { candidates, due } = choices(sorted, frame)
    if (due === 0) return { outcome: "linearizable" }
    const count = frame.first + frame.beyond.size
    if (count > deepestCount) {
      deepest = frame
      deepestCount = count
    }
    // Tries the last candidate first, which had to return soonest.
    for (const place of candidates) {
      const operation = sorted[place]
      if (operation === undefined) continue
      for (const state of model.step(frame.state, operation.action)) {
        if (steps-- <= 0) return { outcome: "undecided" }
        const next = advanced(frame, place, state)
        const key = `${next.first}/${[...next.beyond].sort((left, right) => left - right).join(",")}/${model.key(state)}`
        if (seen.has(key)) continue
        seen.add(key)
        stack.push(next)
      }
    }
  }
  return { outcome: "impossible", order: orderOf(sorted, deepest), stuck: stuckAt(sorted, deepest) }
}

/**
 * Operations that may happen next, the most urgent last, and the number of remaining operations with a known outcome.
 */
function choices<State>(sorted: readonly Operation<unknown>[], { first, beyond }: Frame<State>): { candidates: number[]; due: number } {
  const candidates: number[] = []
  let due = 0
  let soonest = Number.POSITIVE_INFINITY
  for (let place = first; place < sorted.length; place++) {
    const operation = sorted[place]
    if (operation === undefined || beyond.has(place)) continue
    // Its call came after the return of another remaining operation.
    if (operation.call > soonest) break
    candidates.push(place)
    soonest = Math.min(soonest, operation.return)
    if (operation.return !== Number.POSITIVE_INFINITY) due++
  }
  candidates.sort((left, right) => returnOf(sorted, right) - returnOf(sorted, left))
  return { candidates: candidates.filter((place) => (sorted[place]?.call ?? 0) <= soonest), due }
}

function returnOf(sorted: readonly Operation<unknown>[], place: number): number {
  // Finite, so that the sort never subtracts Infinity.
  return Math.min(sorted[place]?.return ?? 0, Number.MAX_SAFE_INTEGER)
}

function advanced<State>(frame: Frame<State>, place: number, state: State): Frame<State> {
  let { first } = frame
  const beyond = new Set(frame.beyond)
  beyond.add(place)
  while (beyond.delete(first)) first++
  return { state, first, beyond, via: place, before: frame }
}

function orderOf<State, Action>(sorted: readonly Operation<Action>[], frame: Frame<State> | undefined): Operation<Action>[] {
  const order: Operation<Action>[] = []
  for (let at = frame; at !== undefined; at = at.before) {
    const operation = sorted[at.via]
    if (operation !== undefined) order.unshift(operation)
  }
  return order
}

function stuckAt<State, Action>(sorted: readonly Operation<Action>[], frame: Frame<State> | undefined): Operation<Action>[] {
  if (frame === undefined) return []
  return choices(sorted, frame).candidates.flatMap((place) => sorted[place] ?? [])
}
