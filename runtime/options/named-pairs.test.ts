import { expect, it } from "vitest"
import { loadOptions } from "./load.ts"
import { namedPairs } from "./named-pairs.ts"

const pair = (certificate: string, key: string, ...names: string[]) => ({ certificate, key, names })

it.each([
  ["", []],
  ["foo.crt,foo.key", [pair("foo.crt", "foo.key")]],
  [" foo.crt , foo.key : *.foo.com, foo.com ", [pair("foo.crt", "foo.key", "*.foo.com", "foo.com")]],
  ["a.crt,a.key:10.0.0.1,*;b.crt,b.key", [pair("a.crt", "a.key", "10.0.0.1", "*"), pair("b.crt", "b.key")]],
  ["a.crt,a.key:fd00::1", [pair("a.crt", "a.key", "fd00::1")]],
])("%j is read", (text, pairs) => {
  expect(namedPairs.parse(text)).toEqual(pairs)
  expect(namedPairs.parse(namedPairs.format(pairs))).toEqual(pairs)
})

it.each([
  "foo.crt",
  "foo.crt,",
  ",foo.key",
  "a,b,c",
  "a,b:",
  "a,b:foo..com",
  "a,b:foo.*.com",
  "a,b:*.*.com",
  "a,b:*foo",
  "a,b:foo com",
  "a,b;",
  "a,b:c;d",
])("%j is refused", (text) => {
  expect(namedPairs.parse(text)).toBeUndefined()
})

it("may be repeated, and be a list of a configuration file", () => {
  const expected = [pair("a", "b", "x.example"), pair("c", "d")]
  const given = (args: string[], file = "") => loadOptions({ args, env: {}, readFile: () => file }).options["tls-sni-cert-key"]
  expect(given(["--tls-sni-cert-key=a,b:x.example", "--tls-sni-cert-key", "c,d"])).toEqual(expected)
  expect(given(["--config=f"], "tlsSniCertKey: ['a,b:x.example', 'c,d']")).toEqual(expected)
  expect(() => given(["--tls-sni-cert-key=a"])).toThrow("expected the path of a certificate, a comma and that of its key")
})
