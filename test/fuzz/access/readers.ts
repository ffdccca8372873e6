/** All readers of files that decide who comes in, and of remembered answers. A new reader is one entry. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readPolicy } from "../../../runtime/audit/read-policy.ts"
import { parseTokenFile } from "../../../runtime/authn/tokens/token-file.ts"
import { certificatePool } from "../../../runtime/authn/certificates/pool.ts"
import { signingKeyIn, verifyingKeysIn } from "../../../runtime/authn/service-accounts/keys.ts"
import { type AuthenticationConfiguration, authenticationConfigurationShape } from "../../../runtime/authn/oidc/configuration.ts"
import { validateAuthenticationConfiguration } from "../../../runtime/authn/oidc/validate-configuration.ts"
import { type AuthorizationConfiguration, authorizationConfigurationShape } from "../../../runtime/authz/configuration.ts"
import { validateAuthorizationConfiguration } from "../../../runtime/authz/validate-configuration.ts"
import { parseAbacPolicies } from "../../../runtime/authz/abac.ts"
import { systemClock } from "../../../runtime/base/clock.ts"
import { vendorProfile } from "../../../runtime/base/vendor.ts"
import { readHookFile } from "../../../runtime/hooks/kubeconfig.ts"
import { type ConfigurationKind, decodeConfiguration, validated } from "../../../runtime/launch/configuration-file.ts"
import { authorizationModes } from "../../../runtime/options/authorization-options.ts"
import type { TypeShape } from "../../../runtime/schema/shape.ts"
import { privateKeyPem } from "../../support/account-keys.ts"
import { makeCertificate } from "../../support/client-certificates.ts"

export interface Reader {
  /** Valid texts, which are mutated. */
  readonly good: readonly string[]
  /** Throws an Error to refuse a text. Returns the fault of an accepted one; undefined: none. */
  read(text: string): string | undefined
}

const vendor = vendorProfile("kubernetes")

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, nonResourceURLs: [/healthz*]}
- level: Metadata
  resources: [{group: "", resources: [secrets, "pods/*"], resourceNames: [a]}]
  namespaces: [kube-system, ""]
- {level: RequestResponse, users: [jane], userGroups: [devs], verbs: [create], omitManagedFields: true}
`
const abacPolicies = `# the team
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "jane", "namespace": "*", "resource": "pods", "readonly": true}}
{"user": "bob", "resource": "*"}
{"group": "devs", "nonResourcePath": "/healthz*"}
`
const kubeconfig = JSON.stringify({
  ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
  clusters: [{ name: "c", cluster: { server: "https://hook.example.com/review", "tls-server-name": "hook" } }],
  users: [{ name: "u", user: { token: "secret-of-the-hook" } }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
})

const issuers = JSON.stringify({
  ...{ apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthenticationConfiguration" },
  jwt: [
    {
      issuer: { url: "https://issuer.example.com", audiences: ["a", "b"], audienceMatchPolicy: "MatchAny" },
      claimValidationRules: [{ expression: "claims.hd == 'example.com'", message: "of the company" }],
      claimMappings: { username: { claim: "sub", prefix: "oidc:" }, groups: { expression: "claims.roles" } },
      userValidationRules: [{ expression: "!user.username.startsWith('system:')" }],
    },
  ],
})
const authorizers = JSON.stringify({
  ...{ apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthorizationConfiguration" },
  authorizers: [
    { type: "Node", name: "node" },
    {
      ...{ type: "Webhook", name: "hook" },
      webhook: {
        ...{ timeout: "3s", authorizedTTL: "5m", unauthorizedTTL: "30s", failurePolicy: "Deny" },
        ...{ subjectAccessReviewVersion: "v1", matchConditionSubjectAccessReviewVersion: "v1" },
        connectionInfo: { type: "InClusterConfig" },
        matchConditions: [{ expression: "has(request.resourceAttributes)" }],
      },
    },
  ],
})

/** Called once per run: it makes keys and certificates. `remove` deletes files that readers of paths have written. */
export async function makeReaders(): Promise<{ readonly readers: Readonly<Record<string, Reader>>; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-files-"))
  const inFile = (text: string): string => {
    writeFileSync(join(folder, "file"), text)
    return join(folder, "file")
  }
  const root = await makeCertificate({ subject: "CN=root", authority: true })
  const keys = [privateKeyPem("P-256"), privateKeyPem("P-384"), privateKeyPem("rsa")]
  const readers: Record<string, Reader> = {
    "audit policy": {
      good: [auditPolicy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] })],
      read: policyFault,
    },
    "ABAC policies": { good: [abacPolicies], read: abacFault },
    "list of tokens": { good: ['token-a,jane,1,"devs,ops"\ntoken-b,bob,2\n'], read: tokensFault },
    "kubeconfig of a web hook": { good: [kubeconfig, yamlOf(kubeconfig)], read: (text) => hookFault(inFile(text)) },
    "configuration of authentication": { good: [issuers, yamlOf(issuers)], read: issuersFault },
    "configuration of authorization": { good: [authorizers, yamlOf(authorizers)], read: authorizersFault },
    authorities: {
      good: [root.certificate, `text\n${root.certificate}${root.certificate}`],
      read: (text) => (certificatePool(text).certificates.length > 0 ? undefined : "no authority is accepted as some"),
    },
    "keys that verify": { good: keys, read: (text) => (verifyingKeysIn(text).length === 0 ? "no key is accepted as some" : undefined) },
    "key that signs": {
      good: keys,
      read: (text) => (signingKeyIn(text).privateKey.type === "private" ? undefined : "it is no private key"),
    },
  }
  return { readers, remove: () => rmSync(folder, { recursive: true }) }
}

function yamlOf(json: string): string {
  return json.replaceAll(/([{,])/g, "$1\n  ")
}

function policyFault(text: string): string | undefined {
  const { policy } = readPolicy(text, vendor)
  const levels = ["None", "Metadata", "Request", "RequestResponse"]
  const wrong = policy.rules.find(({ level }) => !levels.includes(level))
  return wrong === undefined ? undefined : `a rule of level ${JSON.stringify(wrong.level)} is accepted`
}

function abacFault(text: string): string | undefined {
  for (const policy of parseAbacPolicies(text, vendor))
    for (const [name, value] of Object.entries(policy))
      if (typeof value !== (name === "readonly" ? "boolean" : "string")) return `${name} is ${JSON.stringify(value)}`
  return undefined
}

function tokensFault(text: string): string | undefined {
  const wrong = parseTokenFile(text, "tokens.csv").find(({ token, user }) => token === "" || user.name === "" || user.groups.includes(""))
  return wrong === undefined ? undefined : `a line without ${wrong.token === "" ? "a token" : "a name"} is accepted`
}

function hookFault(path: string): string | undefined {
  const file = readHookFile({ path, clock: systemClock, onFault: () => undefined, onChange: () => undefined })
  const { url = "", access } = file.place
  file.stop()
  if (!url.startsWith("https://") && !/^https:/i.test(url)) return `the address ${url} is accepted`
  return access?.authorization === undefined || /^(Bearer|Basic) /.test(access.authorization) ? undefined : "an odd credential"
}

function issuersFault(text: string): string | undefined {
  const document = decodeConfiguration<AuthenticationConfiguration>(
    text,
    kindOf("AuthenticationConfiguration", authenticationConfigurationShape),
    vendor,
  )
  const accepted = validated((failures) =>
    validateAuthenticationConfiguration(document, { failures, disallowedIssuers: [], algorithms: ["RS256"] }),
  )
  const wrong = accepted.find(({ audiences, issuer }) => !issuer.startsWith("https://") || audiences.length === 0)
  return wrong === undefined ? undefined : `the issuer ${wrong.issuer} for ${wrong.audiences.length} audiences is accepted`
}

function authorizersFault(text: string): string | undefined {
  const document = decodeConfiguration<AuthorizationConfiguration>(
    text,
    kindOf("AuthorizationConfiguration", authorizationConfigurationShape),
    vendor,
  )
  const accepted = validated((failures) =>
    validateAuthorizationConfiguration(document, { failures, modes: authorizationModes, fileFault: () => undefined }),
  )
  const names = accepted.map(({ name }) => name)
  if (accepted.length === 0 || new Set(names).size < names.length) return `authorizers of the names ${JSON.stringify(names)} are accepted`
  const wrong = accepted.find(({ type, webhook }) => !authorizationModes.includes(type) || (type === "Webhook") !== (webhook !== undefined))
  return wrong === undefined ? undefined : `the authorizer ${wrong.name} of type ${wrong.type} is accepted`
}

function kindOf(kind: string, shape: TypeShape): ConfigurationKind {
  return { kind, versions: ["apiserver.config.orch.io/v1beta1", "apiserver.config.orch.io/v1alpha1"], shape }
}
