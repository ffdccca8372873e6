import { expect, test } from "vitest"
import { ImpersonationError, impersonationOf } from "./impersonation.ts"

type Fields = readonly (readonly [string, string])[]
const of = (...fields: Fields) => impersonationOf(fields)
const asked = (...fields: Fields): string[] =>
  (of(...fields)?.asked ?? []).map(({ verb, group, resource, subresource, namespace, name }) =>
    [verb, group, resource, subresource, namespace, name].filter((part) => part !== "").join(" "),
  )

test("of several users and uids the first counts", () => {
  const fields: Fields = [
    ["Impersonate-User", "jane"],
    ["Impersonate-User", "joe"],
    ["Impersonate-Uid", "1"],
    ["Impersonate-Uid", "2"],
  ]
  expect(asked(...fields)).toEqual(["impersonate users jane", "impersonate authentication.orch.io uids 1"])
  expect(of(...fields)?.user).toMatchObject({ name: "jane", uid: "1" })
})

test("a request without the headers, or with an empty user, is that of its user", () => {
  expect(of(["accept", "*/*"])).toBe(undefined)
  expect(of(["Impersonate-User", ""])).toBe(undefined)
})

test.each(["Impersonate-Group", "Impersonate-Uid", "impersonate-extra-scopes"])("%s without a user is refused", (name) => {
  expect(() => of([name, "x"])).toThrow(ImpersonationError)
})

test("user, groups, extra values and uid are asked about one by one", () => {
  const fields: Fields = [
    ["Impersonate-Extra-Example.com%2Fkey", "v"],
    ["Impersonate-Extra-Example.com%2Fkey", "w"],
    ["Impersonate-Uid", "7"],
    ["Impersonate-Group", "a, b"],
    ["Impersonate-Group", "c"],
    ["Impersonate-User", "jane"],
  ]
  expect(asked(...fields)).toEqual([
    "impersonate users jane",
    "impersonate groups a, b",
    "impersonate groups c",
    "impersonate authentication.orch.io userextras example.com/key v",
    "impersonate authentication.orch.io userextras example.com/key w",
    "impersonate authentication.orch.io uids 7",
  ])
  expect(of(...fields)?.user).toEqual({
    name: "jane",
    uid: "7",
    groups: ["a, b", "c", "system:authenticated"],
    extra: { "example.com/key": ["v", "w"] },
  })
})

test.each([
  ["system:serviceaccount:x:robot", [], ["system:serviceaccounts", "system:serviceaccounts:x", "system:authenticated"]],
  ["system:serviceaccount:x:robot", ["g"], ["g", "system:authenticated"]],
  ["system:serviceaccount:x", [], ["system:authenticated"]],
  ["system:serviceaccount:x:y:z", [], ["system:authenticated"]],
  ["jane", [], ["system:authenticated"]],
  ["jane", ["system:unauthenticated"], ["system:unauthenticated"]],
  ["jane", ["system:authenticated"], ["system:authenticated"]],
  ["system:anonymous", [], ["system:unauthenticated"]],
  ["system:anonymous", ["system:unauthenticated", "g"], ["system:unauthenticated", "g"]],
])("%s with the groups %j is in %j", (name, groups, all) => {
  const fields: Fields = [["impersonate-user", name], ...groups.map((group) => ["impersonate-group", group] as const)]
  expect(of(...fields)?.user.groups).toEqual(all)
})

test("a service account is asked about as one, and a broken encoding is taken as it is", () => {
  expect(asked(["impersonate-user", "system:serviceaccount:x:robot"])).toEqual(["impersonate serviceaccounts x robot"])
  expect(of(["impersonate-user", "jane"], ["impersonate-extra-a%zz", "v"])?.user.extra).toEqual({ "a%zz": ["v"] })
})
