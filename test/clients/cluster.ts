/**
 * Shared by the tests with real clients: a server as `npm start -- --vendor=kubernetes` runs it, on the embedded store,
 * in a folder of its own.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type LibraryOptions, type LibraryServer, startServer } from "../../runtime/library.ts"

export interface Cluster extends LibraryServer {
  /** For files of the test. */
  readonly folder: string
  /** Holds the store, certificate and token. */
  readonly dataDir: string
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfigFile: string
  /** Stops the server and removes the folder. */
  remove(): Promise<void>
}

/** Called in `beforeAll`; call `remove` in `afterAll`. */
export async function startCluster(options: LibraryOptions = {}): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "clients-"))
  const dataDir = join(folder, "data")
  const server = await startServer({ vendor: "kubernetes", "data-dir": dataDir, ...options })
  const kubeconfigFile = join(folder, "kubeconfig")
  await writeFile(kubeconfigFile, server.kubeconfig, { mode: 0o600 })
  return {
    ...server,
    folder,
    dataDir,
    kubeconfigFile,
    async remove() {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}
