/** `/version`: identifies this server. */
import { arch, platform } from "node:process"

/** The release of the API that is served. Clients compare it with their own to decide which features they may use. */
const apiRelease = { major: "1", minor: "30", patch: "0" }

/**
 * Fields for which clients expect names of Go's tools hold node's instead. Values that the build did not record are
 * empty, as in the reference.
 */
export function versionInfo(): Readonly<Record<string, string>> {
  const { major, minor, patch } = apiRelease
  return {
    major,
    minor,
    gitVersion: `v${major}.${minor}.${patch}+orch`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node ${process.version}`,
    compiler: "v8",
    platform: `${platform}/${goArchitecture()}`,
  }
}

/** Maps node's processor names to Go's. */
function goArchitecture(): string {
  return arch === "x64" ? "amd64" : arch === "ia32" ? "386" : arch
}
