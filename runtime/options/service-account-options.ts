/** The options of tokens of service accounts and of bootstrap tokens (specification section 5). */
import { option } from "./option.ts"
import { boolean, duration, listOf, text } from "./value-types.ts"

const file = text("file")

export const serviceAccountOptions = {
  "enable-bootstrap-token-auth": option({
    type: boolean,
    group: "Authentication and authorization",
    default: false,
    help: "Accept bootstrap tokens, with which new nodes make themselves known: Secrets of type bootstrap.orch.io/token in the system namespace.",
  }),
  "service-account-key-file": option({
    type: listOf(file, "files"),
    group: "Authentication and authorization",
    default: [],
    defaultText: "a key in the data folder",
    help: "PEM files with the keys that verify tokens of service accounts. Servers on etcd need the same ones, and accept no such tokens without.",
  }),
  "service-account-signing-key-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    defaultText: "the key in the data folder",
    help: "PEM file with the private key that signs tokens of service accounts. Its public key must be in --service-account-key-file.",
  }),
  "service-account-issuer": option({
    type: listOf(text("issuer"), "issuers"),
    group: "Authentication and authorization",
    default: [],
    defaultText: "https://orch.default.svc.cluster.local",
    help: "Issuer of tokens of service accounts, best an https URL. With several, the first is that of new tokens, and all are accepted.",
  }),
  "service-account-jwks-uri": option({
    type: text("url"),
    group: "Authentication and authorization",
    default: "",
    defaultText: "/openid/v1/jwks of this server",
    help: "Where others find the keys of the issuer, for its discovery document.",
  }),
  "service-account-lookup": option({
    type: boolean,
    group: "Authentication and authorization",
    default: true,
    help: "Refuse tokens of service accounts that are gone, or that are bound to an object that is gone.",
  }),
  "service-account-max-token-expiration": option({
    type: duration({ minMs: 0 }),
    group: "Authentication and authorization",
    default: 0,
    help: "Longest life of a token of a service account, 1h or more; a request for a longer one gets this. 0 means any.",
  }),
  "service-account-extend-token-expiration": option({
    type: boolean,
    group: "Authentication and authorization",
    default: true,
    help: "Let the tokens that kubelets mount into pods live for a year, and count those used after the time that was asked for.",
  }),
}
