import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { labelsInJson, withResourceVersion } from "./resource-version.ts"

const patch = (json: string, revision = 42): string => withResourceVersion(Buffer.from(json), revision).toString()

describe("withResourceVersion", () => {
  test("replaces only metadata.resourceVersion, at any position", () => {
    expect(patch('{"kind":"Pod","metadata":{"name":"a","resourceVersion":"7","uid":"u"},"spec":{}}')).toBe(
      '{"kind":"Pod","metadata":{"name":"a","resourceVersion":"42","uid":"u"},"spec":{}}',
    )
    expect(patch('{"involvedObject":{"resourceVersion":"1","metadata":{"resourceVersion":"2"}},"metadata":{"resourceVersion":"3"}}')).toBe(
      '{"involvedObject":{"resourceVersion":"1","metadata":{"resourceVersion":"2"}},"metadata":{"resourceVersion":"42"}}',
    )
    expect(
      patch('{"metadata":{"annotations":{"last":"{\\"resourceVersion\\":\\"5\\"}","resourceVersion":"6"},"resourceVersion":"7"}}'),
    ).toBe('{"metadata":{"annotations":{"last":"{\\"resourceVersion\\":\\"5\\"}","resourceVersion":"6"},"resourceVersion":"42"}}')
  })

  test("skips strings with quotes, brackets and backslashes, and white space", () => {
    expect(patch('{ "a" : "}\\\\\\"{" , "b" : [1, {"c": "]"}] ,\n "metadata" : { "x" : -1.5e3, "resourceVersion" : "" } }', 9)).toBe(
      '{ "a" : "}\\\\\\"{" , "b" : [1, {"c": "]"}] ,\n "metadata" : { "x" : -1.5e3, "resourceVersion" : "9" } }',
    )
  })

  test("rejects JSON without metadata.resourceVersion", () => {
    for (const json of [
      "{}",
      "[]",
      "",
      '{"metadata":{}}',
      '{"metadata":{"resourceVersion":7}}',
      '{"spec":{"metadata":{"resourceVersion":"1"}}}',
      '{"metadata":[{"resourceVersion":"1"}]}',
    ]) {
      expect(() => patch(json), json).toThrow("no metadata.resourceVersion")
    }
  })

  test("agrees with parsing for any object", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.boolean(),
        (root, meta, metadataFirst) => {
          const metadata = { ...meta, resourceVersion: "7" }
          const { metadata: _root, ...rest } = root
          const object = metadataFirst ? { metadata, ...rest } : { ...rest, metadata }
          expect(JSON.parse(patch(JSON.stringify(object)))).toEqual(
            JSON.parse(JSON.stringify({ ...object, metadata: { ...metadata, resourceVersion: "42" } })),
          )
        },
      ),
    )
  })
})

test("reads labels from metadata only", () => {
  const labels = (json: unknown): Record<string, string> => labelsInJson(Buffer.from(JSON.stringify(json)))
  expect(labels({ kind: "Pod", labels: { no: "n" }, metadata: { name: "labels", labels: { app: "a", other: 'q"}' }, uid: "u" } })).toEqual({
    app: "a",
    other: 'q"}',
  })
  expect(labels({ metadata: { name: "a", annotations: { labels: '{"a":"b"}' } }, spec: { labels: { no: "n" } } })).toEqual({})
  expect(labels({ metadata: { labels: null } })).toEqual({})
  expect(labels({ kind: "Pod" })).toEqual({})
})
