/** The empty folder, the environment and the packed package with which documents and examples are tried. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { repository } from "../../scripts/freshness.mjs"
import { npmInstall, packedPackage } from "../packed/install.ts"
import { runDocument } from "./document.ts"
import { freePort } from "./session.ts"

/** An empty folder, and how to remove it. */
export function emptyFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reader-")))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Runs a document of this repository in a folder, with the packed package in place of the published one. Programs are
 * run by the Node that runs the tests. Nothing comes from the network: `npm install` is done by hand, and `npx` of a
 * package that is not installed fails.
 */
export async function follow(path: string, folder: string): Promise<void> {
  const packed = await packedPackage()
  const port = await freePort()
  const home = join(folder, ".home")
  mkdirSync(home)
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    HOME: home,
    ORCH_SECURE_PORT: String(port),
    NO_COLOR: "1",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  }
  await runDocument(readFileSync(join(repository, path), "utf8"), {
    path,
    folder: mkdirIn(folder, "work"),
    env,
    port,
    inPlace: (command, current) => npmInstall(command, current, packed),
  })
}

function mkdirIn(folder: string, name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}
