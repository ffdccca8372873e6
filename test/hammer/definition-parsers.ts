/** Functions that read texts of definitions, of their expressions, and of custom objects. */
import { Environment, optionalLibrary, stringType, tokenize } from "../../cel/index.ts"
import { latestMinor, librariesOf } from "../../cel/libraries/index.ts"
import { parseAddress, parseRange } from "../../cel/libraries/address.ts"
import { ipOf } from "../../cel/libraries/ip.ts"
import { isUrl, parseUrl, queryOf, urlText } from "../../cel/libraries/url.ts"
import { escapeName, unescapeName } from "../../cel/schema/escape.ts"
import { readDate, readDateTime, readDuration } from "../../cel/schema/time-text.ts"
import { parseTimestamp } from "../../cel/values/timestamp-text.ts"
import { zoneOffset } from "../../cel/values/zone.ts"
import { Failures } from "../../runtime/base/failure.ts"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { patternOf } from "../../runtime/base/pattern.ts"
import { patternSize } from "../../runtime/base/pattern-size.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { checkDefinition } from "../../runtime/definitions/check/check-definition.ts"
import { parseRequestUrl, parseUrl as parseHookUrl } from "../../runtime/definitions/check/go-url.ts"
import { findField } from "../../runtime/definitions/field-path.ts"
import { costPerCallMax } from "../../runtime/definitions/limits.ts"
import { columnsOfDefinition } from "../../runtime/definitions/objects/columns.ts"
import { isEmail } from "../../runtime/definitions/objects/email.ts"
import { formatTest } from "../../runtime/definitions/objects/formats.ts"
import { parsePath } from "../../runtime/definitions/objects/jsonpath/parse.ts"
import { unquote } from "../../runtime/definitions/objects/jsonpath/quoted.ts"
import { scaleSteps } from "../../runtime/definitions/objects/scale.ts"
import { selectableFieldsOf } from "../../runtime/definitions/objects/selectable.ts"
import { validateObject } from "../../runtime/definitions/objects/validate.ts"
import { compileExpression } from "../../runtime/definitions/rules/environments.ts"
import { structuralOf } from "../../runtime/definitions/structural.ts"
import { each, type Parser } from "./parser.ts"

const vendor = vendorProfile("kubernetes")

/** The reference compiles expressions of up to 100,000 code points; half of them reveal slow code as well. */
const expressionCharacters = 50_000

const self = { self: stringType, oldSelf: stringType }
const environment = new Environment({ libraries: [optionalLibrary, ...librariesOf(latestMinor)], variables: { self: stringType } })

/** Compiled here, evaluated over each text as a rule is. */
function evaluating(source: string): (text: string) => unknown {
  const compiled = environment.compile(source)
  if (!("program" in compiled)) throw new Error(`${source}: ${JSON.stringify(compiled)}`)
  return (text) => compiled.program.evaluate({ self: text }, { costLimit: costPerCallMax })
}

const conversions = ["int", "uint", "double", "bytes", "bool", "duration", "timestamp"].map((name) => `${name}(self) == ${name}(self)`)
const strings = [
  "self.split('').size() == 0 || self.split(' ', 3).size() == 0 || self.split(self).join(self) == ''",
  "self.replace('a', self).size() == 0 || self.replace('', 'ab').size() == 0 || self.replace(self, 'a', 2) == 'a'",
  "self.indexOf('!') == self.lastIndexOf('!') || self.indexOf(self) == 1 || self.charAt(9) == 'a'",
  "self.substring(1).trim() == self.lowerAscii() || self.upperAscii() == self.substring(2, 5)",
  "strings.quote(self) == self || self.format([]) == self || '%s %d'.format([self, 5]) == self",
  "self.format([1, 1.5, 'a', b'a', [1], {'a': 1}, true, null]) == ''",
  "self.contains(self + 'a') || self.startsWith(self) || (self + self).endsWith(self) || self < self || self.size() == 1",
]
const regexes = ["self.matches(self)", "self.matches('(a|[^a])*b')", "self.find('(.*a)*') == self.findAll('[^a]*?b')[0]"]
const networks = [
  "isIP(self) || ip.isCanonical(self)",
  "isCIDR(self)",
  "isURL(self) && url(self).getQuery().size() + url(self).getEscapedPath().size() + url(self).getHostname().size() == 0",
]
const amounts = ["isQuantity(self) && quantity(self).add(quantity(self)).isGreaterThan(quantity(self).sub(1))"]
const times = [
  "timestamp('2026-01-02T03:04:05Z').getHours(self) == 1 || timestamp(self).getFullYear() == 1",
  "duration(self).getHours() == 1",
]

const formats = [
  ...["bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5", "isbn", "isbn10"],
  ...["isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date", "duration", "date-time", "datetime"],
]

/** A definition that has the text in every place where definitions have one. */
function definitionOf(text: string): JsonObject {
  const names = { plural: text, singular: text, kind: text, listKind: text, shortNames: [text, text], categories: [text] }
  const expression = text.slice(0, expressionCharacters)
  const rule = { rule: expression, message: text, messageExpression: expression, reason: text, fieldPath: text }
  const of: JsonObject = {
    pattern: text.slice(0, 1000),
    format: text,
    title: text,
    description: text,
    enum: [text],
    default: text,
    required: [text],
  }
  const keys = { "x-kubernetes-list-type": text, "x-kubernetes-list-map-keys": [text, text], "x-kubernetes-map-type": text }
  const properties: JsonObject = {
    text: { type: "string", ...of, "x-kubernetes-validations": [rule] },
    [text]: { type: "array", items: { type: "object", properties: { [text]: { type: text } } }, ...keys },
  }
  const version: JsonObject = {
    name: text,
    served: true,
    storage: true,
    deprecated: true,
    deprecationWarning: text,
    schema: { openAPIV3Schema: { type: "object", properties } },
    subresources: { status: {}, scale: { specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text } },
    additionalPrinterColumns: [{ name: text, type: text, format: text, jsonPath: text, description: text }],
    selectableFields: [{ jsonPath: text }],
  }
  const clientConfig = { url: text, caBundle: text, service: { namespace: text, name: text, path: text } }
  const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: [text], clientConfig } }
  return {
    metadata: { name: text, annotations: { "api-approved.kubernetes.io": text } },
    spec: { group: text, scope: text, names, versions: [version], conversion },
    status: { storedVersions: [text], acceptedNames: names, conditions: [] },
  }
}

/** An object that has a text in each of its fields. It exceeds some of the limits, so that the failures show it. */
function checkedAsObject(text: string): void {
  const properties: JsonObject = {
    long: { type: "string", maxLength: 3 },
    listed: { type: "string", enum: ["a", "b"] },
    matched: { type: "string", pattern: "^([^b]|a)*c$" },
    number: { type: "integer" },
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ...Object.fromEntries(formats.map((format): [string, JsonValue] => [format, { type: "string", format }])),
  }
  const object = Object.fromEntries(Object.keys(properties).map((name) => [name, name === "set" ? [text, text] : text]))
  validateObject({ ...object, [text]: text }, structuralOf({ type: "object", properties }, vendor.extensionPrefix), new Failures())
}

const below = "definitions/"

export const definitionParsers: Readonly<Record<string, Parser>> = {
  "patterns of definitions": {
    covers: ["base/pattern-size.ts#patternSize", "base/pattern.ts#patternOf", "cel/standard/text.ts#isPattern"],
    read: each(patternSize, patternOf, (text) => patternOf(text.slice(0, 19_000))),
    shapes: [
      ["[", ""],
      ["(?i)[", "]"],
    ],
    units: ["[:", "\\p{", "\\Q", "(?", "(?:", "x{1,", "[^]", "\\x{", "a-\\x{10ffff}", "(?P<a>", "[[:alpha:]", "|", "\\pL"],
  },
  definition: {
    covers: [
      ...[
        "check/names.ts#checkGroup",
        "check/names.ts#checkOneOf",
        "check/structure.ts#patternFault",
        "check/approval.ts#isProtectedGroup",
      ].map((one) => below + one),
    ],
    read: each((text) => checkDefinition(definitionOf(text), new Failures(), { vendor })),
    shapes: [
      [".", ""],
      ["https://", "/"],
    ],
  },
  "paths of columns and fields": {
    covers: [
      "objects/jsonpath/parse.ts#parsePath",
      "objects/jsonpath/quoted.ts#unquote",
      "objects/scale.ts#scaleSteps",
      "field-path.ts#findField",
    ].map((one) => below + one),
    read: each(
      parsePath,
      (text) => parsePath(text.slice(0, 16_000)),
      unquote,
      scaleSteps,
      (text) => findField(text, {}, true, () => ({ property: true, schema: {} })),
      (text) => columnsOfDefinition([{ name: text, jsonPath: text.slice(0, 16_000) }]),
      (text) => selectableFieldsOf([{ jsonPath: text }]),
    ),
    shapes: [
      [".a[?(", ")]"],
      [".a['", "']"],
      ["'", "'"],
      ['"', '"'],
    ],
    units: ["[?(@", ".a", "..a", "['a']", "[a,", "['a',", "{.", "}{", "[?(@.a==", "\\'", "[0:", "*.", "\\u00"],
  },
  "addresses of hooks": {
    covers: ["check/go-url.ts#parseUrl", "check/go-url.ts#parseRequestUrl"].map((one) => below + one),
    read: each(parseHookUrl, parseRequestUrl),
    shapes: [
      ["https://", "/"],
      ["https://[", "]"],
      ["https://a", "@b"],
    ],
  },
  "formats of definitions": {
    covers: ["objects/email.ts#isEmail", "objects/formats.ts#formatTest"].map((one) => below + one),
    read: each(formatTest, isEmail, checkedAsObject, ...formats.map((name) => formatTest(name) ?? (() => false))),
    shapes: [
      ["a@", ".b"],
      ['"', '"@b'],
      ["<a@b", ">"],
      ["https://[", "]"],
      ["2026-01-02T03:04:05.", "Z"],
      ["1h", "s"],
    ],
    units: ["a.", "(a", "<a", "a@", '\\"', "=?", "1h"],
  },
  "source of expressions": {
    covers: ["definitions/rules/environments.ts#compileExpression", "cel/syntax/lexer.ts#tokenize"],
    read: each(
      (text) => tokenize(text, () => {}),
      (text) => compileExpression(text, self, "stored"),
      (text) => compileExpression(text.slice(0, expressionCharacters), self, "stored"),
    ),
    units: ["a.b()", "[a,", "{a:", "a?b:", "!-", "a&&b||", "1+", "'a'+", "r'", "[?a,", "self.size()+", "x.all(x,", "(a)", "()"],
  },
  "texts of expressions": {
    covers: [
      ...[
        "charAt",
        "indexOf",
        "lastIndexOf",
        "substring",
        "substringBetween",
        "replace",
        "split",
        "lowerAscii",
        "upperAscii",
        "trim",
        "quote",
      ].map((name) => `cel/libraries/texts.ts#${name}`),
      ...["countCodePoints", "unitOffset", "codePointIndex", "sliceCodePoints", "codePointsOf"].map(
        (name) => `cel/libraries/code-points.ts#${name}`,
      ),
      ...[
        "libraries/format-text.ts#formatText",
        "values/compare.ts#compareTexts",
        "values/size.ts#codePoints",
        "standard/search.ts#searched",
      ].map((one) => `cel/${one}`),
      ...["chargeText", "chargeSearch"].map((name) => `cel/work.ts#${name}`),
    ],
    read: each(...[...strings, ...regexes, ...conversions].map(evaluating)),
    shapes: [
      ["%.", "d"],
      ["%", ""],
    ],
    units: ["%s", "%.9", "%%", "a%", "%d%"],
  },
  "addresses of expressions": {
    covers: ["address.ts#parseAddress", "address.ts#parseRange", "ip.ts#ipOf", "url.ts#parseUrl", "url.ts#isUrl"].map(
      (one) => `cel/libraries/${one}`,
    ),
    read: each(
      ...[parseAddress, parseRange, ipOf, isUrl],
      (text) => {
        const url = parseUrl(text)
        return [urlText(url), queryOf(url)]
      },
      ...networks.map(evaluating),
    ),
    shapes: [
      ["https://a/", "?b"],
      ["https://a/b?", "=c"],
      ["https://[", "]:80"],
      ["https://", "@a"],
    ],
    units: ["a=b&", "%41", "1.", "::", "ab:"],
  },
  "amounts and times of expressions": {
    covers: [
      ...[
        "escape.ts#escapeName",
        "escape.ts#unescapeName",
        "time-text.ts#readDateTime",
        "time-text.ts#readDate",
        "time-text.ts#readDuration",
      ].map((one) => `cel/schema/${one}`),
      ...["cel/values/timestamp-text.ts#parseTimestamp", "cel/values/zone.ts#zoneOffset"],
    ],
    read: each(
      ...[escapeName, unescapeName, readDateTime, readDate, readDuration, parseTimestamp],
      (text) => zoneOffset(text, 0),
      ...[...amounts, ...times].map(evaluating),
    ),
    shapes: [
      ["1", "Gi"],
      ["1h", "s"],
      ["2026-01-02T03:04:05.", "Z"],
      ["__", "__"],
    ],
    units: ["1h", "__dot__", "1.", "::"],
  },
}

/** Exported functions of these folders that read only texts of the product: names, words of failures, types. */
export const ownTextsOfDefinitions: readonly string[] = [
  ...["costText"].map((name) => `definitions/check/rule-costs.ts#${name}`),
  ...["reviewText", "typeText"].map((name) => `definitions/conversion/review.ts#${name}`),
  "definitions/extensions.ts#extensionsOf",
  ...["wrongType", "missing", "tooLong", "tooShort", "noMatch", "aboveMaximum", "belowMinimum", "noMultiple", "factorNotPositive"].map(
    (name) => `definitions/objects/faults.ts#${name}`,
  ),
  ...["tooMany", "tooFewItems", "tooFewProperties", "notListed", "noneOfAny", "notExactlyOne", "notAll", "forbiddenSchema"].map(
    (name) => `definitions/objects/faults.ts#${name}`,
  ),
  "definitions/objects/prune.ts#isMetaField",
  "cel/types/type.ts#lazyObjectType",
  "definitions/objects/shape.ts#shapeOfDefinition",
  ...[
    "cost/runtime.ts#standardCost",
    "libraries/costs.ts#costOf",
    "libraries/format-clauses.ts#clauseOf",
    "standard/arithmetic.ts#unsupported",
  ].map((one) => `cel/${one}`),
  ...["opaqueType", "paramType", "objectType"].map((name) => `cel/types/type.ts#${name}`),
  ...["errorOf", "noSuchOverload"].map((name) => `cel/values/error.ts#${name}`),
]
