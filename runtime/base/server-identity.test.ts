import { expect, test } from "vitest"
import { serverIdentity } from "./server-identity.ts"

test("a server is named as kube-apiserver names the one of its host", () => {
  expect(serverIdentity("host-a")).toBe("apiserver-6zbmgnwmvuptjd3z3lqvqzcj5u")
  expect(serverIdentity("host-a")).not.toBe(serverIdentity("host-b"))
})
