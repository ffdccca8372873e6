import { expect, test } from "vitest"
import { storeServer, storeServersOverride } from "./store-servers.ts"

test.each(["http://127.0.0.1:2379", "https://etcd-0.etcd:2379", "https://[::1]:2379"])("%s is a server", (text) => {
  expect(storeServer.parse(text)).toBe(text)
})

test.each(["", "127.0.0.1:2379", "http://127.0.0.1", "ftp://a:1", "http://a:1/path", "http://user@a:1", "http://a:123456", "http://a b:1"])(
  "%j is not a server",
  (text) => expect(storeServer.parse(text)).toBeUndefined(),
)

test("an override consists of a resource and its servers", () => {
  const text = "apps/deployments#http://a:1;http://b:2"
  expect(storeServersOverride.parse(text)).toEqual({ group: "apps", resource: "deployments", servers: ["http://a:1", "http://b:2"] })
  expect(storeServersOverride.parse("/events#https://a:1")).toEqual({ group: "", resource: "events", servers: ["https://a:1"] })
  const read = storeServersOverride.parse(text)
  expect(read === undefined ? undefined : storeServersOverride.format(read)).toBe(text)
})

test.each(["events#http://a:1", "/events", "/events#", "/#http://a:1", "/events#http://a:1;b", "a/b/c#http://a:1"])(
  "%j is not an override",
  (text) => expect(storeServersOverride.parse(text)).toBeUndefined(),
)
