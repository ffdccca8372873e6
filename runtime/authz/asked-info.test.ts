import { expect, test } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { parseRequestInfo } from "../http/request/info.ts"
import { askedInfo } from "./asked-info.ts"

const nameIn = (method: string, selector: string, path = "/api/v1/namespaces/n/pods", watch = false): string =>
  askedInfo(
    parseRequestInfo({ method, path, watch, vendor: vendorProfile("kubernetes") }),
    new URLSearchParams({ fieldSelector: selector }),
  ).name

test.each([
  ["GET", "metadata.name=a", "a"],
  ["GET", "metadata.name==a,status.phase!=x", "a"],
  ["GET", "metadata.name!=a", ""],
  ["GET", "status.phase=a", ""],
  ["GET", "metadata.name=a/b", ""],
  ["GET", "metadata.name=..", ""],
  ["GET", "metadata.name=a%", ""],
  ["GET", "metadata.name=", ""],
  ["GET", "metadata.name=\\", ""],
  ["DELETE", "metadata.name=a", ""],
  ["POST", "metadata.name=a", ""],
])("%s of a collection with %s is about the object %j", (method, selector, name) => {
  expect(nameIn(method, selector)).toBe(name)
})

test("a watch is as a list, and a path with a name keeps it", () => {
  expect(nameIn("GET", "metadata.name=a", "/api/v1/namespaces/n/pods", true)).toBe("a")
  expect(nameIn("GET", "metadata.name=a", "/api/v1/namespaces/n/pods/b")).toBe("b")
})
