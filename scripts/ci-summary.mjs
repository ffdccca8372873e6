/**
 * The end of `.ci/run`: names each skipped suite, each failed test with the first lines of its failure, and the slowest
 * files, then counts all tests on the last line. Arguments are the paths of vitest's JSON reports. A missing report
 * counts as one failure, since its run ended before it could write it.
 */
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"

/** Printed lines of a failure: enough to see the difference, so few that twenty failures fit on a page. */
const failureLinesMax = 12
const lineLengthMax = 300
/** Number of files that are named as the slowest, with the seconds of their tests. */
const slowestFiles = 10

const total = { passed: 0, failed: 0, skipped: 0 }
const files = []
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    total.failed++
    console.log(`FAILED no report of ${file}`)
    continue
  }
  const report = JSON.parse(readFileSync(file, "utf8"))
  total.passed += report.numPassedTests
  total.skipped += report.numPendingTests + report.numTodoTests
  for (const suite of report.testResults) {
    files.push({ path: relative(process.cwd(), suite.name), seconds: (suite.endTime - suite.startTime) / 1000 })
    const failed = suite.assertionResults.filter(({ status }) => status === "failed")
    for (const { fullName, failureMessages } of failed) tell(suite, fullName, failureMessages.join("\n"))
    // A file that does not load, or a hook that throws, fails without a failed test.
    if (failed.length === 0 && suite.status === "failed") tell(suite, "(the file)", suite.message)
    const skipped = suite.assertionResults.filter(({ status }) => status !== "passed" && status !== "failed")
    // A suite with a requirement names it in its own title.
    for (const title of new Set(skipped.map(({ ancestorTitles, fullName }) => ancestorTitles[0] ?? fullName)))
      console.log(`SKIPPED ${relative(process.cwd(), suite.name)} > ${title}`)
  }
}
files.sort((left, right) => right.seconds - left.seconds)
for (const { path, seconds } of files.slice(0, slowestFiles)) console.log(`SLOW ${seconds.toFixed(0).padStart(5)} s ${path}`)
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exitCode = total.failed > 0 ? 1 : 0

function tell(suite, name, message) {
  total.failed++
  const lines = message.split("\n").filter((line) => !line.includes("node_modules"))
  console.log(`FAILED ${relative(process.cwd(), suite.name)} > ${name}`)
  for (const line of lines.slice(0, failureLinesMax)) console.log(`       ${line.slice(0, lineLengthMax)}`)
}
