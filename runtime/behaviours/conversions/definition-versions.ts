/**
 * Definitions between v1beta1, in which old servers of kube-apiserver stored them, and v1. v1beta1 may state a value
 * once for all versions of a kind, v1 states it in each; the client of a web hook and columns have other fields.
 */
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  WebhookClientConfig,
} from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import type {
  CustomResourceConversion as ConversionV1beta1,
  CustomResourceDefinition as DefinitionV1beta1,
  CustomResourceDefinitionSpec as SpecV1beta1,
  CustomResourceDefinitionVersion as VersionV1beta1,
} from "../../../generated/apiextensions.orch.io/v1beta1/custom-resource-definition/types.ts"
import { defineConversion } from "../../schema/define.ts"

/** Named by the schema of v1beta1. In v1, fields that are absent get the defaults of v1beta1, as in the reference. */
export const definitionVersions = defineConversion<DefinitionV1beta1, CustomResourceDefinition>({
  toStored: (converted, { spec }): CustomResourceDefinition => ({
    ...converted,
    spec: specOfV1beta1(spec),
    status: withStoredVersion(converted.status, spec),
  }),
  fromStored: (converted, { spec }): DefinitionV1beta1 => ({ ...converted, spec: specOfV1(spec) }),
})

function specOfV1beta1({
  group,
  names,
  scope,
  conversion,
  preserveUnknownFields = true,
  ...spec
}: SpecV1beta1): CustomResourceDefinitionSpec {
  const { kind, listKind = "", singular = "" } = names
  return {
    group,
    names: {
      ...names,
      singular: singular === "" ? kind.toLowerCase() : singular,
      ...(listKind === "" && kind !== "" && { listKind: `${kind}List` }),
    },
    scope: scope === "" ? "Namespaced" : scope,
    versions: versionsOf(spec).map((version) => versionOfV1beta1(version, spec)),
    conversion: conversionOfV1beta1(conversion ?? { strategy: "None" }),
    preserveUnknownFields,
  }
}

/** A value for all versions, where there is one, replaces the version's own. */
function versionOfV1beta1(version: VersionV1beta1, all: Partial<SpecV1beta1>): CustomResourceDefinitionVersion {
  const schema = all.validation ?? version.schema
  const subresources = all.subresources ?? version.subresources
  const columns = all.additionalPrinterColumns ?? version.additionalPrinterColumns
  const selectableFields = all.selectableFields ?? version.selectableFields
  const { additionalPrinterColumns: _own, ...others } = version
  return {
    ...others,
    ...(schema !== undefined && { schema }),
    ...(subresources !== undefined && { subresources }),
    ...(columns !== undefined && {
      additionalPrinterColumns: columns.map(({ JSONPath: jsonPath, ...column }) => ({ ...column, jsonPath })),
    }),
    ...(selectableFields !== undefined && { selectableFields }),
  }
}

/** Before a definition could have several versions, it named the only one. */
function versionsOf({ version = "", versions = [] }: Partial<SpecV1beta1>): readonly VersionV1beta1[] {
  return versions.length === 0 && version !== "" ? [{ name: version, served: true, storage: true }] : versions
}

function withStoredVersion(status: CustomResourceDefinitionStatus, spec: SpecV1beta1): CustomResourceDefinitionStatus {
  const stored = versionsOf(spec).find(({ storage }) => storage)
  return stored === undefined || (status.storedVersions ?? []).length > 0 ? status : { ...status, storedVersions: [stored.name] }
}

function conversionOfV1beta1({
  strategy,
  webhookClientConfig,
  conversionReviewVersions = [],
}: ConversionV1beta1): CustomResourceConversion {
  const isHook = strategy === "Webhook"
  const reviewVersions = isHook && conversionReviewVersions.length === 0 ? ["v1beta1"] : conversionReviewVersions
  if (webhookClientConfig === undefined && reviewVersions.length === 0) return { strategy }
  const client = webhookClientConfig !== undefined && { clientConfig: withPort(webhookClientConfig) }
  return { strategy, webhook: { ...client, conversionReviewVersions: reviewVersions } }
}

function withPort({ service, ...config }: WebhookClientConfig): WebhookClientConfig {
  return service === undefined ? config : { ...config, service: { port: 443, ...service } }
}

/** Values that all versions share stay in each: no client sees v1beta1, and the way back gives the same. */
function specOfV1({ conversion, preserveUnknownFields = false, versions, ...spec }: CustomResourceDefinitionSpec): SpecV1beta1 {
  const [first] = versions ?? []
  return {
    ...spec,
    ...(first !== undefined && { version: first.name }),
    versions: (versions ?? []).map(versionOfV1),
    ...(conversion !== undefined && { conversion: conversionOfV1(conversion) }),
    preserveUnknownFields,
  }
}

function versionOfV1({ additionalPrinterColumns: columns, ...version }: CustomResourceDefinitionVersion): VersionV1beta1 {
  if (columns === undefined) return version
  return { ...version, additionalPrinterColumns: columns.map(({ jsonPath: JSONPath, ...column }) => ({ ...column, JSONPath })) }
}

function conversionOfV1({ strategy, webhook }: CustomResourceConversion): ConversionV1beta1 {
  if (webhook === undefined) return { strategy }
  const { clientConfig, conversionReviewVersions } = webhook
  return {
    strategy,
    ...(clientConfig !== undefined && { webhookClientConfig: clientConfig }),
    ...(conversionReviewVersions !== null && { conversionReviewVersions }),
  }
}
