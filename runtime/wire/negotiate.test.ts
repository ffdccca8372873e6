import { describe, expect, it } from "vitest"
import { aggregatedForm } from "../discovery/discovery.ts"
import { acceptedType } from "../openapi/answer.ts"
import { ApiError } from "../base/errors.ts"
import { acceptCharactersMax, acceptTypesMax } from "../base/limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { acceptsGzip, bodyMedia, checkRendering, negotiate, wantsPretty, type NegotiateOptions } from "./negotiate.ts"

const vendor = vendorProfile("kubernetes")
const table = { kind: "Table", group: "meta.orch.io", version: "v1" }

function outcome(accept: string | undefined, options: Partial<NegotiateOptions> = {}): unknown {
  try {
    const { media, as } = negotiate(accept, { vendor, ...options })
    return as === undefined ? media : { media, as }
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, details: error.details, message: error.message }
    throw error
  }
}

const noMedia = {
  code: 406,
  details: {},
  message: expect.stringContaining("application/json, application/yaml, application/vnd.kubernetes.protobuf"),
}
const noParameters = {
  code: 406,
  details: undefined,
  message: "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
}

describe("negotiate", () => {
  // Responses of the reference server.
  const cases: [string | undefined, unknown][] = [
    [undefined, "json"],
    ["", "json"],
    ["*/*", "json"],
    ["application/*", noMedia],
    ["application/*;as=Table;g=meta.k8s.io;v=v1", noMedia],
    ["application/*,application/yaml;q=0.9", "json"],
    ["text/*,application/yaml", "yaml"],
    ["*", noMedia],
    ["application/json\t", noMedia],
    ["*,application/yaml;q=0.9", "json"],
    ["application/json;g=meta.k8s.io", noParameters],
    ["application/json;v=v1", noParameters],
    ["application/json;stream=foo", noParameters],
    ["application/yaml;stream=watch", noParameters],
    ["application/json;sv=v1", "json"],
    ["application/json;sv=v2", noParameters],
    ["application/json", "json"],
    ["application/yaml", "yaml"],
    ["application/vnd.kubernetes.protobuf", "compact"],
    ["application/vnd.kubernetes.protobuf,application/json", "compact"],
    ["text/html,application/json;q=0.5", "json"],
    ["application/json;q=0.1,application/yaml;q=0.9", "yaml"],
    ["*/*,application/yaml", "yaml"],
    ["application/json;charset=utf-8", "json"],
    ["application/json;foo=bar", "json"],
    ["application/json;stream=watch", "json"],
    ["application/json;q=0", "json"],
    ["application/json;q=abc", "json"],
    ["application/json;as=", "json"],
    ["application/json;as=Table;g=meta.k8s.io;v=v1", { media: "json", as: table }],
    ["application/json; as = Table ; g=meta.k8s.io; v=v1", { media: "json", as: table }],
    ["application/yaml;as=Table;g=meta.k8s.io;v=v1", { media: "yaml", as: table }],
    ["application/json;as=Table;g=meta.k8s.io;v=v1beta1", { media: "json", as: { ...table, version: "v1beta1" } }],
    ["application/json;as=Table;g=meta.k8s.io;v=v2,application/json", "json"],
    ["application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json", "json"],
    [
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      { media: "compact", as: { ...table, kind: "PartialObjectMetadata" } },
    ],
    ["application/json;as=Table;g=meta.k8s.io;v=v1;q=0.1, application/yaml", "yaml"],
    ["application/json;as=Foo;g=meta.k8s.io;v=v1", noParameters],
    ["application/json;as=Table;g=meta.k8s.io;v=v2", noParameters],
    ["application/json;as=Table;v=v1", noParameters],
    ["application/json;as=Table", noParameters],
    ['application/json;as="Table";g=meta.k8s.io;v=v1', noParameters],
    ["text/plain", noMedia],
    [",", noMedia],
    ["garbage", noMedia],
    ["APPLICATION/JSON", noMedia],
  ]
  for (const [accept, expected] of cases) it(`reads ${JSON.stringify(accept)}`, () => expect(outcome(accept)).toEqual(expected))

  it("parses a long header in linear time, and refuses one that no client sends", () => {
    const inner = `a/b${" ".repeat(acceptCharactersMax - 4)}c`
    expect(outcome(inner)).toEqual(noMedia)
    expect(outcome(`${inner}c`)).toMatchObject({ code: 400, message: expect.stringContaining("8193 characters, at most 8192") })
    expect(outcome(`${"a/b,".repeat(acceptTypesMax - 1)}*/*`)).toBe("json")
    expect(outcome(`${"a/b,".repeat(acceptTypesMax)}*/*`)).toMatchObject({ code: 400, message: expect.stringContaining("more than 100") })
    for (const aggregated of [true, false])
      expect(() => (aggregated ? aggregatedForm(`${inner}c`, { vendor }) : acceptedType(`${inner}c`, ["a/b"]))).toThrow("8193 characters")
  })

  it("has no YAML frames and only watch streams", () => {
    expect(outcome("application/json;stream=watch", { watch: true })).toBe("json")
    expect(outcome("application/yaml,application/json", { watch: true })).toMatchObject({ code: 406 })
    expect(outcome("application/json,application/yaml", { watch: true })).toBe("json")
    expect(outcome("application/json;stream=foo", { watch: true })).toMatchObject({ code: 406 })
    expect(outcome("application/yaml", { watch: true })).toEqual({
      code: 406,
      details: undefined,
      message:
        "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    })
    expect(negotiate("application/vnd.kubernetes.protobuf", { vendor, watch: true }).contentType).toBe(
      "application/vnd.kubernetes.protobuf;stream=watch",
    )
    expect(negotiate("application/json;stream=watch", { vendor, watch: true })).toMatchObject({
      contentType: "application/json",
      stream: true,
    })
  })

  it("offers protobuf only where the kind has it, under the vendor's own name", () => {
    expect(outcome("application/vnd.kubernetes.protobuf", { compact: false })).toMatchObject({ code: 406, details: {} })
    expect(outcome("application/vnd.kubernetes.protobuf", { vendor: vendorProfile("orch") })).toMatchObject({ code: 406 })
    expect(
      outcome("application/vnd.orch.protobuf;as=PartialObjectMetadata;g=meta.orch.io;v=v1", { vendor: vendorProfile("orch") }),
    ).toMatchObject({ media: "compact" })
  })

  it("knows the renderings of discovery", () => {
    const v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    expect(outcome(`${v2},application/json`, { renderings: "discovery" })).toMatchObject({
      as: { kind: "APIGroupDiscoveryList", version: "v2" },
    })
    expect(outcome(`application/json,${v2}`, { renderings: "discovery" })).toBe("json")
    expect(outcome(v2)).toMatchObject({ code: 406 })
    expect(outcome("application/json;as=Table;g=meta.k8s.io;v=v1,application/json", { renderings: "none" })).toBe("json")
  })

  it("refuses a list rendering for an object, and vice versa", () => {
    const partial = { kind: "PartialObjectMetadata", group: "meta.orch.io", version: "v1" } as const
    expect(() => checkRendering(partial, { list: true, kind: "ConfigMapList" })).toThrow(/object is a list \(ConfigMapList\)/)
    expect(() => checkRendering({ ...partial, kind: "PartialObjectMetadataList" }, { list: false, kind: "ConfigMap" })).toThrow(
      /not a list/,
    )
    checkRendering(partial, { list: false, kind: "ConfigMap" })
    checkRendering(undefined, { list: true, kind: "ConfigMapList" })
  })
})

describe("bodyMedia", () => {
  it("reads Content-Type; JSON when there is none", () => {
    for (const type of [undefined, "", "application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])
      expect(bodyMedia(type, { vendor })).toBe("json")
    expect(bodyMedia("application/yaml", { vendor })).toBe("yaml")
    expect(bodyMedia("application/vnd.kubernetes.protobuf", { vendor })).toBe("compact")
    for (const type of ["text/plain", "garbage", "*/*", "application/x-www-form-urlencoded"])
      expect(() => bodyMedia(type, { vendor })).toThrow(/unknown format/)
    expect(() => bodyMedia("application/vnd.kubernetes.protobuf", { vendor, compact: false })).toThrow(/unknown format/)
  })
})

describe("wantsPretty", () => {
  const asked = (query: string, userAgent = "Go-http-client/2.0") => wantsPretty({ query: new URLSearchParams(query), userAgent })
  it("asks the query first, then the user agent", () => {
    expect([asked("pretty=true"), asked("pretty=1"), asked(""), asked("pretty"), asked("pretty=0"), asked("pretty=frob")]).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect([asked("", "curl/8.0"), asked("", "Mozilla/5.0 (X11)"), asked("", "Wget/1.2"), asked("", "HTTPie/1")]).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect([asked("pretty=false", "curl/8.0"), asked("pretty=", "curl/8.0"), asked("pretty", "curl/8.0")]).toEqual([false, true, true])
    expect(
      wantsPretty({ query: new URLSearchParams(), userAgent: undefined, negotiated: negotiate("application/json;pretty=1", { vendor }) }),
    ).toBe(true)
  })
})

describe("acceptsGzip", () => {
  it("accepts gzip by its bare name only", () => {
    expect([
      acceptsGzip("gzip"),
      acceptsGzip("deflate, gzip"),
      acceptsGzip("br, gzip;q=0.5"),
      acceptsGzip("deflate"),
      acceptsGzip(undefined),
    ]).toEqual([true, true, false, false, false])
  })
})
