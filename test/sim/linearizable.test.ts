/** Tests of the checker itself, on histories with a known verdict. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linearize, type Model, type Operation } from "./linearizable.ts"

type Action =
  | { readonly write: number }
  | { readonly read: number }
  | { readonly swap: { readonly from: number; readonly to: number; readonly done: boolean } }

/** One number that can be written, read, and swapped. */
const register: Model<number, Action> = {
  initial: 0,
  key: String,
  step(state, action) {
    if ("write" in action) return [action.write]
    if ("read" in action) return action.read === state ? [state] : []
    const { from, to, done } = action.swap
    if (done !== (state === from)) return []
    return [done ? to : state]
  },
}

const open = Number.POSITIVE_INFINITY

function at(call: number, end: number, action: Action): Operation<Action> {
  return { call, return: end, action }
}

function outcome(...operations: Operation<Action>[]): string {
  return linearize(operations, register).outcome
}

describe("possible", () => {
  it("an empty history", () => expect(outcome()).toBe("linearizable"))
  it("one after the other", () => expect(outcome(at(1, 2, { write: 1 }), at(3, 4, { read: 1 }))).toBe("linearizable"))
  it("a read during a write that sees the state before", () =>
    expect(outcome(at(1, 4, { write: 1 }), at(2, 3, { read: 0 }))).toBe("linearizable"))
  it("a read during a write that sees the state after", () =>
    expect(outcome(at(1, 4, { write: 1 }), at(2, 3, { read: 1 }))).toBe("linearizable"))
  it("concurrent writes in either order", () => {
    for (const last of [1, 2])
      expect(outcome(at(1, 4, { write: 1 }), at(2, 3, { write: 2 }), at(5, 6, { read: last }))).toBe("linearizable")
  })
  it("a write of unknown outcome that happened long after", () =>
    expect(outcome(at(1, open, { write: 9 }), at(2, 3, { read: 0 }), at(4, 5, { read: 9 }))).toBe("linearizable"))
  it("a write of unknown outcome that never happened", () =>
    expect(outcome(at(1, open, { write: 9 }), at(2, 3, { read: 0 }), at(4, 5, { read: 0 }))).toBe("linearizable"))
  it("one of two concurrent swaps", () =>
    expect(outcome(at(1, 4, { swap: { from: 0, to: 1, done: true } }), at(2, 3, { swap: { from: 0, to: 2, done: false } }))).toBe(
      "linearizable",
    ))
})

describe("impossible", () => {
  it("a lost write", () => expect(outcome(at(1, 2, { write: 1 }), at(3, 4, { read: 0 }))).toBe("impossible"))
  it("a value from nowhere", () => expect(outcome(at(1, 2, { read: 5 }))).toBe("impossible"))
  it("going back in time", () => expect(outcome(at(1, 8, { write: 1 }), at(2, 3, { read: 1 }), at(4, 5, { read: 0 }))).toBe("impossible"))
  it("an unknown write that was seen before its call", () =>
    expect(outcome(at(1, 2, { read: 9 }), at(3, open, { write: 9 }))).toBe("impossible"))
  it("an unknown write that appears and disappears", () =>
    expect(outcome(at(1, open, { write: 9 }), at(2, 3, { read: 9 }), at(4, 5, { read: 0 }))).toBe("impossible"))
  it("two swaps that both succeed", () =>
    expect(outcome(at(1, 4, { swap: { from: 0, to: 1, done: true } }), at(2, 3, { swap: { from: 0, to: 2, done: true } }))).toBe(
      "impossible",
    ))
  it("two readers that see writes in different orders", () =>
    expect(
      outcome(
        at(1, 10, { write: 1 }),
        at(1, 10, { write: 2 }),
        at(2, 3, { read: 1 }),
        at(4, 5, { read: 2 }),
        at(2, 3, { read: 1 }),
        at(6, 7, { read: 1 }),
      ),
    ).toBe("impossible"))
  it("names the operations that could not come next", () => {
    const verdict = linearize([at(1, 2, { write: 1 }), at(3, 4, { read: 0 })], register)
    expect(verdict).toMatchObject({ order: [{ action: { write: 1 } }], stuck: [{ action: { read: 0 } }] })
  })
})

it("gives up after the given number of steps", () => {
  const many = Array.from({ length: 12 }, (_, index) => at(index, 100 + index, { write: index }))
  expect(linearize([...many, at(200, 201, { read: 99 })], register, { steps: 50 }).outcome).toBe("undecided")
})

const action = fc.oneof(
  fc.record({ write: fc.integer({ min: 0, max: 3 }) }),
  fc.constant({ read: 0 }),
  fc.record({ swap: fc.record({ from: fc.integer({ min: 0, max: 3 }), to: fc.integer({ min: 0, max: 3 }), done: fc.constant(true) }) }),
)
const timed = fc.record({ action, before: fc.integer({ min: 0, max: 25 }), after: fc.integer({ min: 0, max: 25 }) })

it("accepts every history that one object has produced, however calls and returns overlap", () => {
  fc.assert(
    fc.property(fc.array(timed, { maxLength: 40 }), (steps) => {
      let state = 0
      const operations = steps.map((step, index) => {
        const done = carriedOut(state, step.action)
        state = register.step(state, done)[0] ?? state
        return at(index * 10 - step.before, index * 10 + step.after, done)
      })
      expect(linearize(operations, register).outcome).toBe("linearizable")
    }),
  )
})

it("agrees with an exhaustive search", () => {
  const anyRead = fc.oneof(action, fc.record({ read: fc.integer({ min: 0, max: 3 }) }))
  const any = fc.record({
    action: anyRead,
    call: fc.integer({ min: 0, max: 9 }),
    takes: fc.integer({ min: 1, max: 9 }),
    open: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(any, { maxLength: 5 }), (steps) => {
      const operations = steps.map((step) =>
        at(step.call, step.open && "write" in step.action ? open : step.call + step.takes, step.action),
      )
      expect(linearize(operations, register).outcome === "linearizable").toBe(possible(operations, 0))
    }),
    { numRuns: 500 },
  )
})

function carriedOut(state: number, wanted: Action): Action {
  if ("read" in wanted) return { read: state }
  if ("swap" in wanted) return { swap: { ...wanted.swap, done: wanted.swap.from === state } }
  return wanted
}

/** The literal definition of linearizability. */
function possible(left: readonly Operation<Action>[], state: number): boolean {
  if (left.every((operation) => operation.return === open)) return true
  return left.some((operation) => {
    if (left.some((other) => other.return < operation.call)) return false
    const others = left.filter((other) => other !== operation)
    return register.step(state, operation.action).some((next) => possible(others, next))
  })
}
