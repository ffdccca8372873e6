import { join } from "node:path"

/** The store's folder below `--data-dir`; the server, `backup` and `restore` go by it. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, "store")
}
