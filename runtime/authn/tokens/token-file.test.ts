import { describe, expect, test } from "vitest"
import { parseTokenFile } from "./token-file.ts"

const read = (text: string): { tokens: unknown[]; warnings: string[] } => {
  const warnings: string[] = []
  const tokens = parseTokenFile(text, "tokens.csv", (message) => warnings.push(message))
  return { tokens: tokens.map(({ token, user }) => [token, user.name, user.uid, user.groups]), warnings }
}

describe("a token file", () => {
  test("has a token, a user, a uid and groups in each line", () => {
    const text = '# comment\n\nt1,alice,1,"a,b"\r\nt2,"b ""quoted""",2\n t3 , carol , 3 , c \nt4,dave,'
    expect(read(text)).toEqual({
      tokens: [
        ["t1", "alice", "1", ["a", "b"]],
        ["t2", 'b "quoted"', "2", []],
        ["t3", "carol", "3", ["c"]],
        ["t4", "dave", "", []],
      ],
      warnings: [],
    })
    expect(read("")).toEqual({ tokens: [], warnings: [] })
  })

  test("may have a line break within quotes", () => {
    expect(read('t1,"a\nb",1\nt2,bob,2').tokens).toEqual([
      ["t1", "a\nb", "1", []],
      ["t2", "bob", "2", []],
    ])
    expect(() => read('t1,"a\nb",1\nt2,bob')).toThrow(/^tokens\.csv:3: /)
  })

  test.each([
    ["only-a-token", "expected token,user,uid and optional groups, found 1 field"],
    ["t,alice", "expected token,user,uid and optional groups, found 2 fields"],
    [",alice,1", "expected token,user,uid and optional groups, and the token is empty"],
    ["t,,1", "expected token,user,uid and optional groups, and the user is empty"],
    ['t,bob,2,"g1,g2', "a quote is not closed, or stands within a field"],
    ['t,bob,2,"g1"g2', "a quote is not closed, or stands within a field"],
    ['t,b"ob,2', "a quote is not closed, or stands within a field"],
  ])("with the line %j is refused, with the number of the line", (line, fault) => {
    expect(() => read(`t1,alice,1\n${line}`)).toThrow(`tokens.csv:2: ${fault}`)
  })

  test("may not name two users by one token without a word: the later one counts", () => {
    expect(read("t1,carol,1\nt2,bob,2\nt1,dave,3")).toEqual({
      tokens: [
        ["t1", "dave", "3", []],
        ["t2", "bob", "2", []],
      ],
      warnings: ['tokens.csv:3: the token is that of line 1 as well; it is "dave"\'s now'],
    })
  })

  test("may not lose groups without a word", () => {
    const warnings = ["tokens.csv:1: fields from the fifth on have no effect; put several groups in quotes"]
    expect(read("t1,carol,1,a,b")).toEqual({ tokens: [["t1", "carol", "1", ["a"]]], warnings })
  })
})
