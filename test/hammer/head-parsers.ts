/** Texts of the heads of requests: header fields and targets, also as they are passed on to other machines. */
import { systemClock } from "../../runtime/base/clock.ts"
import { bearerToken, staticTokens } from "../../runtime/authn/authenticate.ts"
import { withProtocolToken } from "../../runtime/authn/websocket-token.ts"
import { managerName } from "../../runtime/apply/managed-fields/manager-name.ts"
import { addressPolicy, checkAddress } from "../../runtime/connect/addresses.ts"
import { isPassedProtocol, requestHeaders } from "../../runtime/connect/headers.ts"
import { escapedPath, proxyPaths, rewrittenLink } from "../../runtime/connect/proxy-path.ts"
import { refusedLog } from "../../runtime/connect/upstream-errors.ts"
import { parseSchemeNamePort } from "../../runtime/connect/resource-name.ts"
import { matchesTag } from "../../runtime/wire/conditional.ts"
import { aggregatedForm } from "../../runtime/discovery/discovery.ts"
import { acceptedType } from "../../runtime/openapi/answer.ts"
import { headerField } from "../../runtime/http2/header-table.ts"
import { announcedLength } from "../../runtime/http2/request-head.ts"
import { originForm } from "../../runtime/http/request-validation.ts"
import { parseRequestInfo, RequestInfoReader } from "../../runtime/http/request/info.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { acceptClauses, acceptsGzip, bodyMedia, mediaTypeOf, negotiate, wantsPretty } from "../../runtime/wire/negotiate.ts"
import { asksForWebSocket, offeredProtocols } from "../../runtime/wire/websocket-protocols.ts"
import { each, type Parser } from "./parser.ts"

const vendor = vendorProfile("kubernetes")
const paths = new RequestInfoReader(vendor)
const authenticator = staticTokens([{ token: "t", user: { name: "u", groups: [], extra: {} } }])

export const headParsers: Readonly<Record<string, Parser>> = {
  Authorization: {
    covers: ["authn/authenticate.ts#bearerToken", "authn/authenticate.ts#staticTokens"],
    read: each(
      (text) => bearerToken({ authorization: text }),
      (text) => authenticator({ headers: {}, token: text, audiences: [] }),
    ),
    shapes: [
      ["Bearer ", "!"],
      ["Bearer a", " b"],
    ],
  },
  "Sec-WebSocket-Protocol": {
    covers: [
      "authn/websocket-token.ts#withProtocolToken",
      "wire/websocket-protocols.ts#asksForWebSocket",
      "wire/websocket-protocols.ts#offeredProtocols",
    ],
    read: each((text) => {
      const headers = { upgrade: text, "sec-websocket-protocol": text }
      return [asksForWebSocket(headers), withProtocolToken(headers, offeredProtocols(headers, vendor))]
    }),
    shapes: [["base64url.bearer.authorization.k8s.io.", ",x"]],
  },
  Accept: {
    covers: [
      "wire/negotiate.ts#negotiate",
      "wire/negotiate.ts#acceptClauses",
      "openapi/answer.ts#acceptedType",
      "discovery/discovery.ts#aggregatedForm",
    ],
    read: each(
      (text) => negotiate(text, { vendor }),
      (text) => negotiate(text, { vendor, failure: true, renderings: "none" }),
      (text) => acceptClauses(text),
      (text) => acceptedType(text, ["application/json"]),
      (text) => aggregatedForm(text, { vendor }),
    ),
    shapes: [
      ["a/b", "c"],
      ["application/json;", "x"],
      ["application/json;q=", "x"],
      ["application/json;as=", ","],
    ],
  },
  "Accept-Encoding": { covers: ["wire/negotiate.ts#acceptsGzip"], read: each(acceptsGzip, (text) => acceptsGzip([text, text])) },
  "Content-Type": {
    covers: ["wire/negotiate.ts#bodyMedia", "wire/negotiate.ts#mediaTypeOf"],
    read: each((text) => bodyMedia(text, { vendor }), mediaTypeOf),
    shapes: [
      ["application/json;", "!"],
      ["application/json;a=b", "!"],
      ['application/json;a="', "!"],
      ["application/json;a=b;", "!"],
    ],
  },
  "User-Agent": {
    covers: ["apply/managed-fields/manager-name.ts#managerName", "wire/negotiate.ts#wantsPretty"],
    read: each(
      (text) => managerName("", text),
      (text) => wantsPretty({ query: new URLSearchParams(), userAgent: text }),
    ),
  },
  "If-None-Match": { covers: ["wire/conditional.ts#matchesTag"], read: each((text) => matchesTag(text, '"x"')) },
  "headers of HTTP/2": {
    covers: ["http2/header-table.ts#headerField", "http2/request-head.ts#announcedLength"],
    read: each(
      (text) => headerField(text, text),
      (text) => headerField("x", text),
      (text) => announcedLength({ "content-length": text }),
    ),
    shapes: [
      ["\t", "\t"],
      ["1", "x"],
    ],
  },
  "headers that are passed on": {
    covers: ["connect/headers.ts#requestHeaders", "connect/headers.ts#isPassedProtocol"],
    read: each(isPassedProtocol, (text) => {
      const headers = { te: text, connection: text, "x-forwarded-for": text, "sec-websocket-protocol": text, host: text, other: text }
      return requestHeaders(Object.assign(Object.create(null), { headers, socket: {} }), { uri: text, upgrade: text })
    }),
    shapes: [
      ["trailers", "trailers"],
      ["base64url.bearer.authorization.", ","],
    ],
  },
  "request target": {
    covers: ["http/request-validation.ts#originForm", "filters/request-info.ts", "http/request/info.ts#parseRequestInfo"],
    read: each(
      originForm,
      (path) => parseRequestInfo({ method: "GET", path, watch: false, vendor }),
      (path) => paths.read({ method: "GET", path, watch: false }),
      (path) => paths.read({ method: path, path: "/api/v1/pods", watch: false }),
      decodeURIComponent,
    ),
    shapes: [
      ["/api/v1/", "x"],
      ["/apis/", "/x"],
      ["/api/v1/namespaces/a/pods/", "/x"],
      ["https://", "/x"],
    ],
  },
  "proxy path": {
    covers: ["connect/proxy-path.ts#proxyPaths", "connect/proxy-path.ts#escapedPath", "connect/proxy-path.ts#rewrittenLink"],
    read: each(
      (text) => proxyPaths(`/p/${text}`, text.split("/")),
      (text) => proxyPaths(`/p/${"b".repeat(100_000)}/${text}`, ["b".repeat(100_000), ...text.split("/")]),
      escapedPath,
      (text) => rewrittenLink(text, { prefix: "/p", hosts: ["h"] }),
    ),
    shapes: [
      ["http://", "/x"],
      ["http:", "x"],
      ["//h", "#"],
    ],
  },
  "name of a proxy": {
    covers: [
      "connect/resource-name.ts#parseSchemeNamePort",
      "connect/addresses.ts#checkAddress",
      "connect/addresses.ts#resolveAllowedAddress",
    ],
    read: each(parseSchemeNamePort, (text) => checkAddress(text, addressPolicy({ own: () => [], allowedCidrs: [], clock: systemClock }))),
    shapes: [["http:", ":80"]],
  },
  "refusal of a node's agent": { covers: ["connect/upstream-errors.ts#refusedLog"], read: each((text) => refusedLog(400, text, "pod")) },
}
