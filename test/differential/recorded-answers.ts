/** The recorded responses of the reference server, and the program that compares a running server with them. */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { runCommand } from "../clients/command.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

/** The folder with run.py, its scenarios and expected.json: ORCH_DIFFERENTIAL, or its place next to a checkout. */
const folder = resolve(repository, process.env.ORCH_DIFFERENTIAL ?? "../shared/differential")

/** A checkout alone does not have the recordings. `.ci/run` sets ORCH_DIFFERENTIAL, so they cannot be missing there. */
export const recordingsMissing = process.env.ORCH_DIFFERENTIAL === undefined && !existsSync(join(folder, "run.py"))

/**
 * The folder with the recordings of definitions and rules, beside the other: its program starts servers itself. A
 * machine may have the one without the other. A folder that is there must be whole.
 */
export const extensionFolder = resolve(folder, "../differential-extension")
export const extensionMissing = !existsSync(extensionFolder)

/** Scenarios that need a store with a compacted version. */
export const ofForgottenVersions = /^version-gone$/

export interface Comparison {
  /**
   * Fails unless every compared step of the scenario has the recorded response, or is listed as a deviation and has
   * another.
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

/**
 * As `compareWithRecorded`, with the recordings of definitions and rules. `start`: the shell command that runs a
 * server, in which the program replaces `{port}`, `{dir}` and `{flags}`.
 */
export async function compareExtension(start: string): Promise<Comparison> {
  const report: StepReport[] = []
  // Scenarios of crd-* and cel-*, then those of web hooks that authorize.
  for (const only of ["c[er][dl]-*", "authz-hook-*"]) {
    const args = ["compare", "--start", start, "--only", only, "--json"]
    const { stdout, stderr } = await runCommand("python3", [join(extensionFolder, "run.py"), ...args])
    report.push(...reportOf(stdout, stderr))
  }
  return comparison(report)
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
