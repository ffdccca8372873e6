/** Values of `--store-servers` and `--store-servers-overrides`. */
import type { ValueType } from "./value-types.ts"

/** `http://127.0.0.1:2379`: scheme, host and port, nothing else. */
export const storeServer: ValueType<string> = {
  word: "url",
  expected: "a URL of scheme, host and port such as http://127.0.0.1:2379",
  parse: (value) => (isServer(value) ? value : undefined),
  format: (value) => value,
}

/** The etcd servers of one resource. */
export interface StoreServersOverride {
  /** "" is the core group. */
  readonly group: string
  readonly resource: string
  readonly servers: readonly string[]
}

/** `apps/deployments#https://10.0.0.1:2379;https://10.0.0.2:2379`; in the core group `/events#…`. */
export const storeServersOverride: ValueType<StoreServersOverride> = {
  word: "group/resource#servers",
  expected: "group/resource#servers with semicolons between the servers, such as /events#http://127.0.0.1:2479;http://127.0.0.1:2579",
  expectedValue: 'an object such as { group: "", resource: "events", servers: ["http://127.0.0.1:2479"] }',
  parse(value) {
    const [, group = "", resource = "", list = ""] = /^([^/#]*)\/([^/#]+)#(.+)$/.exec(value) ?? []
    const servers = list.split(";")
    return resource !== "" && servers.every(isServer) ? { group, resource, servers } : undefined
  },
  format: ({ group, resource, servers }) => `${group}/${resource}#${servers.join(";")}`,
}

function isServer(value: string): boolean {
  return /^https?:\/\/[^/?#@\s]+:\d{1,5}$/.test(value) && URL.canParse(value)
}
