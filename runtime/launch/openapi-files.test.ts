import { expect, it } from "vitest"
import { joinDocuments } from "./openapi-files.ts"

async function joined(...texts: object[]): Promise<unknown> {
  const all = texts.map((text) => new Map([["v2", async () => Buffer.from(JSON.stringify(text))]]))
  const text = await joinDocuments(all).get("v2")?.()
  return JSON.parse(String(text))
}

it("joins paths and definitions by name, and keeps the first of equal names", async () => {
  expect(
    await joined(
      { swagger: "2.0", paths: { "/a": { get: 1 } }, definitions: { A: { required: ["a"] } } },
      { swagger: "3.0", paths: { "/a": { put: 2 }, "/b": {} }, definitions: { A: { required: ["b"] } } },
    ),
  ).toEqual({ swagger: "2.0", paths: { "/a": { get: 1, put: 2 }, "/b": {} }, definitions: { A: { required: ["a"] } } })
})

it("joins the tags, and the kinds of a shared definition", async () => {
  const [core, own] = ["", "kitchen.example.com"].map((group) => ({ group, kind: "DeleteOptions", version: "v1" }))
  const shared = "x-orch-group-version-kind"
  expect(
    await joined(
      { tags: [{ name: "apis" }, { name: "core_v1" }], definitions: { DeleteOptions: { [shared]: [core] } } },
      { tags: [{ name: "apis" }, { name: "kitchen_v1" }], definitions: { DeleteOptions: { [shared]: [core, own] } } },
    ),
  ).toEqual({
    tags: [{ name: "apis" }, { name: "core_v1" }, { name: "kitchen_v1" }],
    definitions: { DeleteOptions: { [shared]: [core, own] } },
  })
})
