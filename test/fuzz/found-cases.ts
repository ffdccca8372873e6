/**
 * Cases from the fuzzer, or found by hand before it: each once stalled the server, crashed it, or made it return 500.
 */
import type { BackendCase, FuzzCase, RequestCase } from "./case.ts"

export interface FoundCase {
  readonly name: string
  readonly cases: readonly FuzzCase[]
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): RequestCase {
  return { type: "request", protocol: "http1", method: "GET", path, headers }
}

function post(path: string, type: string, text: string): RequestCase {
  return { type: "request", protocol: "http1", method: "POST", path, headers: { "content-type": type }, body: Buffer.from(text) }
}

const configMaps = "/api/v1/namespaces/default/configmaps"
const steps = `${"b".repeat(100_000)}${"/b/..".repeat(20_000)}`
const proxied: BackendCase = {
  type: "backend",
  path: `/api/v1/namespaces/default/pods/backend/proxy/${steps}`,
  answer: [Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")],
  endless: false,
}

export const foundCases: readonly FoundCase[] = [
  {
    name: "blanks within Accept were rescanned from each of them: 47 s",
    cases: [get(`${configMaps}/none`, { accept: `a/b${" ".repeat(200_000)}c` })],
  },
  {
    name: "blanks after a parameter of Content-Type",
    cases: [post(configMaps, `application/json;a=b${" ".repeat(200_000)}!`, "{}")],
  },
  {
    name: "slashes at the end of a discovery path",
    cases: [get(`/apis${"/".repeat(200_000)}x`), get(`/version${"/".repeat(200_000)}x`)],
  },
  { name: "parent segments in a proxy path", cases: [proxied] },
  {
    name: "each requirement of a label selector was tested on each object: 13 s",
    cases: [get(`${configMaps}?labelSelector=${Array.from({ length: 30_000 }, (_, index) => `!${index}`).join(",")}`)],
  },
  {
    name: "each requirement of a field selector was tested on each object: 3.5 s",
    cases: [get(`${configMaps}?fieldSelector=${Array.from({ length: 8000 }, (_, index) => `metadata.name!=${index}`).join(",")}`)],
  },
  {
    // V8 compiles a regular expression when it runs for the second time.
    name: "nested YAML crashed the process when V8 compiled a regular expression at the end of the stack",
    cases: [
      ...Array.from({ length: 3 }, () => post(configMaps, "application/yaml", "a: [1, {b: 'c'}]")),
      ...["{\n", "[", "- ", "? "].map((level) => post(configMaps, "application/yaml", level.repeat(60_000))),
    ],
  },
]
