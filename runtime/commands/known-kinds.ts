import { kinds } from "../../generated/index.ts"
import type { Kind } from "../schema/kind.ts"
import type { Options } from "../options/table.ts"

/** Returns the kinds of this program and those of `--api`. Throws StartError for a folder without kinds. */
export async function knownKinds(options: Options): Promise<readonly Kind[]> {
  if (options.api.length === 0) return kinds
  const { loadApiFolder } = await import("../launch/user-api.ts")
  const folders = await Promise.all(options.api.map((folder) => loadApiFolder(folder)))
  return [...kinds, ...folders.flatMap((folder) => folder.kinds)]
}
