/** The empty folder, the environment and the packed package with which documents and examples are tried. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { repository } from "../../scripts/freshness.mjs"
import { npmInstall, packedPackage } from "../packed/install.ts"
import { runDocument } from "./document.ts"
import { freePort } from "./session.ts"

/** The state of the folder before the document runs. */
export interface Beginning {
  /** A folder of this repository to copy. Absent: the folder is empty. */
  readonly copyOf?: string
  /** Blocks that run before and after the document's blocks, and that it does not show. */
  readonly before?: string
  readonly after?: string
}

/**
 * Runs a document of this repository in a new folder, with the packed package in place of the published one. Programs
 * are run by the Node that runs the tests. Nothing comes from the network: `npm install` is done by hand, and `npx` of
 * a package that is not installed fails. Resolves with the folder.
 */
export async function follow(path: string, { copyOf, before, after }: Beginning = {}): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reader-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [home, work] = [join(folder, "home"), join(folder, "work")]
  for (const one of [home, work]) mkdirSync(one)
  if (copyOf !== undefined) cpSync(join(repository, copyOf), work, { recursive: true })
  const packed = await packedPackage()
  const port = await freePort()
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    HOME: home,
    ORCH_SECURE_PORT: String(port),
    NO_COLOR: "1",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  }
  const inPlace = (command: string, current: string): string | undefined => npmInstall(command, current, packed)
  const run = (text: string, name: string): Promise<void> => runDocument(text, { path: name, folder: work, env, port, inPlace })
  if (before !== undefined) await run(before, "before the document")
  await run(readFileSync(join(repository, path), "utf8"), path)
  if (after !== undefined) await run(after, "after the document")
  return work
}
