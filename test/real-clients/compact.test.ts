/**
 * The compact encoding of every kind in every version, against the types of the reference: a Go program reads random
 * objects of this server's shapes and writes them again, and makes up objects of its own, which this server reads.
 */
import { join } from "node:path"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { bodies, kinds } from "../../generated/index.ts"
import { partialObjectMetadataShape } from "../../generated/meta/v1/table/shape.ts"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { kindsOfVendor } from "../../runtime/definitions/definition-kind.ts"
import { groupDiscoveryListShape } from "../../runtime/discovery/aggregated.ts"
import { parseJson, stringify } from "../../runtime/encoding/json/text.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import { createProtobufCodec, unwrapUnknown } from "../../runtime/encoding/protobuf/codec.ts"
import type { TypeShape } from "../../runtime/schema/shape.ts"
import { statusShape } from "../../runtime/wire/status.ts"
import { runCommand } from "../clients/command.ts"
import { arbitraryObject } from "../support/arbitrary-objects.ts"
import { testSeed } from "../support/seed.ts"
import { asGoReads, asObject } from "./go-forms.ts"

const programs = process.env.ORCH_GO_CLIENTS
const why = programs === undefined ? " (go is not installed)" : ""
const vendor = vendorProfile("kubernetes")

/** Objects of each kind in each direction; more for manual runs. */
const runs = Number(process.env.COMPACT_RUNS ?? 30)

/** Parts of other objects, options without a message of their own, and types that exist in JSON alone. */
const noObjects = [
  ...["BoundObjectReference", "CrossVersionObjectReference", "ObjectReference", "OwnerReference", "ParamKind"],
  ...["ApplyOptions", "TableOptions", "Table"],
]
/** Kinds that the reference knows by a group of their own, not as members of any group. */
const metaGroup = ["PartialObjectMetadata", "PartialObjectMetadataList"]

interface Subject {
  readonly apiVersion: string
  readonly kind: string
  readonly shape: TypeShape
}

const subjects: readonly Subject[] = [
  ...(await Promise.all([
    ...kindsOfVendor(kinds, vendor).filter(isCompact).map(subjectOf),
    ...bodies.filter(({ kind }) => !noObjects.includes(kind)).map(subjectOf),
  ])),
  ...["v2", "v2beta1"].map((version) => ({
    apiVersion: `apidiscovery.k8s.io/${version}`,
    kind: "APIGroupDiscoveryList",
    shape: groupDiscoveryListShape(partialObjectMetadataShape),
  })),
  { apiVersion: "v1", kind: "Status", shape: statusShape },
]

function isCompact({ served, storage }: (typeof kinds)[number]): boolean {
  return served !== false && storage.format !== "json"
}

async function subjectOf({ group, version, kind, load }: (typeof bodies)[number]): Promise<Subject> {
  const named = metaGroup.includes(kind) ? `meta.k8s.io/${version}` : version
  const isCore = group === "" || group === "meta"
  return { apiVersion: isCore ? named : vendor.apiVersion(`${group}/${version}`), kind, shape: (await load()).shape }
}

/** Go's answers to the objects of a subject. */
interface Mirrored {
  /** Each sent object in both encodings, and Go's answer. */
  readonly sent: readonly { readonly object: ApiObject; readonly compact: string; readonly answer: JsonObject }[]
  /** Objects that Go made up, or the reason why it could not. */
  readonly random: JsonObject
}

describe.skipIf(programs === undefined)(`the compact encoding${why}`, () => {
  let mirrored: ReadonlyMap<Subject, Mirrored>

  beforeAll(async () => {
    mirrored = await mirror()
  })

  it.each(subjects)("of $apiVersion $kind has the bytes that Go writes for the same object", (subject) => {
    const { sent = [] } = mirrored.get(subject) ?? {}
    expect(sent).toHaveLength(runs)
    for (const { object, compact, answer } of sent) {
      const { json, ...bytes } = answer
      expect(bytes, stringify(object)).toEqual({ compact, fromJSON: compact })
      expect(json).toEqual(asGoReads(object))
    }
  })

  it.each(subjects)("of $apiVersion $kind is read as Go reads it, and written again byte for byte", (subject) => {
    const { error, random } = mirrored.get(subject)?.random ?? {}
    expect(error).toBe(undefined)
    expect(random).toHaveLength(runs)
    for (const made of Array.isArray(random) ? random : []) {
      const { json, compact } = asObject(made)
      const { raw, ...typeMeta } = unwrapUnknown(Buffer.from(String(compact), "base64"))
      const codec = createProtobufCodec(subject.shape)
      const { object } = normalize(subject.shape, { ...codec.decode(raw), ...typeMetaOf(subject) })
      expect(asGoReads(object)).toEqual(json)
      expect(codec.encodeEnvelope(object, typeMeta).toString("base64"), stringify(object)).toBe(compact)
    }
  })
})

/** Sends objects of all subjects through one Go program. */
async function mirror(): Promise<ReadonlyMap<Subject, Mirrored>> {
  const seed = testSeed()
  const asked = subjects.map((subject) => {
    const { shape } = subject
    const codec = createProtobufCodec(shape)
    const objects = fc.sample(arbitraryObject(shape), { numRuns: runs, seed }).map((document) => {
      const { object } = normalize(shape, { ...document, ...typeMetaOf(subject) })
      return { object, compact: codec.encodeEnvelope(object, typeMetaOf(subject)).toString("base64") }
    })
    return { subject, objects }
  })
  const lines = asked.flatMap(({ subject, objects }) => [
    ...objects.map(({ object, compact }) => stringify({ json: object, compact })),
    stringify({ ...typeMetaOf(subject), random: runs, seed }),
  ])
  const { code, stderr, stdout } = await runCommand(join(programs ?? "", "store"), ["mirror"], { input: `${lines.join("\n")}\n` })
  expect(stderr).toBe("")
  expect(code).toBe(0)
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => asObject(parseJson(line).value))
    .values()
  const next = (): JsonObject => answers.next().value ?? expect.fail("Go answered fewer lines than it got")
  return new Map(
    asked.map(({ subject, objects }) => [subject, { sent: objects.map((one) => ({ ...one, answer: next() })), random: next() }]),
  )
}

function typeMetaOf({ apiVersion, kind }: Subject): { apiVersion: string; kind: string } {
  return { apiVersion, kind }
}
