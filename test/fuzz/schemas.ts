/**
 * Definitions for the fuzzer, and objects for them. Every root has the same named fields, so that expressions, columns
 * and paths mostly find them; the rest of a schema is drawn.
 */
import type { SeededRandom } from "../sim/world/random.ts"
import { nonEmpty } from "./objects.ts"
import { runOf } from "./texts.ts"

export const fuzzGroup = "fuzz.example.com"
const prefix = "x-kubernetes-"

type Json = Record<string, unknown>

const expressions = nonEmpty([
  "self.n < 100",
  "self.l.all(x, self.l.exists(y, x == y))",
  "self.l.map(x, x + x).map(x, x + x).filter(x, x.contains('a')).size() < 9",
  "self.o.all(x, x.k.matches('^[a-z0-9]*$') && x.v.all(y, y.size() < 99))",
  "self.o.map(x, x.v).size() == self.o.map(x, x.k).size()",
  "self.m.all(k, self.m[k] != k || k.startsWith('k'))",
  "self.s.matches(self.p)",
  "self.s.findAll(self.p).size() < 1000000",
  "self.s.split('').join('.').split('.').size() >= 0",
  "self.s.replace('a', self.s).replace('a', 'b', 3) != 'x'",
  "self.s.upperAscii().lowerAscii().trim().substring(0).indexOf('q') < 1",
  "'%s %d %x %.3f %e'.format([self.l, self.n, self.s, 1.5, 2.5]) != self.s",
  "isURL(self.s) ? url(self.s).getQuery().size() > 0 : true",
  "isQuantity(self.s) ? quantity(self.s).add(quantity('1Ei')).isGreaterThan(quantity('1')) : true",
  "duration(self.s) > duration('1s') || timestamp(self.s) < timestamp('2026-01-01T00:00:00Z')",
  "timestamp('2026-01-01T00:00:00Z').getHours(self.s) >= 0",
  "self.l.isSorted() || self.l.indexOf('a') == 1 || self.l.max() == self.l.min()",
  "sets.contains(self.l, self.l) && sets.intersects(self.l, self.l) && sets.equivalent(self.l, self.l)",
  "self.l == self.l + self.l || self.o == self.o || self.m == self.m",
  "self == oldSelf || self.o.size() >= oldSelf.o.size()",
  "optional.of(self.s).orValue('').size() >= 0 && self.?m['k'].hasValue()",
  "[self.l, self.l, self.l].all(a, [self.l].all(b, a == b))",
  "{'a': self.l, 'b': self.l}.all(k, self.l.size() > 0) && dyn(self).n == 1",
  "int(self.s) == self.n || double(self.s) > 1.0 || bytes(self.s) == b'a' || string(self.n) == self.s",
  "1 / (self.n - self.n) == 1",
  "self.o[0].v[100000].size() == self.n",
  "-9223372036854775807 - self.n < 9223372036854775807",
])
/** Refused, or nearly always too costly. */
const wildExpressions = [
  "self.zz == 1",
  "isIP(self.s) ? ip(self.s).family() == 4 : isCIDR(self.s) ? cidr(self.s).containsIP('10.0.0.1') : true",
  "self.l.all(x, self.l.all(y, self.l.all(z, x + y + z != 'q')))",
  "type(self.s) == string && has(self.any) && !has(self.q)",
  "self.l[self.n] == self.s",
]
const messages = nonEmpty(["'got ' + self.s", "self.l.join(', ')", "'x' + self.m['k1']", "self.s.replace('a', self.s)"])
const patterns = nonEmpty([
  "^a*$",
  "^(a+)+$",
  "(a|ab)(c|bcd)*d?e{0,900}",
  "[\\pL\\pN]{0,300}z",
  "(?i)^[^a-z]+(\\d{2,}|\\s*)*$",
  ".*.*.*.*.*=.*",
])
const wildPatterns = ["(x{0,1000}y){0,9}", "(", "\\C", "(?=a)b", "((x{0,1000}){0,1000}){0,1000}"]
const paths = nonEmpty([
  ".spec.n",
  ".spec.s",
  ".spec.l[*]",
  ".spec.o[?(@.k=='k1')].v",
  "..k",
  "..*..*",
  ".spec..*..*..*..*",
  ".metadata.creationTimestamp",
  ".spec.m",
  ".spec['s','n']",
  ".spec.l[-1:0:-1]",
  ".spec.o[?(@..k!=@..v)]",
  ".spec.m.k\\.1",
])
const wildPaths = ["{.spec", "[", "", `.spec${".a".repeat(5000)}`]

/** The random source of one definition, and its settings. */
interface Drawing extends SeededRandom {
  /** Draws forbidden content here and there. Other definitions are mostly accepted, so that objects can be made. */
  readonly isWild: boolean
  /** Draws rules. Other parts then limit the values that rules read, so that costs stay within their budget. */
  readonly hasRules: boolean
}

/** Whether to draw a feature that most schemas lack. */
function rarely(random: SeededRandom): boolean {
  return random.chance(0.15)
}

/** Whether to draw something that is refused. */
function wildly(random: Drawing): boolean {
  return random.isWild && random.chance(0.15)
}

function rulesOf(random: Drawing): Json {
  const many = random.chance(0.1) ? (random.isWild ? random.pick([60, 400, 1500]) : 20) : 1 + random.integer(3)
  const rules = Array.from({ length: many }, () => {
    const one = random.pick(random.isWild ? nonEmpty([...expressions, random.pick(nonEmpty(wildExpressions))]) : expressions)
    const repeated = random.chance(0.1)
      ? Array.from({ length: random.isWild ? random.pick([200, 2000]) : 5 }, () => `(${one})`).join(" || ")
      : one
    return {
      rule: wildly(random) ? runOf(random, 5000) : random.chance(0.1) ? nested(random, one) : repeated,
      ...(random.chance(0.3) && { message: "said" }),
      ...(random.chance(0.3) && { messageExpression: wildly(random) ? random.pick(["self.q", "1", "("]) : random.pick(messages) }),
      ...(random.chance(0.2) && { reason: random.pick(["FieldValueForbidden", wildly(random) ? "x" : "FieldValueDuplicate"]) }),
      ...(random.chance(0.2) && { fieldPath: wildly(random) ? random.pick([".o[0]", "."]) : random.pick([".n", ".m['k1']"]) }),
      ...(one.includes("oldSelf") && random.chance(0.5) && { optionalOldSelf: true }),
    }
  })
  return { [`${prefix}validations`]: rules }
}

/** Nests `inner` deeply, in one of the ways that parsers and checkers walk. */
function nested(random: Drawing, inner: string): string {
  if (!random.isWild) return "(".repeat(20) + inner + ")".repeat(20)
  const depth = random.pick([10, 31, 240, 5000])
  const [open, close] = random.pick([
    ["(", ")"],
    ["[", "].size() > 0"],
    ["!(", ")"],
    ["{'a': ", "}"],
    ["true ? ", " : false"],
    ["self.l.all(x, ", ")"],
  ] as [readonly [string, string], ...(readonly [string, string])[]])
  return open.repeat(depth) + inner + close.repeat(depth)
}

/** A limit that is sometimes there, so that costs of rules stay within their budget. */
function limited(random: Drawing, keyword: string): Json {
  if (!random.isWild && random.hasRules) return { [keyword]: 20 }
  const some = wildly(random) ? random.pick([-1, 1e300, 0]) : random.pick([5, 20, 1000, 100_000])
  return random.chance(0.6) ? { [keyword]: some } : {}
}

function textSchema(random: Drawing): Json {
  const format = random.pick([
    "uri",
    "email",
    "date-time",
    "ipv4",
    "cidr",
    "byte",
    "duration",
    "hostname",
    "uuid",
    "isbn",
    "creditcard",
    "x",
  ])
  const said = random.pick<Json>([
    {},
    {},
    {},
    { format },
    { pattern: patternOf(random) },
    { enum: Array.from({ length: random.pick([2, 20, 3000]) }, (_, index) => `v${index}`) },
    { default: wildly(random) ? "a".repeat(random.pick([10, 100_000])) : "v1" },
    { nullable: true },
  ])
  return { type: "string", ...limited(random, "maxLength"), ...said }
}

function numberSchema(random: Drawing): Json {
  return {
    type: random.pick(["integer", "number"]),
    ...(rarely(random) && { minimum: random.pick([0, -1e300, 2 ** 53]), exclusiveMinimum: random.chance(0.5) }),
    ...(rarely(random) && { multipleOf: wildly(random) ? random.pick([0, -1, 1e-300]) : random.pick([1, 0.1]) }),
    ...(wildly(random) && { default: random.pick<unknown>([1.5, null, "x", 1]) }),
  }
}

function listSchema(random: Drawing, depth: number): Json {
  const items = depth > 3 ? textSchema(random) : schemaOf(random, depth + 1)
  return {
    type: "array",
    ...limited(random, "maxItems"),
    items,
    ...(random.chance(0.3) && { [`${prefix}list-type`]: items["type"] === "string" || wildly(random) ? "set" : "atomic" }),
    ...(wildly(random) && { uniqueItems: true }),
    ...(wildly(random) && { default: Array.from({ length: random.pick([1, 500]) }, () => random.pick<unknown>([{}, "a", 1, null])) }),
  }
}

function patternOf(random: Drawing): string {
  return random.pick(wildly(random) ? nonEmpty(wildPatterns) : patterns)
}

function junctorsOf(random: Drawing, depth: number): Json {
  const count = random.pick([1, 2, 30, 300])
  const one = (index: number): Json => ({
    ...(depth < 3 && random.chance(0.3) ? junctorsOf(random, depth + 1) : {}),
    ...random.pick<Json>([
      { required: [`k${index % 7}`] },
      { properties: { s: { pattern: patternOf(random) }, n: { maximum: index } } },
      { properties: { l: { maxItems: index, items: { enum: ["a", `b${index}`] } } } },
      { not: { required: ["q"] } },
    ]),
  })
  return {
    [random.pick(["allOf", "anyOf", "oneOf"])]: Array.from({ length: Math.max(1, Math.floor(count / (1 + depth * 5))) }, (_, index) =>
      one(index),
    ),
    ...(rarely(random) && { not: one(1) }),
  }
}

function schemaOf(random: Drawing, depth: number): Json {
  const choice = depth > 8 ? random.integer(2) : random.integer(8)
  if (choice < 2) return textSchema(random)
  if (choice === 2) return numberSchema(random)
  if (choice === 3) return listSchema(random, depth)
  if (choice === 4) return { [`${prefix}int-or-string`]: true, ...(rarely(random) && { anyOf: [{ type: "integer" }, { type: "string" }] }) }
  if (choice === 5)
    return { type: "object", [`${prefix}preserve-unknown-fields`]: true, ...(rarely(random) && { [`${prefix}embedded-resource`]: true }) }
  if (choice === 6)
    return {
      type: "object",
      ...limited(random, "maxProperties"),
      additionalProperties: wildly(random) ? true : schemaOf(random, depth + 1),
    }
  return objectSchema(random, depth)
}

function objectSchema(random: Drawing, depth: number): Json {
  const count = random.chance(0.03) ? random.pick([300, 3000]) : random.integer(4)
  const fields = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`f${index}`, count > 100 ? textSchema(random) : schemaOf(random, depth + 1)]),
  )
  return {
    type: "object",
    properties: fields,
    ...(rarely(random) && { required: [random.pick(["f0", "f1", "q"])] }),
    ...(rarely(random) && { default: wildly(random) ? random.pick<unknown>([{ f0: {} }, { zz: 1 }, []]) : {} }),
    ...(rarely(random) && junctorsOf(random, 0)),
    ...(rarely(random) && { [`${prefix}map-type`]: random.pick(["atomic", "granular"]) }),
    ...(rarely(random) && { minProperties: 1 }),
  }
}

/** `.spec` of every kind. */
function specSchema(random: Drawing): Json {
  const key = { type: "string", maxLength: 30, ...(rarely(random) && { default: "k" }) }
  const item = { type: "object", required: ["k"], properties: { k: key, v: listSchema(random, 3), f: schemaOf(random, 3) } }
  const properties: Json = {
    s: textSchema(random),
    p: textSchema(random),
    n: { ...numberSchema(random), type: "integer" },
    l: { type: "array", ...limited(random, "maxItems"), items: { type: "string", ...limited(random, "maxLength") } },
    m: { type: "object", ...limited(random, "maxProperties"), additionalProperties: textSchema(random) },
    o: {
      type: "array",
      ...limited(random, "maxItems"),
      items: item,
      ...(random.chance(0.6) && { [`${prefix}list-type`]: "map", [`${prefix}list-map-keys`]: ["k"] }),
    },
    any: schemaOf(random, 1),
    deep: random.chance(random.isWild ? 0.03 : 0.1) ? deepSchema(random) : schemaOf(random, 1),
  }
  return {
    type: "object",
    properties,
    ...(random.hasRules && rulesOf(random)),
    ...(random.chance(0.2) && junctorsOf(random, 0)),
    ...((random.hasRules ? wildly(random) : random.chance(0.2)) && { default: {} }),
  }
}

function deepSchema(random: Drawing): Json {
  let schema: Json = textSchema(random)
  const byDefault = random.chance(0.3)
  for (let depth = random.isWild ? random.pick([260, 600]) : random.pick([20, 100, 115]); depth > 0; depth--) {
    schema = random.chance(0.3)
      ? { type: "array", items: schema }
      : { type: "object", properties: { d: schema }, ...(byDefault && { default: {} }) }
  }
  return schema
}

function versionOf(random: Drawing, name: string, storage: boolean): Json {
  const columns = random.chance(0.05) ? 2000 : random.integer(4)
  const root: Json = {
    type: "object",
    properties: {
      spec: specSchema(random),
      status: { type: "object", properties: { n: { type: "integer" }, s: { type: "string" } }, ...(wildly(random) && rulesOf(random)) },
    },
    ...(rarely(random) && { [`${prefix}preserve-unknown-fields`]: true }),
    ...(wildly(random) && rulesOf(random)),
  }
  return {
    name,
    served: !wildly(random),
    storage,
    ...(rarely(random) && { deprecated: true, deprecationWarning: wildly(random) ? "x".repeat(300) : "old" }),
    schema: { openAPIV3Schema: root },
    ...(random.chance(0.5) && { subresources: subresourcesOf(random) }),
    additionalPrinterColumns: Array.from({ length: columns }, (_, index) => ({
      name: `c${index}`,
      type: random.pick(["string", "integer", "number", "boolean", "date"]),
      jsonPath: random.pick(random.isWild ? nonEmpty([...paths, random.pick(nonEmpty(wildPaths))]) : paths),
    })),
    ...(rarely(random) && { selectableFields: [{ jsonPath: wildly(random) ? random.pick(paths) : ".spec.s" }] }),
  }
}

function subresourcesOf(random: Drawing): Json {
  const scale = {
    specReplicasPath: wildly(random) ? random.pick([".status.n", ".spec..n"]) : random.pick([".spec.n", ".spec.any.n"]),
    statusReplicasPath: random.pick([".status.n", ".status.s"]),
    labelSelectorPath: random.pick([".status.s", ".spec.s", ".status.n"]),
  }
  return { ...(random.chance(0.6) && { status: {} }), ...(random.chance(0.6) && { scale }) }
}

function conversionOf(random: Drawing): Json {
  if (random.chance(0.7)) return { strategy: "None" }
  const clientConfig = random.pick<Json>([
    { url: "https://127.0.0.1:1/refuses" },
    { url: `https://127.0.0.1:${agentPortWord}/lies` },
    { url: `https://127.0.0.1:${backendPortWord}/speaks-no-tls` },
    { url: "https://nowhere.invalid/x", caBundle: "AAAA" },
    { service: { namespace: "default", name: "none" } },
    wildly(random) ? {} : { url: "https://127.0.0.1:1/" },
  ])
  return {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: [wildly(random) ? "v9" : random.pick(["v1", "v1beta1"])], clientConfig },
  }
}

/** Words of bodies that the run replaces with the ports of the hostile backend. */
export const backendPortWord = "@backend@"
export const agentPortWord = "@agent@"

/** A definition of the kind with this number. */
export function definitionOf(seeded: SeededRandom, slot: number): Json {
  const random: Drawing = { ...seeded, isWild: seeded.chance(0.35), hasRules: seeded.chance(0.5) }
  const names = ["v1", "v2", "v1beta1"].slice(0, 1 + random.integer(3))
  const stored = random.integer(names.length)
  const conversion = conversionOf(random)
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${pluralOf(slot)}.${fuzzGroup}` },
    spec: {
      group: fuzzGroup,
      scope: "Namespaced",
      names: {
        plural: pluralOf(slot),
        kind: `Thing${slot}`,
        ...(rarely(random) && { shortNames: [`t${random.integer(3)}`], categories: ["all"] }),
      },
      versions: names.map((name, index) => versionOf(random, name, index === stored)),
      conversion,
    },
  }
}

export function pluralOf(slot: number): string {
  return `things${slot}`
}

/** An object for the kinds of `definitionOf`. `width`: of one of its lists. */
export function customObject(random: SeededRandom, at: { readonly slot: number; readonly version: string; readonly name: string }): Json {
  const width = random.pick([0, 2, 2, 50, 1000, 20_000])
  const wide = random.pick(["l", "m", "o", "v", "s"])
  const size = (field: string): number => (field === wide ? width : random.integer(3))
  const text = (index: number): string => random.pick([`v${index}`, "a", "10.0.0.1", "https://a/b?c=d", "1Gi", "1h", "^a*$", ""])
  const spec: Json = {
    s: wide === "s" ? runOf(random, Math.max(1, width * 10)) : text(0),
    p: random.pick(patterns),
    n: random.pick<unknown>([1, 0, -1, 2 ** 40, 1.5, null, "1"]),
    l: Array.from({ length: size("l") }, (_, index) => (width > 1000 ? `v${index}` : text(index))),
    m: Object.fromEntries(Array.from({ length: size("m") }, (_, index) => [`k${index}`, `v${index}`])),
    o: Array.from({ length: size("o") }, (_, index) => ({
      k: random.chance(0.01) ? "k0" : `k${index}`,
      ...(random.chance(0.7) && { v: Array.from({ length: size("v") % 3000 }, (_each, inner) => `v${inner % 9}`) }),
      ...(rarely(random) && { f: valueOf(random, 4) }),
    })),
    any: valueOf(random, 0),
    deep: random.chance(0.1) ? deepValue(random) : valueOf(random, 0),
    ...(random.chance(0.1) && Object.fromEntries(Array.from({ length: random.pick([1, 5000]) }, (_, index) => [`unknown${index}`, {}]))),
  }
  for (const field of Object.keys(spec)) if (random.chance(0.2)) delete spec[field]
  return {
    apiVersion: `${fuzzGroup}/${at.version}`,
    kind: `Thing${at.slot}`,
    metadata: { name: at.name, ...(rarely(random) && { labels: { a: "b" }, finalizers: ["a/b"] }) },
    ...(!rarely(random) && { spec }),
    ...(random.chance(0.3) && { status: { n: random.pick<unknown>([1, "x"]), s: "a=b" } }),
  }
}

function valueOf(random: SeededRandom, depth: number): unknown {
  const choice = depth > 6 ? random.integer(4) : random.integer(7)
  if (choice === 0) return random.pick(["a", "v1", "", "x".repeat(50)])
  if (choice === 1) return random.pick([1, 0.5, -1, 1e308])
  if (choice === 2) return random.pick([null, true, false])
  if (choice === 3) return { apiVersion: "v1", kind: "X", metadata: { name: "x", labels: random.pick<unknown>([{}, 1, { a: 1 }]) } }
  if (choice === 4) return Array.from({ length: random.pick([1, 3, 200]) % (1 + 400 / (1 + depth * 20)) }, () => valueOf(random, depth + 1))
  return Object.fromEntries(Array.from({ length: random.integer(4) }, (_, index) => [`f${index}`, valueOf(random, depth + 1)]))
}

function deepValue(random: SeededRandom): unknown {
  let value: unknown = "a"
  for (let depth = random.pick([20, 100, 245, 900]); depth > 0; depth--) value = random.chance(0.3) ? [value] : { d: value }
  return value
}
