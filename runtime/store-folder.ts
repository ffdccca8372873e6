import { join } from "node:path"

/** The store's folder below `--data-dir`; the server, `backup` and `restore` go by it. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, "store")
}

/** What every key begins with, from `--store-prefix` with or without its slashes. */
export function storeRoot(prefix: string): string {
  return `/${prefix.replace(/^\/|\/$/g, "")}/`
}
