import { describe, expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import { isObject } from "../base/json.ts"
import { parseJson } from "../encoding/json/text.ts"
import { vendorProfile } from "../base/vendor.ts"
import { convert, type ConvertFormat, type ConvertOptions, storagePathOfKey } from "./convert.ts"
import { parseYaml } from "./yaml.ts"

const vendor = vendorProfile("kubernetes")
const configMap = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "n", resourceVersion: "5", creationTimestamp: null },
  data: { k: "yes" },
}
const json = Buffer.from(JSON.stringify(configMap))
const run = (bytes: Uint8Array, to: ConvertFormat, more: Partial<ConvertOptions> = {}) => convert({ bytes, to, kinds, vendor, ...more })

describe("convert", () => {
  it("converts every format to every other and back", async () => {
    for (const format of ["json", "yaml", "compact"] as const) {
      const there = await run(json, format)
      expect(parseJson((await run(there, "json")).toString()).value).toEqual(configMap)
      expect(parseYaml((await run(there, "yaml", { from: format })).toString()).value).toEqual(configMap)
    }
  })

  it("writes the stored form: no resourceVersion, protobuf or JSON", async () => {
    const { resourceVersion: _resourceVersion, ...metadata } = configMap.metadata
    for (const storedAs of ["json", "compact"] as const) {
      const value = await run(json, "stored", { storedAs })
      expect(value[0]).toBe(storedAs === "json" ? 0x7b : 0x6b)
      expect(parseJson((await run(value, "json", { from: "stored", key: "/registry/configmaps/n/a" })).toString()).value).toEqual({
        ...configMap,
        metadata,
      })
    }
  })

  it("stores events in the form that both their kinds share", async () => {
    const event = {
      kind: "Event",
      apiVersion: "events.k8s.io/v1",
      metadata: { name: "e", namespace: "n" },
      eventTime: "2020-01-01T00:00:00.000000Z",
      note: "hello",
      regarding: { kind: "Pod", name: "p" },
    }
    const { value } = parseJson((await run(await run(Buffer.from(JSON.stringify(event)), "stored"), "json")).toString())
    expect(isObject(value) && [value.apiVersion, value.message]).toEqual(["v1", "hello"])
  })

  it("converts unknown kinds between JSON and YAML only", async () => {
    const widget = Buffer.from('{"kind":"Widget","apiVersion":"example.com/v1","spec":{"big":9007199254740993}}')
    expect((await run(widget, "yaml")).toString()).toBe("apiVersion: example.com/v1\nkind: Widget\nspec:\n  big: 9007199254740993\n")
    await expect(run(widget, "compact")).rejects.toThrow(/no compact form is known of kind Widget/)
  })

  it("reports what is wrong with its input", async () => {
    await expect(run(Buffer.from("{"), "json")).rejects.toThrow(/no JSON: unexpected end/)
    await expect(run(Buffer.from("a: 1"), "json")).rejects.toThrow(/no object with apiVersion and kind/)
    await expect(run(json, "json", { from: "compact" })).rejects.toThrow(/does not start as the compact encoding/)
    await expect(run(json, "json", { key: "/registry/pods/n/a" })).rejects.toThrow(/holds pods, but the value is a ConfigMap/)
  })
})

describe("storagePathOfKey", () => {
  it("picks the longest path", () => {
    expect(storagePathOfKey("/registry/services/specs/n/a", kinds)).toBe("services/specs")
    expect(storagePathOfKey("configmaps/n/a", kinds)).toBe("configmaps")
    expect(storagePathOfKey("/registry/nothing/n/a", kinds)).toBeUndefined()
  })
})
