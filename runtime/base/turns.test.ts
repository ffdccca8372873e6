import { describe, expect, it } from "vitest"
import { largeObjectBytes, turnWorkMax } from "./limits.ts"
import { atOnce, inTurns, nextTurn, type Stages, takesTurns, Turns } from "./turns.ts"

describe("turns of the event loop", () => {
  it("end after a certain amount of work, and the next begins from zero", async () => {
    const turns = new Turns()
    expect(turns.isOver(turnWorkMax - 1)).toBe(false)
    expect(turns.isOver(1)).toBe(true)
    await turns.next()
    expect(turns.isOver(turnWorkMax - 1)).toBe(false)
  })

  it("are granted one at a time, in order of arrival", async () => {
    const seen: string[] = []
    const work = async (name: string): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) {
        await nextTurn()
        seen.push(name)
      }
    }
    let isOver = false
    const others = (): void => {
      seen.push("|")
      if (!isOver) setImmediate(others)
    }
    setImmediate(others)
    await Promise.all([work("a"), work("b"), work("c")])
    isOver = true
    // Everything else had a turn between two of them.
    expect(seen.join("").replace(/^\|+/, "")).toMatch(/^a\|+b\|+c\|+a\|+b\|+c\|+a\|+b\|+c$/)
  })
})

describe("work in stages", () => {
  function* stages(seen: string[]): Stages<string> {
    seen.push("first")
    yield
    seen.push("second")
    return "done"
  }

  it("runs at once, or with a turn for others between stages", async () => {
    const seen: string[] = []
    expect(atOnce(stages(seen))).toBe("done")
    expect(seen).toEqual(["first", "second"])
    seen.length = 0
    setImmediate(() => seen.push("other"))
    expect(await inTurns(stages(seen))).toBe("done")
    expect(seen).toEqual(["first", "other", "second"])
  })

  it("takes turns for large objects only", () => {
    expect(takesTurns(largeObjectBytes - 1)).toBe(false)
    expect(takesTurns(largeObjectBytes)).toBe(true)
  })
})
