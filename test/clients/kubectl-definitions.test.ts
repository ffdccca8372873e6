/** A definition and its objects with kubectl, from `create -f` to deletion. The texts equal the reference's. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../runtime/base/json.ts"
import { type Cluster, startCluster } from "./cluster.ts"
import type { Outcome } from "./command.ts"
import { type Kubectl, kubectlFor, kubectlMissing, kubectlSuite, tableOf } from "./kubectl.ts"

const manifest = fileURLToPath(new URL("manifests/oven-definition.yaml", import.meta.url))
const definition = "customresourcedefinition.apiextensions.k8s.io/ovens.bakery.example.com"

describe.skipIf(kubectlMissing)(kubectlSuite("definitions with kubectl"), { timeout: 60_000 }, () => {
  let cluster: Cluster
  let kubectl: Kubectl

  beforeAll(async () => {
    cluster = await startCluster()
    kubectl = kubectlFor(cluster)
    expect(await kubectl("create", "-f", manifest)).toBe(`${definition} created\n`)
    expect(await kubectl("wait", "--for=condition=Established", "crd/ovens.bakery.example.com")).toBe(`${definition} condition met\n`)
  })
  afterAll(() => cluster.remove())

  function oven(name: string, spec: JsonObject = {}): string {
    return JSON.stringify({ apiVersion: "bakery.example.com/v1", kind: "Oven", metadata: { name }, spec: { degrees: 200, ...spec } })
  }

  function piped(input: string, ...args: readonly string[]): Promise<Outcome> {
    return kubectl.attempt([...args, "-f", "-"], { input })
  }

  async function create(name: string, spec?: JsonObject): Promise<void> {
    expect((await piped(oven(name, spec), "create")).stdout).toBe(`oven.bakery.example.com/${name} created\n`)
  }

  function field(name: string, path: string): Promise<string> {
    return kubectl("get", "oven", name, "-o", `jsonpath={${path}}`)
  }

  async function stderrOf(...args: readonly string[]): Promise<string> {
    const { code, stderr } = await kubectl.attempt(args)
    expect(code, args.join(" ")).toBe(1)
    return stderr
  }

  it("are found by resource, short name and category", async () => {
    expect((await kubectl("api-resources", "--api-group=bakery.example.com", "--no-headers")).trim().split(/\s+/)).toEqual([
      "ovens",
      "ov",
      "bakery.example.com/v1",
      "true",
      "Oven",
    ])
    expect(await kubectl("api-versions")).toMatch(/^bakery.example.com\/v1\nbakery.example.com\/v1beta1$/m)
    await create("found")
    for (const word of ["ov", "oven", "ovens", "bakery", "ovens.v1.bakery.example.com"])
      expect(await kubectl("get", word, "--field-selector=metadata.name=found", "-o", "name")).toBe("oven.bakery.example.com/found\n")
    expect(await stderrOf("get", "ovens", "--field-selector=spec.degrees=1")).toContain("field label not supported: spec.degrees")
  })

  it("are explained, in each version", async () => {
    const fields = await kubectl("explain", "oven", "--recursive")
    expect(fields).toMatch(/\n +trays\s+<\[\]Object>\n +buns\s+<integer>\n +name\s+<string>/)
    expect(fields).toMatch(/\n +metadata\s+<ObjectMeta>[^]*\n +finalizers\s+<\[\]string>/)
    expect(await kubectl("explain", "oven.spec.degrees")).toMatch(/degrees <integer>[^]*How hot it shall get\./)
    expect(await kubectl("explain", "oven.spec", "--api-version=bakery.example.com/v1beta1")).toMatch(
      /VERSION: +(bakery.example.com\/)?v1beta1\n/,
    )
    expect((await kubectl.attempt(["explain", "oven.spec.nothing"])).stderr).toContain('field "nothing" does not exist')
  })

  it("have their columns, also the wide ones, and a warning for the old version", async () => {
    await create("shown", { size: "Large", degrees: 275 })
    const age = expect.stringMatching(/^\d+s$/)
    expect(tableOf(await kubectl("get", "oven", "shown"))).toEqual([
      ["NAME", "DEGREES", "PHASE", "AGE"],
      ["shown", "275", age],
    ])
    expect(tableOf(await kubectl("get", "oven", "shown", "-o", "wide"))).toEqual([
      ["NAME", "DEGREES", "PHASE", "SIZE", "AGE"],
      ["shown", "275", "Large", age],
    ])
    const old = await kubectl.attempt(["get", "ovens.v1beta1.bakery.example.com", "shown", "-o", "jsonpath={.apiVersion} {.spec.size}"])
    expect(old).toMatchObject({ code: 0, stdout: "bakery.example.com/v1beta1 Large" })
    expect(old.stderr).toBe("Warning: bakery.example.com/v1beta1 Oven is deprecated; use v1\n")
    expect(await kubectl("describe", "oven", "shown")).toMatch(/Spec:\n +Degrees: +275\n +Replicas: +1\n +Size: +Large\n/)
  })

  it("are applied client-side: created, unchanged, configured, compared", async () => {
    const trays = (...names: readonly string[]): JsonObject => ({ trays: names.map((name) => ({ name, buns: 6 })) })
    const apply = async (spec: JsonObject): Promise<string> => {
      const { code, stdout, stderr } = await piped(oven("applied", spec), "apply")
      expect(stderr).toBe("")
      expect(code).toBe(0)
      return stdout
    }
    expect(await apply(trays("top", "bottom"))).toBe("oven.bakery.example.com/applied created\n")
    expect(await apply(trays("top", "bottom"))).toBe("oven.bakery.example.com/applied unchanged\n")
    const diff = await piped(oven("applied", trays("top")), "diff")
    expect(diff.code).toBe(1)
    expect(diff.stdout).toContain("-    name: bottom\n")
    expect(await apply(trays("top"))).toBe("oven.bakery.example.com/applied configured\n")
    expect(await field("applied", ".spec.trays[*].name")).toBe("top")
    expect(await piped(oven("applied", trays("top")), "diff")).toEqual({ code: 0, stdout: "", stderr: "" })
  })

  it("are applied server-side, by several managers to one keyed list", async () => {
    const apply = (manager: string, spec: JsonObject, ...flags: readonly string[]): Promise<Outcome> =>
      piped(oven("shared", spec), "apply", "--server-side", `--field-manager=${manager}`, ...flags)
    expect((await apply("one", { trays: [{ name: "top", buns: 1 }] })).stdout).toBe("oven.bakery.example.com/shared serverside-applied\n")
    expect((await apply("two", { trays: [{ name: "bottom" }] })).stderr).toBe("")
    expect(await field("shared", ".spec.trays[*].name")).toBe("top bottom")
    const refused = await apply("two", { trays: [{ name: "top", buns: 2 }] })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('conflict with "one": .spec.trays[name="top"].buns')
    expect((await apply("two", { trays: [{ name: "top", buns: 2 }] }, "--force-conflicts")).code).toBe(0)
    expect(await field("shared", ".spec.trays[*].buns")).toBe("2")
    const diff = await piped(oven("shared", { model: "x" }), "diff", "--server-side", "--field-manager=one")
    expect(diff.stdout).toContain("+  model: x\n")
    const unknown = await apply("one", { degrese: 3 })
    expect(unknown.stderr).toContain(".spec.degrese: field not declared in schema")
  })

  it("move from client-side to server-side apply", async () => {
    expect((await piped(oven("moved", { model: "a", door: 4 }), "apply")).code).toBe(0)
    expect(await piped(oven("moved", { model: "a" }), "apply", "--server-side")).toMatchObject({ code: 0, stderr: "" })
    expect(await field("moved", ".spec.door")).toBe("")
  })

  it("are edited", async () => {
    await create("edited")
    // kubectl leaves a copy of a refused text.
    const edit = (change: string): Promise<Outcome> =>
      kubectl.attempt(["edit", "oven", "edited"], { env: { KUBE_EDITOR: `sed -i ${change}`, TMPDIR: cluster.folder } })
    expect((await edit("s/degrees:.*/degrees:\\ 180/")).stdout).toBe("oven.bakery.example.com/edited edited\n")
    const wrong = await edit("s/degrees:.*/degrees:\\ 1000/")
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('error: ovens.bakery.example.com "edited" is invalid\n')
    expect(await field("edited", ".spec.degrees")).toBe("180")
  })

  it("have a status that only its sub-resource writes", async () => {
    await create("hot")
    const status = { phase: "Hot", replicas: 2, selector: "app=hot" }
    const patch = (body: JsonObject, ...flags: readonly string[]): Promise<string> =>
      kubectl("patch", "oven", "hot", "--type=merge", "-p", JSON.stringify(body), ...flags)
    expect(await patch({ status })).toBe("oven.bakery.example.com/hot patched (no change)\n")
    expect(await patch({ status, spec: { degrees: 30 } }, "--subresource=status")).toBe("oven.bakery.example.com/hot patched\n")
    expect(await field("hot", ".spec.degrees")).toBe("200")
    expect(await field("hot", ".metadata.generation")).toBe("1")
    expect(tableOf(await kubectl("get", "oven", "hot", "--subresource=status", "--no-headers"))[0]?.slice(0, 3)).toEqual([
      "hot",
      "200",
      "Hot",
    ])
    const object = JSON.parse(await kubectl("get", "oven", "hot", "-o", "json"))
    const replaced = await piped(JSON.stringify({ ...object, status: { phase: "Cold" } }), "replace", "--subresource=status")
    expect(replaced.stdout).toBe("oven.bakery.example.com/hot replaced\n")
    expect(await field("hot", ".status")).toBe('{"phase":"Cold"}')
  })

  it("are waited for", async () => {
    await create("awaited")
    const waiting = kubectl.start("wait", "--for=condition=Ready", "oven/awaited", "--timeout=60s")
    const at = "2026-01-01T00:00:00Z"
    const conditions = [{ type: "Ready", status: "True", reason: "Hot", message: "", lastTransitionTime: at }]
    await kubectl("patch", "oven", "awaited", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status: { conditions } }))
    await waiting.until((printed) => printed === "oven.bakery.example.com/awaited condition met\n")
    await waiting.end()
    expect(await kubectl("wait", "--for=jsonpath={.spec.degrees}=200", "oven/awaited")).toContain("condition met")
  })

  it("are scaled", async () => {
    await create("scaled")
    expect(await kubectl("scale", "oven", "scaled", "--replicas=4")).toBe("oven.bakery.example.com/scaled scaled\n")
    expect(await field("scaled", ".spec.replicas")).toBe("4")
    expect(await stderrOf("scale", "oven", "scaled", "--current-replicas=3", "--replicas=5")).toContain("Expected replicas to be 3, was 4")
    const scale = await kubectl("get", "--raw", "/apis/bakery.example.com/v1/namespaces/default/ovens/scaled/scale")
    expect(JSON.parse(scale)).toMatchObject({ apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 4 }, status: { replicas: 0 } })
  })

  it("are patched by merge and by operations, not strategically", async () => {
    await create("patched", { trays: [{ name: "top" }] })
    const patch = (type: string, body: unknown): readonly string[] => [
      "patch",
      "oven",
      "patched",
      `--type=${type}`,
      "-p",
      JSON.stringify(body),
    ]
    expect(await kubectl(...patch("merge", { spec: { recipe: { flour: { grams: 500 } }, door: "40%" } }))).toContain("patched\n")
    expect(await kubectl(...patch("json", [{ op: "add", path: "/spec/trays/-", value: { name: "bottom" } }]))).toContain("patched\n")
    expect(await field("patched", ".spec")).toBe(
      '{"degrees":200,"door":"40%","recipe":{"flour":{"grams":500}},"replicas":1,"size":"Small","trays":[{"buns":0,"name":"top"},{"buns":0,"name":"bottom"}]}',
    )
    expect(await stderrOf(...patch("strategic", { spec: { degrees: 1 } }))).toContain(
      "application/strategic-merge-patch+json is not supported by bakery.example.com/v1, Kind=Oven",
    )
    expect(await stderrOf(...patch("json", [{ op: "add", path: "/spec/trays/-", value: { name: "top" } }]))).toContain(
      "spec.trays[2]: Duplicate value",
    )
    expect(await kubectl("label", "oven", "patched", "room=back")).toContain("labeled\n")
    expect(await kubectl("get", "ov", "-l", "room=back", "-o", "name")).toBe("oven.bakery.example.com/patched\n")
  })

  it("are refused with the field, the wrong value and the reason", async () => {
    const refusal = async (spec: JsonObject): Promise<string> => {
      const { code, stderr } = await piped(oven("refused", spec), "create")
      expect(code).toBe(1)
      return stderr
    }
    expect(await refusal({ degrees: 20 })).toBe(
      'The Oven "refused" is invalid: spec.degrees: Invalid value: 20: spec.degrees in body should be greater than or equal to 30\n',
    )
    expect(await refusal({ degrees: 290 })).toBe(
      'The Oven "refused" is invalid: spec.degrees: Invalid value: "object": an oven of size Small does not get that hot\n',
    )
    expect(await refusal({ size: "Huge" })).toBe(
      `${[
        'The Oven "refused" is invalid: ',
        '* spec.size: Unsupported value: "Huge": supported values: "Small", "Large"',
        '* <nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; ' +
          "correct the existing errors to complete validation",
      ].join("\n")}\n`,
    )
    await create("fixed", { model: "a" })
    expect(await stderrOf("patch", "oven", "fixed", "--type=merge", "-p", '{"spec":{"model":"b"}}')).toBe(
      'The Oven "fixed" is invalid: spec: Invalid value: "object": the model of an oven stays\n',
    )
  })

  it("are checked for unknown fields, as --validate says", async () => {
    const input = oven("odd", { degrese: 3 })
    const strict = await piped(input, "create")
    expect(strict.code).toBe(1)
    expect(strict.stderr).toMatch(/unknown field "(spec\.)?degrese"/)
    expect(await piped(input, "create", "--validate=warn", "--dry-run=server")).toMatchObject({
      code: 0,
      stderr: 'Warning: unknown field "spec.degrese"\n',
    })
    expect((await piped(input, "create", "--validate=ignore")).stderr).toBe("")
    expect(await field("odd", ".spec.degrese")).toBe("")
  })

  it("follow a changed definition at once", async () => {
    const text = (await readFile(manifest, "utf8")).replaceAll(/ovens|oven\b/g, (word) => (word === "ovens" ? "grills" : "grill"))
    const file = join(cluster.folder, "grills.yaml")
    const grills = text.replaceAll("Oven", "Grill").replace("shortNames: [ov]", "shortNames: [gr]")
    await writeFile(file, grills)
    await kubectl("apply", "-f", file)
    await kubectl("wait", "--for=condition=Established", "crd/grills.bakery.example.com")
    const grill = (spec: JsonObject): string => oven("g", spec).replace("Oven", "Grill")
    expect((await piped(grill({ coals: 3 }), "apply")).stderr).toContain('unknown field "spec.coals"')
    await writeFile(
      file,
      grills.replace(
        "properties:\n                size:",
        "properties:\n                coals: {type: integer, description: Glowing.}\n                size:",
      ),
    )
    expect(await kubectl("apply", "-f", file)).toBe("customresourcedefinition.apiextensions.k8s.io/grills.bakery.example.com configured\n")
    await expect.poll(async () => (await piped(grill({ coals: 3 }), "apply")).code).toBe(0)
    expect(await kubectl("explain", "grill.spec.coals")).toContain("Glowing.")
    expect(await kubectl("delete", "-f", file)).toContain('"grills.bakery.example.com" deleted')
    expect(await stderrOf("get", "crd", "grills.bakery.example.com")).toContain("NotFound")
    expect(await stderrOf("get", "grills")).toMatch(/could not find the requested resource|doesn't have a resource type "grills"/)
  })

  it.each([
    { cascade: "background", left: [] },
    { cascade: "foreground", left: [] },
    { cascade: "orphan", left: ["configmap/orphan-crumbs"] },
  ])("are deleted with --cascade=$cascade", async ({ cascade, left }) => {
    await create(cascade)
    const owner = { apiVersion: "bakery.example.com/v1", kind: "Oven", name: cascade, uid: await field(cascade, ".metadata.uid") }
    const metadata = { name: `${cascade}-crumbs`, labels: { cascade }, ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }
    expect((await piped(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }), "create")).code).toBe(0)
    expect(await kubectl("delete", "oven", cascade, `--cascade=${cascade}`)).toContain(`oven.bakery.example.com "${cascade}" deleted`)
    if (left.length === 0) await kubectl.attempt(["wait", "--for=delete", `configmap/${cascade}-crumbs`, "--timeout=30s"])
    expect((await kubectl("get", "configmap", "-l", `cascade=${cascade}`, "-o", "name")).split("\n").filter(Boolean)).toEqual(left)
  })
})
