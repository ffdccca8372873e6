import { join } from "node:path"

/** The store's folder below `--data-dir`, used by the server, `backup` and `restore`. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, "store")
}

/** The prefix of every key, from `--store-prefix` with or without slashes. */
export function storeRoot(prefix: string): string {
  return `/${prefix.replace(/^\/|\/$/g, "")}/`
}
