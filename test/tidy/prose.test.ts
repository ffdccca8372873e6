import { describe, expect, it } from "vitest"
import { commentFaults, commentLines, documentLines, proseColumnsMax, proseFaults } from "./prose.ts"

const judged = (text: string): string[] => proseFaults([{ line: 1, text }])

describe("a sentence", () => {
  it.each([
    "The client is told at once.",
    "Tells whether the store is empty.",
    "Called by whoever writes next.",
    "Everybody may import these.",
    "Waits for nobody.",
    "Every list is read anew.",
    "For who has a view.",
    "Who writes first wins.",
    "The bytes at hand are sent.",
    "Were it less, lists would wait.",
  ])("that costs a second look is a fault: %s", (sentence) => expect(judged(sentence)).toHaveLength(1))

  it.each([
    "Reports whether the store is empty.",
    "The user who sent the request is a member of the group.",
    "Cancels all watches of a client.",
    "Counts what each client holds.",
  ])("that is plain is none: %s", (sentence) => expect(judged(sentence)).toEqual([]))

  it("has its line and what to write instead", () =>
    expect(proseFaults([{ line: 7, text: "Write it anew." }])).toEqual(['7: "anew": write again']))

  it("is a fault when it is too wide", () => {
    expect(judged("a".repeat(proseColumnsMax))).toEqual([])
    expect(judged("a".repeat(proseColumnsMax + 1))).toEqual([`1: ${proseColumnsMax + 1} columns: ${proseColumnsMax} at most`])
  })
})

describe("comments", () => {
  it("name each thing", () => {
    expect(commentFaults([{ line: 3, text: "Its limits are those of the kind." }])).toHaveLength(1)
    expect(commentFaults([{ line: 3, text: "Its limits are the limits of the kind, for those who ask." }])).toEqual([])
  })

  it("are found with their lines, beside code without it", () => {
    const source = ["/**", " * One.", " */", "const a = 1 // Two.", "function b() {", "  // Three.", "}", "/* Four. */"].join("\n")
    expect(commentLines(source)).toEqual([
      { line: 1, text: "/**" },
      { line: 2, text: " * One." },
      { line: 3, text: " */" },
      { line: 4, text: "// Two." },
      { line: 6, text: "  // Three." },
      { line: 8, text: "/* Four. */" },
    ])
  })

  it("are not what strings, templates and regular expressions contain", () => {
    const source = ["const a = '// no'", 'const b = "/* no */"', "const c = `// ${b /* yes */} // no`", "const d = /[/]\\/\\/ no/"].join(
      "\n",
    )
    expect(commentLines(source)).toEqual([{ line: 3, text: "/* yes */} // no`" }])
  })

  it("may name code in backticks", () => expect(proseFaults(commentLines("/** Clears `told`. */"))).toEqual([]))
})

describe("documents", () => {
  it("are judged without code, tables and what cannot be wrapped", () => {
    const code = ["```", "told", "```", "| told |", `<${"a".repeat(proseColumnsMax)}>`, "`told`"].join("\n")
    expect(proseFaults(documentLines(code))).toEqual([])
    expect(proseFaults(documentLines(`${code}\nThe client is told.`))).toEqual(['7: "told": write report, log, send, return or say'])
  })
})
