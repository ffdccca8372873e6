import { describe, expect, it } from "vitest"
import { allQuestions } from "./questions.ts"

describe("questions", () => {
  it("are files that say what they ask and how they are run", () => {
    const questions = allQuestions()
    expect(questions.map(({ name }) => name)).toEqual(expect.arrayContaining(["cache-reads", "compare", "growth", "selector", "soak"]))
    expect(questions.filter(({ asks }) => !asks.includes("?") || asks.includes("Run:")).map(({ name }) => name)).toEqual([])
  })

  it("are not what they share", () => expect(allQuestions().map(({ name }) => name)).not.toContain("report"))
})
