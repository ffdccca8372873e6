/** The recorded responses of the reference server, and the program that compares a running server with them. */
import { existsSync, readFileSync } from "node:fs"
import { cp, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parse, stringify } from "yaml"
import { runCommand } from "../clients/command.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

/** The folder with run.py, its scenarios and expected.json: ORCH_DIFFERENTIAL, or its place next to a checkout. */
const folder = resolve(repository, process.env.ORCH_DIFFERENTIAL ?? "../shared/differential")

/** A checkout alone does not have the recordings. `.ci/run` sets ORCH_DIFFERENTIAL, so they cannot be missing there. */
export const recordingsMissing = process.env.ORCH_DIFFERENTIAL === undefined && !existsSync(join(folder, "run.py"))

/**
 * The folder with the recordings of definitions and rules, beside the other: its program starts servers itself. A
 * machine may have one folder without the other. A folder that exists must be whole.
 */
export const extensionFolder = resolve(folder, "../differential-extension")
export const extensionMissing = !existsSync(extensionFolder)

/** Scenarios that need a store with a compacted version. */
export const ofForgottenVersions = /^version-gone$/

export interface Comparison {
  /**
   * Fails unless every compared step of the scenario has the recorded response, or is listed as a deviation and has
   * another response.
   */
  readonly faults: (scenario: string) => string[]
}

/** Names of the recorded scenarios. Throws if the recordings are not in the folder; the error has their path. */
export function recordedScenarios(from = folder): string[] {
  // The format of the recordings.
  const { scenarios } = JSON.parse(readFileSync(join(from, "expected.json"), "utf8")) as { scenarios: Record<string, unknown> }
  return Object.keys(scenarios)
}

/** Sends the scenarios whose names match `only` to a server and compares. Rejects when the program cannot run. */
export async function compareWithRecorded(server: {
  readonly url: string
  readonly token: string
  readonly authorityFile: string
  readonly only: string
  readonly oldVersion?: string
}): Promise<Comparison> {
  const { url, token, authorityFile, only, oldVersion } = server
  const args = ["compare", "--base", url, "--expect", join(folder, "expected.json"), `--token=${token}`, "--ca", authorityFile]
  const scope = ["--only", only, "--json", ...(oldVersion === undefined ? [] : ["--old-version", oldVersion])]
  const { stdout, stderr } = await runCommand("python3", [join(folder, "run.py"), ...args, ...scope])
  return comparison(reportOf(stdout, stderr))
}

/** The scenarios of definitions and rules, crd-* and cel-*. */
const ofDefinitions = "c[er][dl]-*"

/**
 * As `compareWithRecorded`, with the recordings of servers with options. `start`: the shell command that runs a server,
 * in which the program replaces `{port}`, `{dir}` and `{flags}`. `only`: the names of the scenarios. `from`: the folder
 * of the recordings.
 */
export async function compareExtension(start: string, only = ofDefinitions, from = extensionFolder): Promise<Comparison> {
  const args = ["compare", "--start", start, "--only", only, "--json"]
  const { stdout, stderr } = await runCommand("python3", [join(from, "run.py"), ...args])
  return comparison(reportOf(stdout, stderr))
}

/** A kind of server of the recordings: its options, and the files that these name. */
export interface ServerKind {
  readonly flags?: readonly string[]
  readonly files?: Readonly<Record<string, unknown>>
  readonly hooks?: unknown
}

/**
 * Copies the recordings into a folder, with other kinds of servers: for options that this server does not have yet.
 * Returns the copy, whose scenarios and answers are unchanged.
 */
export async function withServerKinds(into: string, change: (kinds: Record<string, ServerKind>) => void): Promise<string> {
  const copy = join(into, "differential-extension")
  await cp(extensionFolder, copy, { recursive: true })
  // The extension's program needs the program of the first recordings.
  await symlink(folder, join(into, "differential"))
  const file = join(copy, "servers.yaml")
  const kinds = parse(readFileSync(file, "utf8")) as Record<string, ServerKind> // The format of the recordings.
  change(kinds)
  await writeFile(file, stringify(kinds))
  return copy
}

interface StepReport {
  readonly scenario: string
  readonly step: string
  readonly differences: readonly string[]
}

/** The report is a JSON list, followed by a line for people. */
function reportOf(stdout: string, stderr: string): StepReport[] {
  const end = stdout.lastIndexOf("]")
  if (end < 0) throw new Error(`the comparison did not run (it needs python3 and PyYAML): ${stderr}${stdout}`)
  return JSON.parse(stdout.slice(0, end + 1)) as StepReport[] // The program's own format.
}

function comparison(report: readonly StepReport[]): Comparison {
  // The format of deviations.yaml.
  const deviations = parse(readFileSync(new URL("deviations.yaml", import.meta.url), "utf8")) as Record<string, string>
  return {
    faults(scenario) {
      const steps = report.filter((step) => step.scenario === scenario)
      if (steps.length === 0) return [`${scenario} was not run`]
      return steps.flatMap(({ step, differences }) => {
        const deviates = deviations[`${scenario}/${step}`] !== undefined
        if (!deviates) return differences.map((difference) => `${step}: ${difference}`)
        return differences.length === 0 ? [`${step} is answered as recorded: take it off deviations.yaml`] : []
      })
    },
  }
}
