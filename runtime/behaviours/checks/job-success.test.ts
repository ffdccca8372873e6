/** The indexes of a success policy, in the words of kube-apiserver 1.30. */
import { expect, test } from "vitest"
import { cronJob } from "../../../generated/batch/v1/cron-job/resource.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { Failures } from "../../base/failure.ts"
import type { JsonObject } from "../../base/json.ts"
import { normalize } from "../../encoding/normalize.ts"
import { storageClass } from "../../../generated/storage.orch.io/v1/storage-class/resource.ts"

const vendor = vendorProfile("orch")

const [parts, classParts] = await Promise.all([cronJob.load(), storageClass.load()])

function faults(rule: JsonObject, spec: JsonObject = { completionMode: "Indexed", completions: 5 }): string[] {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "i" }] } }
  const { object } = normalize(parts.shape, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "c" },
    spec: { schedule: "* * * * *", jobTemplate: { spec: { ...spec, successPolicy: { rules: [rule] }, template } } },
  })
  parts.applyDefaults(object, { vendor })
  const failures = new Failures()
  parts.validate(object, { failures, vendor })
  return failures.list.map(({ field, detail }) => `${field.replace("spec.jobTemplate.spec.successPolicy.rules[0]", "")}: ${detail}`)
}

test.each<[string, JsonObject, ...string[]]>([
  ["numbers and ranges", { succeededIndexes: "0,2-4", succeededCount: 4 }],
  ["none", {}, ": at least one of succeededCount or succeededIndexes must be specified"],
  [
    "descending",
    { succeededIndexes: "3,1" },
    ".succeededIndexes: error parsing succeededIndexes: non-increasing order, previous: 3, current: 1",
  ],
  [
    "an empty range",
    { succeededIndexes: "2-2" },
    ".succeededIndexes: error parsing succeededIndexes: non-increasing order, previous: 2, current: 2",
  ],
  ["too large", { succeededIndexes: "0-5" }, '.succeededIndexes: error parsing succeededIndexes: too large index: "5"'],
  [
    "no number",
    { succeededIndexes: "a" },
    '.succeededIndexes: error parsing succeededIndexes: cannot convert string to integer for index: "a"',
  ],
  [
    "more than named",
    { succeededIndexes: "0-1", succeededCount: 3 },
    ".succeededCount: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)",
  ],
  ["more than there are", { succeededCount: 6 }, ".succeededCount: must be less than or equal to 5 (the number of specified completions)"],
])("%s", (_name, rule, ...expected) => {
  expect(faults(rule)).toEqual(expected)
})

test("a job without indexes has no policy, whatever it says", () => {
  expect(faults({}, {})).toEqual([expect.stringContaining("requires indexed completion mode")])
})

test("warnings are also about lists", () => {
  const { object } = normalize(classParts.shape, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    provisioner: "p",
    allowedTopologies: [{ matchLabelExpressions: [{ key: "failure-domain.beta.orch.io/zone", values: ["a"] }] }],
  })
  expect(classParts.warnings?.(object, { failures: new Failures(), vendor })).toEqual([
    'allowedTopologies[0].matchLabelExpressions[0].key: failure-domain.beta.orch.io/zone is deprecated since v1.17; use "topology.orch.io/zone" instead',
  ])
})
