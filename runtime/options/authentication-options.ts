/** The options that identify clients, besides the list of tokens. */
import { option } from "./option.ts"
import { claims, duration, headerName, issuerUrl, listOf, oneOf, text } from "./value-types.ts"

const file = text("file")

export const authenticationOptions = {
  "client-ca-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "PEM file of authorities. A client with a certificate of theirs is the user in its common name, in the groups of its organizations. Read again when it changes.",
  }),
  "requestheader-client-ca-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "PEM file of the authorities of proxies that name the user in header fields. Their certificates are verified before the fields are believed. Read again when it changes.",
  }),
  "requestheader-allowed-names": option({
    type: listOf(text("name"), "names"),
    group: "Authentication and authorization",
    default: [],
    help: "Common names of the certificates of these proxies; empty for any certificate of their authorities.",
  }),
  "requestheader-username-headers": option({
    type: listOf(headerName, "headers"),
    group: "Authentication and authorization",
    default: [],
    help: "Header fields that name the user, such as X-Remote-User; the first that a request has counts.",
  }),
  "requestheader-group-headers": option({
    type: listOf(headerName, "headers"),
    group: "Authentication and authorization",
    default: [],
    help: "Header fields that name groups, such as X-Remote-Group, one group in each line.",
  }),
  "requestheader-extra-headers-prefix": option({
    type: listOf(headerName, "prefixes"),
    group: "Authentication and authorization",
    default: [],
    help: "Prefixes of header fields with further facts about the user, such as X-Remote-Extra-; what follows is the key.",
  }),
  "authentication-token-webhook-config-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "File in the form of a kubeconfig with the address of a web hook that knows bearer tokens: it gets a TokenReview.",
  }),
  "authentication-token-webhook-version": option({
    type: oneOf("v1beta1", "v1"),
    group: "Authentication and authorization",
    default: "v1beta1",
    help: "Version of the TokenReviews that are sent to this web hook.",
  }),
  "authentication-token-webhook-cache-ttl": option({
    type: duration({ minMs: 0 }),
    group: "Authentication and authorization",
    default: 120_000,
    help: "How long an answer of this web hook is kept; 0s means not at all.",
  }),
  "authentication-config": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "File of kind AuthenticationConfiguration that names the issuers of ID tokens, in place of --oidc-*. Read again when it changes.",
  }),
  "oidc-issuer-url": option({
    type: issuerUrl,
    group: "Authentication and authorization",
    default: "",
    help: "Issuer of the ID tokens that are accepted as bearer tokens, an https URL. Its configuration and keys are read from there.",
  }),
  "oidc-client-id": option({
    type: text("id"),
    group: "Authentication and authorization",
    default: "",
    help: "The audience that these tokens must be for. Needed with --oidc-issuer-url.",
  }),
  "oidc-ca-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "PEM file of the authorities of the issuer. Without it the system's authorities are trusted.",
  }),
  "oidc-username-claim": option({
    type: text("claim"),
    group: "Authentication and authorization",
    default: "sub",
    help: "Claim that names the user. An email must not be marked as unverified.",
  }),
  "oidc-username-prefix": option({
    type: text("prefix"),
    group: "Authentication and authorization",
    default: "",
    help: "Text before every user's name; - for none. Without it the names of claims other than email follow the issuer and #.",
  }),
  "oidc-groups-claim": option({
    type: text("claim"),
    group: "Authentication and authorization",
    default: "",
    help: "Claim with the groups of the user, a text or a list. Without it there are none.",
  }),
  "oidc-groups-prefix": option({
    type: text("prefix"),
    group: "Authentication and authorization",
    default: "",
    help: "Text before every group's name.",
  }),
  "oidc-required-claim": option({
    type: claims,
    group: "Authentication and authorization",
    default: {},
    help: "A claim that a token must have, with its value: claim=value. May be repeated.",
  }),
  "oidc-signing-algs": option({
    type: listOf(oneOf("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"), "algorithms"),
    group: "Authentication and authorization",
    default: ["RS256"],
    help: "Algorithms with which tokens may be signed.",
  }),
} as const
