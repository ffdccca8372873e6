import { posix } from "node:path"
import fc from "fast-check"
import { expect, test, vi } from "vitest"
import { escapedPath, proxyPaths, rewrittenLink } from "./proxy-path.ts"
import { parseSchemeNamePort } from "./resource-name.ts"

test.each([
  ["a", { scheme: "", name: "a", port: "" }],
  ["a:80", { scheme: "", name: "a", port: "80" }],
  ["https:a:web", { scheme: "https", name: "a", port: "web" }],
  ["http:a:", { scheme: "http", name: "a", port: "" }],
  ["ftp:a:80", undefined],
  [":80", undefined],
  ["", undefined],
  ["a:b:c:d", undefined],
])("the name %s", (text, parsed) => expect(parseSchemeNamePort(text)).toEqual(parsed))

test.each([
  ["/api/v1/nodes/n/proxy", [], "", "/api/v1/nodes/n/proxy"],
  ["/api/v1/nodes/n/proxy/", [], "/", "/api/v1/nodes/n/proxy"],
  ["/api/v1/nodes/n/proxy/a/b", ["a", "b"], "/a/b", "/api/v1/nodes/n/proxy"],
  ["/api/v1/nodes/n/proxy/a/", ["a"], "/a/", "/api/v1/nodes/n/proxy"],
  ["/api/v1/nodes/n/proxy/../../x", ["..", "..", "x"], "/x", "/api/v1/nodes/n/proxy/../.."],
])("the paths of %s", (path, tail, target, prefix) => expect(proxyPaths(path, tail)).toEqual({ target, prefix }))

test("the target path is normalized as node does it", () => {
  const segments = fc.array(fc.constantFrom("..", ".", "", "a", "bc", "...", "é "), { maxLength: 12 })
  fc.assert(
    fc.property(segments, (tail) => {
      const path = `/${tail.join("/")}`
      const { target } = proxyPaths(path, tail)
      expect(target).toBe(tail.length === 0 ? "/" : posix.normalize(path))
    }),
  )
})

test("normalizing a long path that goes up and down takes linear time", () => {
  const normalize = vi.spyOn(posix, "normalize")
  // Node's normalization concatenates the long part again at each step, which takes seconds here.
  const tail = ["A".repeat(100_000), ...new Array<string>(50_000).fill("b").flatMap((one) => [one, ".."])]
  expect(proxyPaths(`/${tail.join("/")}`, tail).target.length).toBe(100_001)
  expect(normalize).not.toHaveBeenCalled()
  normalize.mockRestore()
})

test("a path is escaped except for the bytes that have no special meaning", () => {
  expect(escapedPath("/a b/ü?#%41\r\n'(*)!/$&+,:;=@~")).toBe("/a%20b/%C3%BC%3F%23%2541%0D%0A%27%28%2A%29%21/$&+,:;=@~")
})

const options = { prefix: "/p", hosts: ["10.0.0.1:80", "server"] }
test.each([
  ["/x?y#z", "/p/x?y#z"],
  ["/p/x", "/p/x"],
  ["/p", "/p"],
  ["/px", "/p/px"],
  ["http://10.0.0.1:80/x/", "/p/x/"],
  ["HTTPS://server/x", "/p/x"],
  ["//server/x", "/p/x"],
  ["http://elsewhere/x", "http://elsewhere/x"],
  ["x/y", "x/y"],
  ["#top", "#top"],
  ["?q", "?q"],
  ["", ""],
  ["mailto:a@b", "mailto:a@b"],
  ["javascript:/x/", "javascript:/x/"],
])("the link %s becomes %s", (link, rewritten) => expect(rewrittenLink(link, options)).toBe(rewritten))
