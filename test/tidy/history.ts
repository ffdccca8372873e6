/** Looks up commits that a file names in git. */
import { spawnSync } from "node:child_process"
import { realpathSync } from "node:fs"

/** The history of a working tree. */
export class History {
  constructor(private readonly folder: string) {}

  /** Why the history is unavailable; undefined when it is available. */
  fault(): string | undefined {
    const { ok, output } = this.git("rev-parse", "--show-toplevel", "--is-shallow-repository")
    const [top = "", isShallow] = output.split("\n")
    // An unpacked archive may be inside another repository.
    if (!ok || realpathSync(top) !== realpathSync(this.folder)) return "this folder is no repository of git, or there is no git"
    return isShallow === "true" ? "the clone is shallow: most of the history is not here" : undefined
  }

  /** Why the measured commit cannot be found; undefined when it can. */
  commitFault(commit: unknown): string | undefined {
    const advice = "measure it again on a commit that stays"
    if (typeof commit !== "string" || !/^[0-9a-f]{7,40}\+?$/.test(commit)) return `versions.commit is ${JSON.stringify(commit)}: ${advice}`
    if (commit.endsWith("+")) return `${commit} was measured with changes that were not committed: ${advice}`
    if (!this.git("cat-file", "-e", `${commit}^{commit}`).ok) return `${commit} is no commit of this repository: ${advice}`
    if (!this.git("merge-base", "--is-ancestor", commit, "HEAD").ok) return `${commit} is no ancestor of HEAD: ${advice}`
    return undefined
  }

  private git(...args: readonly string[]): { readonly ok: boolean; readonly output: string } {
    const { status, stdout } = spawnSync("git", args, { cwd: this.folder, encoding: "utf8" })
    return { ok: status === 0, output: (stdout ?? "").trim() }
  }
}
