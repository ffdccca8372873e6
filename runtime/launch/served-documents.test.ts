import { describe, expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import { isObject, type JsonValue } from "../base/json.ts"
import type { Kind } from "../schema/kind.ts"
import { builtInDocuments } from "./openapi-files.ts"
import { servedDocuments } from "./served-documents.ts"

const optional = kinds.filter((kind) => kind.optional !== undefined)
const usual = kinds.filter((kind) => kind.optional === undefined)

async function documentOf(path: string, on: readonly Kind[]): Promise<Record<string, JsonValue | undefined>> {
  const document: unknown = JSON.parse((await servedDocuments(builtInDocuments(), kinds, on).get(path)?.())?.toString() ?? "null")
  if (!isObject(document as JsonValue)) throw new Error(`no document ${path}`)
  return document as Record<string, JsonValue | undefined>
}

function names(value: JsonValue | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value) : []
}

/** Definitions that a document refers to. */
function references(value: unknown): Set<string> {
  return new Set([...JSON.stringify(value).matchAll(/"#\/definitions\/([^"]+)"/g)].map(([, name]) => name ?? ""))
}

describe("documents of a server", () => {
  it("are all of them when everything is on", async () => {
    const documents = builtInDocuments()
    expect(servedDocuments(documents, kinds, kinds)).toBe(documents)
  })

  it("have no path, definition or tag of what is off", async () => {
    const paths = [...servedDocuments(builtInDocuments(), kinds, usual).keys()]
    expect(paths).toContain("v3/apis/networking.orch.io/v1")
    expect(paths).not.toContain("v3/apis/networking.orch.io/v1alpha1")
    expect(paths).not.toContain("v3/apis/resource.orch.io")
    const document = await documentOf("v2", usual)
    const whole = await documentOf("v2", kinds)
    expect(names(document.paths)).toEqual(
      names(whole.paths).filter((path) => !/alpha|\/v1beta1\/|\/(resource|storagemigration|internal\.apiserver)\./.test(path)),
    )
    expect(names(document.paths)).toContain("/apis/networking.orch.io/v1/namespaces/{namespace}/ingresses/{name}")
    expect(names(document.definitions).filter((name) => name.includes("alpha"))).toEqual([])
    expect(names(document.definitions)).toContain("io.orch.api.core.v1.Pod")
    const left = references(document)
    expect(names(document.definitions).toSorted()).toEqual([...left].toSorted())
    expect(JSON.stringify(document.tags)).not.toContain("alpha")
    expect(JSON.stringify(document.tags)).toContain('"core_v1"')
  })

  it("are without one resource of a version, and without its definitions where no other needs them", async () => {
    const on = [...usual, ...optional.filter(({ resource }) => resource !== "ipaddresses")]
    const document = await documentOf("v3/apis/networking.orch.io/v1alpha1", on)
    expect(names(document.paths).some((path) => path.includes("ipaddresses"))).toBe(false)
    expect(names(document.paths)).toContain("/apis/networking.orch.io/v1alpha1/servicecidrs/{name}/status")
    const schemas = isObject(document.components) ? names(document.components.schemas) : []
    expect(schemas.some((name) => name.endsWith(".IPAddress"))).toBe(false)
    expect(schemas).toContain("io.orch.api.networking.v1alpha1.ServiceCIDR")
    const withoutScale = await documentOf(
      "v2",
      kinds.filter(({ group }) => group !== "autoscaling"),
    )
    expect(names(withoutScale.definitions)).toContain("io.orch.api.autoscaling.v1.Scale")
    expect(names(withoutScale.definitions).some((name) => name.includes("HorizontalPodAutoscaler"))).toBe(false)
  })

  it("keep namespaces, whose paths look like those of what is in them", async () => {
    const document = await documentOf(
      "v3/api/v1",
      kinds.filter(({ resource }) => resource !== "pods"),
    )
    expect(names(document.paths)).toContain("/api/v1/namespaces/{name}/status")
    expect(names(document.paths)).toContain("/api/v1/watch/namespaces/{namespace}/secrets")
    expect(names(document.paths).some((path) => path.includes("/pods"))).toBe(false)
  })
})
