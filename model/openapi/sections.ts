/** The sections of the API, one for each document of version 3: group versions, and the discovery paths. */
import { media } from "./common.ts"
import { definitionName, type GroupVersion, groupTag, operationScope, pathPrefix, tagOf, versionDefinition } from "./names.ts"
import { kindPaths } from "./operations.ts"
import type { OperationFacts, PathFacts } from "./path-facts.ts"
import { type OpenApiSource, typeIn } from "./source.ts"

/** One document of version 3. */
export interface Section {
  /** As clients request it: `apis/apps/v1`. */
  readonly path: string
  readonly paths: readonly PathFacts[]
}

/** Returns the sections of all documents, sorted by path; together they are version 2. */
export function sectionsOf(source: OpenApiSource): readonly Section[] {
  const { kinds } = source
  const versions = new Map(kinds.map(({ group, version }) => [pathPrefix({ group, version }), { group, version }]))
  const groups = [...new Set(kinds.map((kind) => kind.group))]
  const sections = [
    ...[...versions.values()].map((one) => versionSection(source, one)),
    ...groups.map(groupSection),
    { path: "apis", paths: [discoveryPath("/apis/", "apis", "getAPIVersions", "List the groups and their versions.", "APIGroupList")] },
    { path: "version", paths: [versionPath] },
    { path: ".well-known/openid-configuration", paths: [issuerPath] },
    { path: "openid/v1/jwks", paths: [keysPath] },
  ]
  return sections.toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** Returns the section of one group version: its resources and the paths of each kind. */
export function versionSection(source: OpenApiSource, groupVersion: GroupVersion): Section {
  const { group, version } = groupVersion
  const own = source.kinds.filter((kind) => kind.group === group && kind.version === version)
  const resources = discoveryPath(
    `${pathPrefix(groupVersion)}/`,
    tagOf(groupVersion),
    `get${operationScope(groupVersion)}APIResources`,
    "List the resources of this group version.",
    "APIResourceList",
  )
  const paths = own.flatMap((kind) => {
    const found = kindPaths(kind, (named) => typeIn(source, typeName(named, named.kind)))
    return source.publishesLimits(typeIn(source, kind.type)) ? found : found.map(asReference)
  })
  return {
    path: pathPrefix(groupVersion).slice(1),
    paths: [resources, ...paths].toSorted((left, right) => (left.path < right.path ? -1 : 1)),
  }
}

/** As in kube-apiserver: bodies have any media type, and no operation is marked as deprecated. */
function asReference({ operations, ...path }: PathFacts): PathFacts {
  return {
    ...path,
    operations: operations.map(({ deprecated: _deprecated, body, ...facts }): OperationFacts => {
      return body === undefined || body.patch
        ? { ...facts, ...(body !== undefined && { body }) }
        : { ...facts, body: { ...body, anyMedia: true } }
    }),
  }
}

/** Returns the section of a group: its discovery paths. */
export function groupSection(group: string): Section {
  if (group === "")
    return {
      path: "api",
      paths: [discoveryPath("/api/", "core", "getCoreAPIVersions", "List the versions of the core group.", "APIVersions")],
    }
  const operationId = `get${operationScope({ group, version: "" })}APIGroup`
  return {
    path: `apis/${group}`,
    paths: [discoveryPath(`/apis/${group}/`, groupTag(group), operationId, `Describe the group ${group}.`, "APIGroup")],
  }
}

/** `core.v1.PodLogOptions`: the model's name of a type. */
function typeName({ group, version }: GroupVersion, name: string): string {
  return `${group === "" ? "core" : group}.${version}.${name}`
}

function discoveryPath(path: string, tag: string, operationId: string, description: string, answer: string): PathFacts {
  const schema = definitionName({ group: "meta", version: "v1" }, answer)
  return {
    path,
    parameters: [],
    operations: [
      { method: "get", operationId, description, tag, parameters: [], consumes: Object.values(media), responses: [{ code: 200, schema }] },
    ],
  }
}

const versionPath: PathFacts = {
  path: "/version/",
  parameters: [],
  operations: [
    {
      method: "get",
      operationId: "getCodeVersion",
      description: "Say what the server was built from.",
      tag: "version",
      parameters: [],
      consumes: [media.json],
      produces: [media.json],
      responses: [{ code: 200, schema: versionDefinition }],
    },
  ],
}

/** Documents for verifiers of service account tokens. */
const issuerPath = textPath("/.well-known/openid-configuration/", media.json, {
  operationId: "getServiceAccountIssuerOpenIDConfiguration",
  description: "Describe the issuer of the tokens of service accounts.",
  tag: "WellKnown",
})
const keysPath = textPath("/openid/v1/jwks/", "application/jwk-set+json", {
  operationId: "getServiceAccountIssuerOpenIDKeyset",
  description: "List the public keys that verify tokens of service accounts.",
  tag: "openid",
})

function textPath(path: string, type: string, facts: Pick<OperationFacts, "operationId" | "description" | "tag">): PathFacts {
  return { path, parameters: [], operations: [{ ...facts, method: "get", parameters: [], consumes: [], responses: [], text: [type] }] }
}
