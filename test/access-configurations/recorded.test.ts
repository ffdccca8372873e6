/** Configurations of authentication and authorization, and kube-apiserver 1.30's messages about them at its start. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { systemRandom } from "../../runtime/base/random.ts"
import { configureAuthorization } from "../../runtime/launch/authorization.ts"
import { createLog } from "../../runtime/launch/logging.ts"
import { configureJwt } from "../../runtime/launch/jwt-authentication.ts"
import { AccessMetrics } from "../../runtime/observability/access-metrics.ts"
import { defaultOptions } from "../../runtime/options/load.ts"
import { createManualClock } from "../contract/manual-clock.ts"

interface Recorded {
  readonly name: string
  readonly of: "authentication" | "authorization"
  readonly config: unknown
  /** Absent: the server starts. */
  readonly fault?: string
}

const folder = mkdtempSync(join(tmpdir(), "configurations-"))
afterAll(() => rmSync(folder, { recursive: true }))
const kubeconfig = {
  "current-context": "x",
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1/authz" } }],
  contexts: [{ name: "x", context: { cluster: "c" } }],
}
writeFileSync(join(folder, "kube.yaml"), JSON.stringify(kubeconfig))

// The texts come from the recorded file.
const recorded = parse(readFileSync(new URL("recorded.yaml", import.meta.url), "utf8")) as readonly Recorded[]

function started(of: Recorded["of"], text: string): string | undefined {
  const path = join(folder, `${of}.yaml`)
  writeFileSync(path, text.replaceAll("${dir}", folder))
  const clock = createManualClock()
  const log = createLog({ format: "text", verbosity: 0, write: () => undefined })
  const options = { ...defaultOptions(), vendor: "kubernetes", [`${of}-config`]: path } as const
  const how = {
    options,
    clock,
    log,
    metrics: new AccessMetrics(clock),
    random: systemRandom,
    accountIssuers: ["https://accounts.example.com"],
  }
  try {
    if (of === "authentication") configureJwt(how)?.stop()
    else configureAuthorization(how).stop()
    return undefined
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
      .replace(`--${of}-config: ${path}: `, "")
      .replaceAll(folder, "${dir}")
  }
}

/** The recorded server lacks authorizers that are in no library. */
const libraryTypes = '"AlwaysAllow", "AlwaysDeny", "Webhook"'
const allTypes = '"ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"'

/** Differences of this server's messages: it names whole keys, and fields in place of types of Go. */
const ours: Readonly<Record<string, readonly (readonly [theirs: string, ours: string])[]>> = {
  extra: [
    ['Invalid value: "ex_ample.org":', 'Invalid value: "ex_ample.org/a b":'],
    ['Invalid value: "a b":', 'Invalid value: "ex_ample.org/a b":'],
  ],
  type: [["number into Go struct field Issuer.jwt.issuer.url", "number 5 into field jwt[0].issuer.url"]],
  type2: [["Go struct field AuthenticationConfiguration.jwt", "field jwt"]],
  hook7: [['"soon"', '"soon" in field authorizers[0].webhook.timeout']],
  hook8: [
    [
      "number into Go struct field WebhookConfiguration.authorizers.webhook.timeout of type string",
      "number 5 into field authorizers[0].webhook.timeout of type Duration",
    ],
  ],
  hook1: [['apiserver.WebhookConnectionInfo{Type:"Frob", KubeConfigFile:(*string)(nil)}', '"Frob"']],
}

describe.each(recorded)("the configuration of $of $name", ({ name, of, config, fault }) => {
  test(fault === undefined ? "is taken" : "is refused in the reference's words", () => {
    const said = (ours[name] ?? []).reduce((text, [from, to]) => text?.replace(from, to), fault)
    expect(started(of, typeof config === "string" ? config : JSON.stringify(config))).toBe(said?.replace(libraryTypes, allTypes))
  })
})

const issuer = { issuer: { url: "https://x", audiences: ["a"] }, claimMappings: { username: { claim: "sub", prefix: "" } } }
const hook = { timeout: "3s", subjectAccessReviewVersion: "v1", failurePolicy: "Deny" }

test("a list that is too long is refused", () => {
  const apiVersion = "apiserver.config.k8s.io/v1beta1"
  const jwt = Array.from({ length: 65 }, () => issuer)
  expect(started("authentication", JSON.stringify({ apiVersion, kind: "AuthenticationConfiguration", jwt }))).toBe(
    "jwt: Too many: 65: must have at most 64 items",
  )
  const matchConditions = Array.from({ length: 65 }, () => ({ expression: "true" }))
  const webhook = { ...hook, matchConditionSubjectAccessReviewVersion: "v1", connectionInfo: { type: "InClusterConfig" }, matchConditions }
  const authorizers = [{ type: "Webhook", name: "x", webhook }]
  expect(started("authorization", JSON.stringify({ apiVersion, kind: "AuthorizationConfiguration", authorizers }))).toBe(
    "authorizers[0].matchConditions: Too many: 65: must have at most 64 items",
  )
})

const versions = "apiVersion apiserver.config.k8s.io/v1beta1 or apiserver.config.k8s.io/v1alpha1"

test.each([
  ["authentication", "", "it has apiVersion absent and kind absent; expected"],
  ["authentication", "a: [", "yaml: "],
  ["authentication", "[]", "expected an object of kind AuthenticationConfiguration"],
  ["authentication", "{apiVersion: apiserver.config.k8s.io/v1, kind: AuthenticationConfiguration}", `expected ${versions}`],
  [
    "authorization",
    "{apiVersion: apiserver.config.k8s.io/v1beta1, kind: Frob}",
    `expected ${versions} and kind AuthorizationConfiguration`,
  ],
] as const)("%s: %j says what is expected", (of, text, fault) => {
  expect(started(of, text)).toContain(fault)
})

test.each([
  ["https://x y:z%", 'Invalid value: "https://x y:z%": parse "https://x y:z%": it is no URL'],
  ["https://accounts.example.com", "URL must not overlap with disallowed issuers: [https://accounts.example.com]"],
])("the issuer %s is refused", (url, fault) => {
  const jwt = [{ ...issuer, issuer: { ...issuer.issuer, url } }]
  expect(
    started("authentication", JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthenticationConfiguration", jwt })),
  ).toContain(fault)
})

test("a web hook in the cluster needs to be in one", () => {
  const webhook = { ...hook, connectionInfo: { type: "InClusterConfig" } }
  const authorizers = [{ type: "Webhook", name: "x", webhook }]
  const text = JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1alpha1", kind: "AuthorizationConfiguration", authorizers })
  expect(started("authorization", text)).toBe(
    "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
  )
})
