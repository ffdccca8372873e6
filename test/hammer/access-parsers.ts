/**
 * Texts within configurations of authentication and authorization. The YAML parser reads the documents, and CEL's the
 * expressions; both have hammers of their own.
 */
import { combinedTrust, trustData, trustOf } from "../../runtime/controllers/published-trust.ts"
import { stringifyText } from "../../runtime/encoding/json/stringify-text.ts"
import { isCompactToken, issuerOf } from "../../runtime/authn/jwt-form.ts"
import { validateAuthenticationConfiguration } from "../../runtime/authn/oidc/validate-configuration.ts"
import { validateAuthorizationConfiguration } from "../../runtime/authz/validate-configuration.ts"
import { validated } from "../../runtime/launch/configuration-file.ts"
import { authorizationModes } from "../../runtime/options/authorization-options.ts"
import { each, type Parser } from "./parser.ts"

function authentication(text: string): unknown {
  const issuer = { url: text, discoveryURL: text, audiences: [text, text], audienceMatchPolicy: text }
  const claimMappings = { username: { claim: text, prefix: text }, extra: [{ key: text }] }
  const document = { jwt: [{ issuer, claimMappings, claimValidationRules: [{ claim: text, requiredValue: text }] }] }
  return validated((failures) => validateAuthenticationConfiguration(document, { failures, disallowedIssuers: [text], algorithms: [] }))
}

function authorization(text: string): unknown {
  const connectionInfo = { type: "KubeConfigFile", kubeConfigFile: text }
  const times = { timeout: text, authorizedTTL: text, unauthorizedTTL: text }
  const webhook = { ...times, subjectAccessReviewVersion: text, failurePolicy: text, connectionInfo }
  const document = { authorizers: [{ type: text }, { type: "RBAC", name: text }, { type: "Webhook", name: text, webhook }] }
  return validated((failures) =>
    validateAuthorizationConfiguration(document, { failures, modes: authorizationModes, fileFault: () => undefined }),
  )
}

export const accessParsers: Readonly<Record<string, Parser>> = {
  "the form of signed tokens": {
    covers: ["authn/jwt-form.ts#isCompactToken", "authn/jwt-form.ts#issuerOf"],
    read: each(isCompactToken, issuerOf),
    shapes: [
      ["a.b.", ""],
      ["", ".b.c"],
    ],
    units: ["a.", "."],
  },
  "texts of audit events": { covers: ["encoding/json/stringify-text.ts#stringifyText"], read: stringifyText },
  "the ConfigMap of whom servers trust": {
    covers: [],
    read: (text) => {
      const found = trustOf({ "client-ca-file": text, "requestheader-allowed-names": text })
      return trustData(combinedTrust(found, found, 0))
    },
    shapes: [
      ["-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n"],
      ["[", "]"],
    ],
  },
  "texts in configurations of access": {
    covers: [],
    read: each(authentication, authorization),
    shapes: [
      ["https://", "/"],
      ["example.org/", "!"],
      ["1", "h"],
    ],
  },
}
