import { expect, test } from "vitest"
import { headerRemover } from "./request-header.ts"

test("what names a user is removed from a header, whatever its case in the options", () => {
  const remove = headerRemover({
    allowedNames: ["front"],
    usernameHeaders: ["X-My-User"],
    groupHeaders: ["X-My-Group"],
    extraPrefixes: ["X-My-Extra-"],
  })
  const headers = { "x-my-user": "a", "x-my-group": "b", "x-my-extra-c": "d", "x-my": "kept", "x-my-extra": "kept", accept: "kept" }
  remove(headers)
  expect(headers).toEqual({ "x-my": "kept", "x-my-extra": "kept", accept: "kept" })
})
