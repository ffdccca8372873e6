import { expect, test } from "vitest"
import { headerRemover } from "./request-header.ts"

test("what names a user is removed from a header, whatever its case in the options", () => {
  const remove = headerRemover({
    allowedNames: ["front"],
    usernameHeaders: ["X-My-User", "X-Our-User", "Their-User"],
    groupHeaders: ["X-My-Group", "X-Our-Group", "Their-Group"],
    extraPrefixes: ["X-My-Extra-", "X-Our-Extra-", "Their-Extra-"],
  })
  const parts = ["x-my", "x-our", "their"]
  const named = parts.flatMap((part) => [`${part}-user`, `${part}-group`, `${part}-extra-c`, `${part}-extra-d`, `${part}-extra-`])
  const others = [...parts.flatMap((part) => [part, `${part}-extra`, `${part}-users`, `a-${part}-extra-c`]), "accept"]
  const headers = Object.fromEntries([...named, ...others].map((name) => [name, "value"]))
  remove(headers)
  expect(Object.keys(headers)).toEqual(others)
})

test("without prefixes only the names are removed", () => {
  const headers = { "x-my-user": "a", "x-my-extra-c": "d" }
  headerRemover({ allowedNames: [], usernameHeaders: ["X-My-User"], groupHeaders: [], extraPrefixes: [] })(headers)
  expect(headers).toEqual({ "x-my-extra-c": "d" })
})
