/**
 * Every function of the product that reads text from clients, nodes or pods. A new one that is not listed fails
 * `hammer.test.ts`.
 */
import { compareBytes, hasSurrogate } from "../../runtime/base/byte-order.ts"
import { withoutSecrets } from "../../runtime/base/confidential.ts"
import { atOnce } from "../../runtime/base/turns.ts"
import { chainFault } from "../../runtime/behaviours/certificates/chain.ts"
import { pemBlocks } from "../../runtime/encoding/pem.ts"
import { requestFault } from "../../runtime/behaviours/certificates/request.ts"
import {
  containerResourceFaults,
  isExtendedResource,
  isQuotaResource,
  isWholeResource,
  mayOvercommit,
  quotaResourceFaults,
  resourceNameFaults,
} from "../../runtime/behaviours/content/quota-resources.ts"
import { readPolicy } from "../../runtime/audit/read-policy.ts"
import { canonicalElement, elementText, fieldElement, shortElementText } from "../../runtime/apply/ownership/field-set-element.ts"
import { sharedSet } from "../../runtime/apply/ownership/shared-sets.ts"
import { pointerSteps } from "../../runtime/apply/json-patch.ts"
import { decodeOptions } from "../../runtime/connect/query-options.ts"
import { canonicalBase64 } from "../../runtime/encoding/canonical.ts"
import { cronFault } from "../../runtime/schema/cron.ts"
import { parseDuration } from "../../runtime/base/duration.ts"
import * as expression from "../../runtime/schema/expression.ts"
import * as expressionFormats from "../../runtime/schema/expression-formats.ts"
import { readLiteral } from "../../runtime/query/field-key.ts"
import { parseFieldQuery } from "../../runtime/query/field-query.ts"
import { readFieldSteps } from "../../runtime/query/field-reference.ts"
import { checkFormat, formatNames } from "../../runtime/schema/formats.ts"
import { canonicalIpv6, parseCidr, parseIp, strictIpFault } from "../../runtime/base/ip-address.ts"
import { isSafeForJsonParse, parsePlain, parseUntracked } from "../../runtime/encoding/json/built-in.ts"
import { endOfObject } from "../../runtime/encoding/json/end-of-object.ts"
import { parseJson } from "../../runtime/encoding/json/text.ts"
import { integer64 } from "../../runtime/query/label-test.ts"
import {
  dns1035LabelFaults,
  dnsLabelFaults,
  dnsSubdomainFaults,
  labelValueFaults,
  longerThan,
  nameFaults,
  pathSegmentFaults,
  qualifiedNameFaults,
  wildcardSubdomainFaults,
} from "../../runtime/schema/names.ts"
import { domainPrefixedPathFaults, signerNameFaults } from "../../runtime/schema/prefixed-names.ts"
import { nearest } from "../../runtime/base/nearest.ts"
import { decimalOf, int64Of, uint64Of } from "../../runtime/base/number-text.ts"
import { detachString } from "../../runtime/base/own-text.ts"
import { parseQuantity } from "../../runtime/base/quantity.ts"
import { checkAmount } from "../../runtime/behaviours/content/basic-amount.ts"
import { fractionWarnings } from "../../runtime/behaviours/content/claim-warnings.ts"
import type { CheckContext } from "../../runtime/schema/validate.ts"
import { cut, quoted } from "../../runtime/base/quote.ts"
import { parseRequirements } from "../../runtime/query/selector-syntax.ts"
import { parseFieldSelector, parseLabelSelector } from "../../runtime/query/selector.ts"
import type { TypeShape } from "../../runtime/schema/shape.ts"
import { parseSortQuery } from "../../runtime/query/sort-query.ts"
import { canonicalMicroTime, canonicalTime, parseInstant } from "../../runtime/base/time.ts"
import { isWhole } from "../../runtime/behaviours/checks/quota-status.ts"
import { trimmed, trimmedEnd, trimmedStart } from "../../runtime/base/trim.ts"
import { duplicateFieldText, parsingTypedJson, unknownFieldText } from "../../runtime/encoding/json/typed.ts"
import { booleanParameter, integerParameter, parseQuery, textParameter } from "../../runtime/http/request/query.ts"
import { validateManager } from "../../runtime/registry/object-meta.ts"
import { ContinueTokens } from "../../runtime/registry/continue-token.ts"
import { parseRevision } from "../../runtime/registry/read.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { readDeleteOptions } from "../../runtime/verbs/delete-options.ts"
import { wantsExtendedSyntax } from "../../runtime/verbs/list/list-extensions.ts"
import { getFreshness, listFreshness, readListOptions } from "../../runtime/verbs/list/list-options.ts"
import { readWriteOptions } from "../../runtime/verbs/write-options.ts"
import { storagePathOfKey } from "../../runtime/wire/convert.ts"
import { isKnownKind } from "../../runtime/wire/known-kinds.ts"
import { warningHeaders } from "../../runtime/wire/send.ts"
import { readIncludeObject } from "../../runtime/wire/table.ts"
import { parseYamlFile } from "../../runtime/base/yaml-file.ts"
import { parseYaml } from "../../runtime/wire/yaml.ts"
import { jsonPatchFault, patchFault } from "../../runtime/apply/patch-fault.ts"
import { FieldPath } from "../../runtime/encoding/field-path.ts"
import { Failures } from "../../runtime/base/failure.ts"
import { accessParsers } from "./access-parsers.ts"
import { definitionParsers } from "./definition-parsers.ts"
import { headParsers } from "./head-parsers.ts"
import { each, type Parser } from "./parser.ts"

const vendor = vendorProfile("kubernetes")
/** Wide enough for the texts to reach the built-in parser. */
const wideBounds = { maxDepth: 1000, maxValues: 1_000_000 }
const anyField = (): undefined => undefined
const shape: TypeShape = {
  name: "test.Thing",
  fields: [
    { name: "text", type: { scalar: "string" } },
    { name: "number", type: { scalar: "int64" } },
    { name: "amount", type: { scalar: "Quantity" } },
    { name: "since", type: { scalar: "Time" } },
    { name: "flag", type: { scalar: "boolean" } },
    { name: "texts", type: { list: { scalar: "string" } } },
  ],
}
const tokens = new ContinueTokens(Buffer.from("secret"))

/** For each name, a query with `text` as the value of that parameter. */
function queries(text: string, ...names: readonly string[]): URLSearchParams[] {
  return names.map((name) => new URLSearchParams([[name, text]]))
}

export const parsers: Readonly<Record<string, Parser>> = {
  ...accessParsers,
  ...definitionParsers,
  ...headParsers,
  certificates: {
    covers: ["behaviours/certificates/chain.ts#chainFault", "encoding/pem.ts#pemBlocks", "behaviours/certificates/request.ts#requestFault"],
    read: each(pemBlocks, requestFault, chainFault),
    shapes: [
      ["-----BEGIN CERTIFICATE REQUEST-----\n", "\n-----END CERTIFICATE REQUEST-----\n"],
      ["-----BEGIN CERTIFICATE-----\n", "\n-----END X-----\n"],
      ["-----BEGIN ", "-----END "],
    ],
  },
  "audit policy": {
    covers: ["audit/read-policy.ts#readPolicy"],
    read: each((text) => readPolicy(text, vendor)),
    shapes: [
      ["apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n", "- {level: x}\n"],
      ["apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, nonResourceURLs: [/", "*]}]"],
    ],
  },
  "names of resources in quotas": {
    covers: [
      "behaviours/content/quota-resources.ts#containerResourceFaults",
      "behaviours/content/quota-resources.ts#isExtendedResource",
      "behaviours/content/quota-resources.ts#isQuotaResource",
      "behaviours/content/quota-resources.ts#isWholeResource",
      "behaviours/content/quota-resources.ts#mayOvercommit",
      "behaviours/content/quota-resources.ts#quotaResourceFaults",
      "behaviours/content/quota-resources.ts#resourceNameFaults",
    ],
    read: each(
      resourceNameFaults,
      quotaResourceFaults,
      isQuotaResource,
      (name) => containerResourceFaults(name, vendor),
      (name) => isExtendedResource(name, vendor),
      (name) => isWholeResource(name, vendor),
      (name) => mayOvercommit(name, vendor),
    ),
  },
  query: {
    covers: [
      ...["booleanParameter", "integerParameter", "textParameter"].map((name) => `http/request/query.ts#${name}`),
      ...["getFreshness", "readListOptions", "listFreshness"].map((name) => `verbs/list/list-options.ts#${name}`),
      ...["verbs/list/list-extensions.ts#wantsExtendedSyntax", "verbs/write-options.ts#readWriteOptions"],
      ...["verbs/delete-options.ts#readDeleteOptions", "wire/table.ts#readIncludeObject", "connect/query-options.ts#decodeOptions"],
      "wire/known-kinds.ts#isKnownKind",
      ...["registry/read.ts#parseRevision", "registry/object-meta.ts#validateManager"],
    ],
    read: each(
      parseQuery,
      (text) => parseQuery(text.replaceAll("a", "&a=")),
      (text) => decodeOptions(parseQuery(`texts=${text.replaceAll("&", "&texts=")}`), shape),
      (text) => queries(text, "a").map((query) => [booleanParameter(query, "a"), textParameter(query, "a"), integerParameter(query, "a")]),
      (text) => queries(text, "text", "number", "since", "flag", "texts").map((query) => decodeOptions(query, shape)),
      (text) => queries(text, "limit").map((query) => readListOptions(query, { watch: false, watchList: false })),
      (text) => queries(text, "timeoutSeconds").map((query) => readListOptions(query, { watch: true, watchList: false })),
      (text) => queries(text, "resourceVersionMatch").map((query) => readListOptions(query, { watch: true, watchList: false })),
      (text) => queries(text, "resourceVersion").map((query) => listFreshness(readListOptions(query, { watch: false, watchList: false }))),
      (text) => queries(text, "resourceVersion").map(getFreshness),
      (text) => queries(text, "fieldSelectorSyntax").map(wantsExtendedSyntax),
      (text) => queries(text, "dryRun").map((query) => readWriteOptions(query, "CreateOptions")),
      (text) => queries(text, "fieldManager").map((query) => readWriteOptions(query, "apply")),
      (text) => queries(text, "fieldValidation").map((query) => readWriteOptions(query, "UpdateOptions")),
      (text) => queries(text, "gracePeriodSeconds").map((query) => readDeleteOptions(query, undefined)),
      (text) => queries(text, "propagationPolicy").map((query) => readDeleteOptions(query, undefined)),
      (text) => queries(text, "uid").map((query) => readDeleteOptions(query, { preconditions: { uid: "x" } })),
      (text) => queries(text, "includeObject").map(readIncludeObject),
      parseRevision,
      (text) => isKnownKind(text, text, () => false),
      (text) => validateManager(text, FieldPath.of("fieldManager"), new Failures()),
    ),
  },
  labelSelector: {
    covers: ["query/selector.ts#parseLabelSelector", "query/selector-syntax.ts#parseRequirements", "query/label-test.ts#integer64"],
    read: each((text) => parseLabelSelector(text).matches({ a: "b" }), parseRequirements, integer64),
    shapes: [
      ["a in (", ")"],
      ["a=b,", "!"],
      ["!a,a", ""],
    ],
  },
  fieldSelector: {
    covers: ["query/selector.ts#parseFieldSelector"],
    read: each(
      (text) => parseFieldSelector(text, anyField).matches(() => "x"),
      (text) => parseFieldQuery({ parameter: "fieldSelector", text, shape, selectable: new Set() }),
    ),
    shapes: [
      ["a=", "="],
      ["text in (", ")"],
      ["text['", "']"],
      ["number in (1", "x)"],
      ["amount=", ""],
    ],
  },
  sortBy: {
    covers: ["query/field-reference.ts#readFieldSteps", "query/sort-query.ts#parseSortQuery", "base/nearest.ts#nearest"],
    read: each(
      (text) => parseSortQuery({ parameter: "sortBy", text, shape }),
      (text) => readFieldSteps({ parameter: "sortBy", text, at: 0, stops: "," }),
      (text) => nearest(text, ["text", "number"]),
    ),
    shapes: [
      ["{.", "}"],
      ["text[", "]"],
      ["text['", "']"],
      [".", ","],
    ],
  },
  continue: { covers: [], read: each((text) => tokens.decode(text, "scope")) },
  patch: {
    covers: ["apply/json-patch.ts#pointerSteps", "apply/patch-fault.ts#patchFault", "apply/patch-fault.ts#jsonPatchFault"],
    read: each(pointerSteps, patchFault, jsonPatchFault),
    shapes: [["/", ""]],
  },
  fieldsV1: {
    covers: [
      ...["fieldElement", "canonicalElement", "elementText", "shortElementText", "hasSurrogate"].map(
        (name) => `apply/ownership/field-set-element.ts#${name}`,
      ),
      "apply/ownership/shared-sets.ts#sharedSet",
    ],
    read: each(fieldElement, canonicalElement, elementText, shortElementText, sharedSet),
    shapes: [
      ["f:", ""],
      ["k:", ""],
      ["v:", ""],
      ['k:{"a":"', '"}'],
      ["i:", "x"],
    ],
  },
  name: {
    covers: [
      ...["longerThan", "dnsLabelFaults", "dnsSubdomainFaults", "dns1035LabelFaults", "wildcardSubdomainFaults"].map(
        (name) => `schema/names.ts#${name}`,
      ),
      ...["qualifiedNameFaults", "labelValueFaults", "pathSegmentFaults", "nameFaults"].map((name) => `schema/names.ts#${name}`),
      ...["signerNameFaults", "domainPrefixedPathFaults"].map((name) => `schema/prefixed-names.ts#${name}`),
    ],
    read: each(
      ...[dnsLabelFaults, dnsSubdomainFaults, dns1035LabelFaults, wildcardSubdomainFaults, qualifiedNameFaults, labelValueFaults],
      ...[signerNameFaults, domainPrefixedPathFaults],
      (text) => [pathSegmentFaults(text), longerThan(text, 63), nameFaults(text, "dns-subdomain", true)],
    ),
    shapes: [
      ["a.b/", "!"],
      ["*.a", "!"],
    ],
  },
  ...Object.fromEntries(
    formatNames.map((format): [string, Parser] => [`format ${format}`, { covers: [], read: each((text) => checkFormat(format, text)) }]),
  ),
  amount: {
    covers: [
      ...["base/duration.ts#parseDuration", "query/field-key.ts#readLiteral"],
      ...["base/number-text.ts#int64Of", "base/number-text.ts#uint64Of", "base/number-text.ts#decimalOf"],
      "behaviours/checks/quota-status.ts#isWhole",
      ...["behaviours/content/basic-amount.ts#checkAmount", "behaviours/content/claim-warnings.ts#fractionWarnings"],
    ],
    read: each(
      ...[parseQuantity, isWhole, parseDuration, int64Of, uint64Of, decimalOf],
      (text) => checkAmount(text, "at", { fail: () => undefined } as unknown as CheckContext<unknown>), // Calls that alone.
      (text) => fractionWarnings(text, "at"),
      (text) => parseQuantity(text.slice(0, 1024)),
      ...(["any", "int64", "Quantity", "Duration", "Time", "MicroTime", "boolean", "string"] as const).flatMap((scalar) => [
        (text: string) => readLiteral(text, scalar),
        (text: string) => readLiteral(text.slice(0, 1100), scalar),
      ]),
    ),
    shapes: [
      ["1", "m"],
      ["1.", "x"],
      ["1e", ""],
      ["-0", "1"],
    ],
  },
  time: {
    covers: ["base/time.ts#parseInstant", "base/time.ts#canonicalTime", "base/time.ts#canonicalMicroTime"],
    read: each(parseInstant, canonicalTime, canonicalMicroTime),
    shapes: [["2006-01-02T15:04:05.", "Z"]],
  },
  address: {
    covers: ["parseIp", "parseCidr", "strictIpFault", "canonicalIpv6"].map((name) => `base/ip-address.ts#${name}`),
    read: each(parseIp, parseCidr, strictIpFault, canonicalIpv6),
    shapes: [
      ["1.2.3.4/", ""],
      ["::", ":"],
    ],
  },
  schedule: {
    covers: ["schema/cron.ts#cronFault"],
    read: each(cronFault),
    shapes: [
      ["* * * * ", ""],
      ["@every ", ""],
    ],
  },
  base64: { covers: ["encoding/canonical.ts#canonicalBase64"], read: each(canonicalBase64), shapes: [["YQ==", "="]] },
  expression: {
    covers: ["schema/expression.ts#characterCount", "schema/expression.ts#compilePattern", "schema/expression-formats.ts#isFormat"],
    read: each(
      ...[expression.lowerAscii, expression.trim, expression.int, expression.double, expression.quantity, expression.time],
      ...[
        expressionFormats.isIP,
        expressionFormats.isIPv4,
        expressionFormats.isIPv6,
        expressionFormats.isCIDR,
        expressionFormats.imageTag,
        expression.text,
      ],
      (text) => expression.split(text, "/"),
      (text) => expression.matches(text, "^([a-z]+[0-9]*)*$"),
      (text) => expression.matches("x", text.slice(0, 1000)),
    ),
  },
  JSON: {
    covers: [
      "encoding/json/end-of-object.ts#endOfObject",
      "encoding/json/text.ts#parseJson",
      "encoding/json/text.ts#parsingJson",
      "encoding/json/text.ts#parseJsonCounted",
      "encoding/json/typed.ts#parsingTypedJson",
      "encoding/json/built-in.ts#isSafeForJsonParse",
      "encoding/json/built-in.ts#parseUntracked",
      "encoding/json/built-in.ts#parsePlain",
    ],
    read: each(
      parseJson,
      (text) => atOnce(parsingTypedJson(text, shape)),
      (text) => endOfObject(text, 0),
      (text) => isSafeForJsonParse(text, 1000),
      (text) => parseUntracked(text, wideBounds),
      (text) => parsePlain(text, wideBounds),
    ),
    shapes: [
      ['{"text":"', '"}'],
      ['{"', '":1}'],
      ["[", "]"],
      ['{"number":', "}"],
      ["", "1"],
    ],
  },
  YAML: {
    covers: [
      "wire/yaml.ts#parseYaml",
      "base/compose-yaml.ts#composeYaml",
      "encoding/yaml/parser.ts#parseYamlDocument",
      "encoding/yaml/resolve.ts#resolvePlain",
      "encoding/yaml/resolve.ts#hasMeaning",
    ],
    read: each(parseYaml, parseYamlFile),
    shapes: [
      ["a: ", ""],
      ['a: "', '"'],
      ["- ", ""],
      ["a: |\n  ", ""],
      ["{", "}"],
    ],
  },
  message: {
    covers: [
      ...[
        "base/quote.ts#cut",
        "base/quote.ts#quoted",
        "base/quote.ts#quoteCharacter",
        "base/own-text.ts#detachString",
        "encoding/json/typed.ts#unknownFieldText",
      ],
      ...["encoding/json/typed.ts#duplicateFieldText", "wire/send.ts#warningHeaders", "wire/convert.ts#storagePathOfKey"],
      "base/confidential.ts#withoutSecrets",
      ...["base/byte-order.ts#compareBytes", "base/byte-order.ts#hasSurrogate"],
      ...["trimmed", "trimmedEnd", "trimmedStart"].map((name) => `base/trim.ts#${name}`),
    ],
    read: each(
      ...[cut, quoted, detachString, unknownFieldText, duplicateFieldText],
      (text) => storagePathOfKey(text, []),
      (text) => warningHeaders([text]),
      (text) => withoutSecrets(text, ["aa", " "]),
      (text) => [compareBytes(text, `${text}a`), hasSurrogate(text)],
      (text) => [trimmed(text, " /"), trimmedEnd(text, " "), trimmedStart(text, " ")],
    ),
  },
}
