/**
 * The OpenAPI documents of kinds: version 3, one per group version (and small ones for discovery), and version 2 in a
 * single document. Pure: the same kinds give the same documents. Names are neutral; the runtime maps `x-orch-`,
 * `io.orch.`, `.orch.io` and `vnd.orch.`.
 */
import type { JsonObject } from "../../runtime/base/json.ts"
import { documentV2 } from "./document-v2.ts"
import { documentV3 } from "./document-v3.ts"
import type { GroupVersion } from "./names.ts"
import { groupSection, type Section, sectionsOf, versionSection } from "./sections.ts"
import type { OpenApiSource } from "./source.ts"

/** Documents by path, as clients request them below `/openapi/`: `v2`, `v3/api/v1`, `v3/apis/apps/v1`. */
export type Documents = ReadonlyMap<string, JsonObject>

/** Returns every document of the kinds that are served; none without any. Called once per run of the generator. */
export function allDocuments(source: OpenApiSource): Documents {
  const own = { ...source, kinds: source.kinds.filter((kind) => kind.served !== false) }
  return own.kinds.length === 0 ? new Map() : documentsOf(own, sectionsOf(own))
}

/**
 * Returns the documents that one group version adds to a server: its own, its group's, and its part of version 2.
 * Called for definitions that arrive at run time; `source.kinds` may hold kinds of other groups.
 */
export function groupVersionDocuments(source: OpenApiSource, groupVersion: GroupVersion): Documents {
  const { group, version } = groupVersion
  const kinds = source.kinds.filter((kind) => kind.group === group && kind.version === version && kind.served !== false)
  const own = { ...source, kinds }
  return documentsOf(own, [groupSection(group), versionSection(own, groupVersion)])
}

function documentsOf(source: OpenApiSource, sections: readonly Section[]): Documents {
  return new Map([
    ...sections.map((section) => [`v3/${section.path}`, documentV3(source, section)] as const),
    ["v2", documentV2(source, sections)] as const,
  ])
}
