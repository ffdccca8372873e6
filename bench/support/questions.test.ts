import { describe, expect, it } from "vitest"
import { allQuestions } from "./questions.ts"

describe("questions", () => {
  it("are files that contain a question and how to run it", () => {
    const questions = allQuestions()
    expect(questions.map(({ name }) => name)).toEqual(expect.arrayContaining(["cache-reads", "compare", "growth", "selector", "soak"]))
    expect(questions.filter(({ asks }) => !asks.includes("?") || asks.includes("Run:")).map(({ name }) => name)).toEqual([])
  })

  it("do not include the files that they share", () => expect(allQuestions().map(({ name }) => name)).not.toContain("report"))
})
