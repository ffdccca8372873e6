import { join } from "node:path"
import type { Options } from "../options/table.ts"
import type { StorageFormat } from "../registry/object-codec.ts"

/** The store's folder below `--data-dir`, used by the server, `backup` and `restore`. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, "store")
}

/** The prefix of every key, from `--store-prefix` with or without slashes. */
export function storeRoot(prefix: string): string {
  return `/${prefix.replace(/^\/|\/$/g, "")}/`
}

const storageFormats: Readonly<Record<Options["storage-media-type"], StorageFormat>> = {
  "application/vnd.orch.protobuf": "compact",
  "application/vnd.kubernetes.protobuf": "compact",
  "application/json": "json",
  "application/yaml": "yaml",
}

/** How values are encoded, from `--storage-media-type`. */
export function storageFormatOf(mediaType: Options["storage-media-type"]): StorageFormat {
  return storageFormats[mediaType]
}
