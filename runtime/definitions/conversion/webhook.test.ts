/**
 * Conversion by a hook whose answers come from the tests. `reference-answers.json` holds the reference's (release 1.30)
 * responses to a GET in version v2 of an object stored in v1, for each of these answers.
 */
import { expect, test } from "vitest"
import type { ApiObject, JsonObject, JsonValue } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import type { ConversionStarted } from "../../schema/conversion-call.ts"
import { documentDepthMax, documentValuesMax, objectFieldsMax } from "../../base/limits.ts"
import { conversionCharactersMax, conversionObjectsMax } from "./limits.ts"
import referenceAnswers from "./reference-answers.json" with { type: "json" }
import { webhookConversion, type WebhookConversion } from "./webhook.ts"

const [v1, v2] = ["example.com/v1", "example.com/v2"]

/** A review with the answer of a correct hook; tests change it in place. */
interface Exchange {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly ApiObject[] }
  readonly review: JsonObject
  readonly response: JsonObject & { result: JsonObject; convertedObjects: JsonValue[] }
  readonly first: JsonObject & { metadata: JsonObject }
}

type Change = (exchange: Exchange) => JsonValue | undefined

function converted(object: ApiObject, apiVersion: string): JsonObject {
  const { size, width, ...rest }: JsonObject = isObject(object["spec"]) ? object["spec"] : {}
  const value = size ?? width ?? 0
  return structuredClone({ ...object, apiVersion, spec: { ...rest, [apiVersion === v2 ? "width" : "size"]: value } })
}

function setting(change: Change = () => undefined, given: Partial<WebhookConversion> = {}) {
  const calls: JsonObject[] = []
  const convert = webhookConversion({
    reviewGroup: "apiextensions.k8s.io",
    reviewVersions: ["v1"],
    apiVersions: [v1, v2],
    uuid: () => "UID",
    post: async (text) => {
      const sent = JSON.parse(text)
      calls.push(sent)
      const { request } = sent
      const convertedObjects = request.objects.map((object: ApiObject) => converted(object, request.desiredAPIVersion))
      const response = { uid: request.uid, result: { status: "Success" }, convertedObjects }
      const review = { apiVersion: sent.apiVersion, kind: "ConversionReview", response }
      const changed = change({ request, review, response, first: convertedObjects[0] })
      return changed === undefined ? review : changed
    },
    ...given,
  })
  return { calls, convert }
}

const one: ApiObject = {
  apiVersion: v1,
  kind: "Conv",
  metadata: { name: "a", namespace: "default", uid: "object-uid", generation: 1, labels: { kept: "yes" } },
  spec: { size: 1 },
}

const named = (name: string, apiVersion = v1): ApiObject => ({ ...one, apiVersion, metadata: { ...one.metadata, name } })

test("a review has the form that the reference sends", async () => {
  const { calls, convert } = setting()
  expect(await convert([one], v2)).toEqual([{ ...one, apiVersion: v2, spec: { width: 1 } }])
  expect(calls).toEqual([
    {
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      request: { uid: "UID", desiredAPIVersion: v2, objects: [one] },
      response: { uid: "", convertedObjects: null, result: { metadata: {} } },
    },
  ])
})

test("the first known version of conversionReviewVersions is sent", async () => {
  const versions = async (reviewVersions: string[]): Promise<JsonValue | undefined> => {
    const { calls, convert } = setting(undefined, { reviewVersions })
    await convert([one], v2)
    return calls[0]?.apiVersion
  }
  expect(await versions(["v9", "v1beta1", "v1"])).toBe("apiextensions.k8s.io/v1beta1")
  expect(await versions(["v1", "v1beta1"])).toBe("apiextensions.k8s.io/v1")
  await expect(versions(["v9"])).rejects.toThrow("no supported conversion review versions")
})

test("objects of one call are converted in place, and those in the desired version are not sent", async () => {
  const { calls, convert } = setting()
  const objects = [named("a"), named("b", v2), named("c"), named("d", v2)]
  const result = await convert(objects, v2)
  expect(result.map(({ apiVersion, metadata }) => [apiVersion, metadata?.name])).toEqual(["a", "b", "c", "d"].map((name) => [v2, name]))
  expect(result[1]).toBe(objects[1])
  expect(calls.map(({ request }) => (request as { objects: ApiObject[] }).objects.map(({ metadata }) => metadata?.name))).toEqual([
    ["a", "c"],
  ])
  await convert([named("b", v2)], v2)
  expect(calls.length).toBe(1)
})

test("many objects, and large ones, go in several calls", async () => {
  const { calls, convert } = setting()
  const sizes = (): number[] => calls.splice(0).map(({ request }) => (request as { objects: unknown[] }).objects.length)
  const many = Array.from({ length: conversionObjectsMax + 1 }, (_, index) => named(`o${index}`))
  const result = await convert(many, v2)
  expect(result.map(({ metadata }) => metadata?.name)).toEqual(many.map(({ metadata }) => metadata?.name))
  expect(sizes()).toEqual([conversionObjectsMax, 1])
  const large = (name: string): ApiObject => ({ ...named(name), spec: { note: "x".repeat(conversionCharactersMax / 2) } })
  await convert([large("a"), large("b"), named("c")], v2)
  expect(sizes()).toEqual([1, 2])
})

test("only labels and annotations of the metadata change", async () => {
  const { convert } = setting(({ first }) => {
    Object.assign(first.metadata, { labels: { a: "b" }, annotations: { x: "y" }, finalizers: ["x/y"], generation: 99 })
    return undefined
  })
  const [object] = await convert([one], v2)
  expect(object?.metadata).toEqual({ ...one.metadata, labels: { a: "b" }, annotations: { x: "y" } })
  const dropping = setting(({ first }) => {
    Object.assign(first.metadata, { labels: null })
    return undefined
  })
  expect((await dropping.convert([one], v2))[0]?.metadata?.labels).toBeUndefined()
  expect(one.metadata?.labels).toEqual({ kept: "yes" })
})

test("labels that were wrong before may stay", async () => {
  const old = { ...one, metadata: { ...one.metadata, labels: { "a b": "c d" } } }
  expect((await setting().convert([old], v2))[0]?.metadata?.labels).toEqual({ "a b": "c d" })
})

const assigns =
  (values: JsonObject, to: (exchange: Exchange) => JsonObject = ({ first }) => first.metadata): Change =>
  (exchange) => {
    Object.assign(to(exchange), values)
    return undefined
  }

const toResponse = ({ response }: Exchange): JsonObject => response
const toReview = ({ review }: Exchange): JsonObject => review
const toObject = ({ first }: Exchange): JsonObject => first
const replaces =
  (object: JsonValue): Change =>
  ({ response }) => {
    response.convertedObjects[0] = object
    return undefined
  }

const changes: Readonly<Record<keyof typeof referenceAnswers, Change>> = {
  "wrong-uid": assigns({ uid: "nope" }, toResponse),
  "no-uid": ({ review, response: { uid: _uid, ...rest } }) => ({ ...review, response: rest }),
  name: assigns({ name: "other" }),
  namespace: assigns({ namespace: "other" }),
  objuid: assigns({ uid: "other" }),
  kind: assigns({ kind: "Other" }, toObject),
  version: assigns({ apiVersion: "a.b/v9" }, toObject),
  few: assigns({ convertedObjects: [] }, toResponse),
  many: ({ response, first }) => void response.convertedObjects.push(first),
  failed: assigns({ result: { status: "Failure", message: "I do not want to" } }, toResponse),
  "failed-silent": assigns({ result: { status: "Failure" } }, toResponse),
  "no-status": assigns({ result: {} }, toResponse),
  "no-response": ({ review: { response: _response, ...rest } }) => rest,
  "review-version": assigns({ apiVersion: "apiextensions.k8s.io/v1beta1" }, toReview),
  "review-group": assigns({ apiVersion: "nope.io/v1" }, toReview),
  "review-kind": assigns({ kind: "Other" }, toReview),
  "review-none": ({ response }) => ({ response }),
  "bad-label": assigns({ labels: { "a b": "c" } }),
  "bad-label-value": assigns({ labels: { a: "c d" } }),
  "number-label": assigns({ labels: { a: 1 } }),
  "list-labels": assigns({ labels: ["a"] }),
  "bad-annotation": assigns({ annotations: { "a b": "c" } }),
  "number-annotation": assigns({ annotations: { a: true } }),
  "large-annotation": assigns({ annotations: { a: "x".repeat(300_000) } }),
  "no-metadata": ({ first }) => void Reflect.deleteProperty(first, "metadata"),
  "text-metadata": assigns({ metadata: "x" }, toObject),
  "null-object": replaces(null),
  "text-object": replaces("x"),
  "empty-object": replaces({}),
  "no-kind-object": ({ first }) => void Reflect.deleteProperty(first, "kind"),
  "no-version-object": ({ first }) => void Reflect.deleteProperty(first, "apiVersion"),
  "text-objects": assigns({ convertedObjects: "x" }, toResponse),
  array: () => [],
  null: () => null,
  "status-200": () => ({ kind: "Status", apiVersion: "v1", status: "Failure", message: "status in 200", code: 400 }),
}

/** Cases in which the reference prints Go types, or only a decoder's error. */
const ownTexts: Partial<Record<keyof typeof referenceAnswers, string>> = {
  "review-group":
    'conversion webhook for example.com/v1, Kind=Conv failed: no kind "ConversionReview" is registered for version "nope.io/v1"',
  "review-kind":
    'conversion webhook for example.com/v1, Kind=Conv failed: no kind "Other" is registered for version "apiextensions.k8s.io/v1"',
  "null-object": "conversion webhook for example.com/v1, Kind=Conv returned invalid object at index 0: it is nil and no object",
  "text-object": "conversion webhook for example.com/v1, Kind=Conv returned invalid object at index 0: it is string and no object",
  "empty-object": "conversion webhook for example.com/v1, Kind=Conv returned invalid object at index 0: Object 'Kind' is missing in '{}'",
  "no-kind-object": "conversion webhook for example.com/v1, Kind=Conv returned invalid object at index 0: Object 'Kind' is missing in '{",
  "text-objects": "conversion webhook for example.com/v1, Kind=Conv failed: response.convertedObjects must be a list",
  array: "conversion webhook for example.com/v1, Kind=Conv failed: couldn't get version/kind; json parse error: the answer is no object",
}

test.each(Object.entries(changes))("the answer %s is an error with the reference's text", async (name, change) => {
  const { convert } = setting(change)
  const own = ownTexts[name as keyof typeof referenceAnswers]
  const message = own === undefined ? referenceAnswers[name as keyof typeof referenceAnswers] : expect.stringContaining(own)
  await expect(convert([one], v2)).rejects.toMatchObject({ code: 500, reason: "", message })
})

test("version v1beta1 checks neither the uid nor the type of an answer without one", async () => {
  const { convert } = setting(({ response: { uid: _uid, ...response } }) => ({ response }), { reviewVersions: ["v1beta1"] })
  expect((await convert([one], v2))[0]?.apiVersion).toBe(v2)
})

test("a fault among several objects names its place", async () => {
  const { convert } = setting(({ response }) => {
    Object.assign((response.convertedObjects[1] as Exchange["first"]).metadata, { name: "other" })
    return undefined
  })
  await expect(convert([named("a"), named("b")], v2)).rejects.toThrow(
    "conversion webhook for example.com/v1, Kind=Conv returned invalid converted object at index 1: must have the same name: b != other",
  )
})

test("an object in a version that the definition does not have is refused before anything is sent", async () => {
  const { calls, convert } = setting()
  await expect(convert([one, named("b", "example.com/v0")], v2)).rejects.toThrow(
    "request to convert CR from an invalid group/version: example.com/v0",
  )
  expect(calls).toEqual([])
})

test("a call that fails is reported, and a caller that has left gets its own reason", async () => {
  const failing = setting(undefined, { post: () => Promise.reject(new Error("dial tcp: refused")) })
  await expect(failing.convert([one], v2)).rejects.toMatchObject({
    code: 500,
    message: "conversion webhook for example.com/v1, Kind=Conv failed: dial tcp: refused",
  })
  await expect(failing.convert([one], v2, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone")
})

test("calls are measured with their versions and the sort of failure, in the reference's words", async () => {
  const failureOf = async (change?: Change, given: Partial<WebhookConversion> = {}): Promise<string | undefined> => {
    const ends: (string | undefined)[] = []
    const started: ConversionStarted = (call) => {
      expect(call).toEqual({ from: "v1", to: "v2" })
      return (failure) => void ends.push(failure)
    }
    await setting(change, { ...given, started })
      .convert([one], v2)
      .catch(() => undefined)
    expect(ends).toHaveLength(1)
    return ends[0]
  }
  expect(await failureOf()).toBeUndefined()
  expect(await failureOf(undefined, { post: () => Promise.reject(new Error("refused")) })).toBe("call")
  expect(await failureOf(changes.array)).toBe("call")
  expect(await failureOf(changes["review-kind"])).toBe("call")
  expect(await failureOf(changes["wrong-uid"])).toBe("malformed_response")
  expect(await failureOf(changes.failed)).toBe("malformed_response")
  expect(await failureOf(changes.few)).toBe("partial_response")
  expect(await failureOf(changes.name)).toBe("invalid_converted_object")
})

const nestedList = (depth: number): JsonValue => {
  let value: JsonValue = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

test.each<[string, (index: number) => JsonValue, RegExp]>([
  ["values", () => Array.from({ length: documentValuesMax }, () => 1), /it has more than 65536 values$/],
  ["levels", () => nestedList(documentDepthMax + 1), /it is nested more than 1000 times$/],
  ["levels that no stack holds", () => nestedList(20_000), /it is nested more than 1000 times$/],
  [
    "fields",
    () => Object.fromEntries(Array.from({ length: objectFieldsMax + 1 }, (_, index) => [`f${index}`, 1])),
    /an object in it has more than 16384 fields$/,
  ],
])("an object that comes back with too many %s is refused", async (_name, spec, message) => {
  const { convert } = setting(({ first }) => {
    first["spec"] = spec(0)
    return undefined
  })
  await expect(convert([one], v2)).rejects.toMatchObject({ code: 500, message: expect.stringMatching(message) })
})

test("an object that was as large before the limits comes back", async () => {
  const spec = { size: Array.from({ length: documentValuesMax }, () => 1) }
  const [back] = await setting().convert([{ ...one, spec }], v2)
  expect(back?.["spec"]).toEqual({ width: spec.size })
})
