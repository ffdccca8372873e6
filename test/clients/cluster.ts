/** What tests with real clients share: a server as `npm start -- --vendor=kubernetes` runs it, on the embedded store, in a folder of its own. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type LibraryOptions, type LibraryServer, startServer } from "../../runtime/library.ts"

export interface Cluster extends LibraryServer {
  /** Holds the store in `data`, `kubeconfig`, and whatever a test puts beside them. */
  readonly folder: string
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfigFile: string
  /** Stops the server and removes the folder. */
  remove(): Promise<void>
}

/** Called in `beforeAll`; `remove` belongs into `afterAll`. */
export async function startCluster(options: LibraryOptions = {}): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "clients-"))
  const server = await startServer({ vendor: "kubernetes", "data-dir": join(folder, "data"), ...options })
  const kubeconfigFile = join(folder, "kubeconfig")
  await writeFile(kubeconfigFile, server.kubeconfig, { mode: 0o600 })
  return {
    ...server,
    folder,
    kubeconfigFile,
    async remove() {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}
