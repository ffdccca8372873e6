/**
 * Checks an AuthenticationConfiguration and compiles its expressions. Rules, field paths and texts are as in
 * kube-apiserver 1.30.
 */
import type { Failures } from "../../base/failure.ts"
import { trimmedEnd } from "../../base/trim.ts"
import {
  type AccessExpression,
  type AccessVariable,
  compileAccess,
  compileCondition,
  readsClaim,
} from "../../policies/access-expressions.ts"
import { formatFaults } from "../../schema/formats.ts"
import { certificatePool } from "../certificates/pool.ts"
import type {
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimValidationRule,
  IssuerConfiguration,
  JwtConfiguration,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from "./configuration.ts"
import type { ClaimSource, JwtAuthenticator, ValidationRule } from "./jwt-authenticator.ts"

/** Issuers of one configuration; more is an error. The reference's number. */
const issuersMax = 64

export interface ConfigurationContext {
  /** Collects the faults. */
  readonly failures: Failures
  /** Issuers of tokens that other authenticators know. */
  readonly disallowedIssuers: readonly string[]
  readonly algorithms: readonly string[]
}

/** Returns the valid parts, in the order of the document. The caller uses none of them if there are failures. */
export function validateAuthenticationConfiguration(
  { jwt = [] }: AuthenticationConfiguration,
  context: ConfigurationContext,
): readonly JwtAuthenticator[] {
  const { failures } = context
  if (jwt.length > issuersMax) {
    failures.add({ type: "TooMany", field: "jwt", value: jwt.length, detail: `must have at most ${issuersMax} items` })
    return []
  }
  const issuers = new Set<string>()
  const discoveries = new Set<string>()
  return jwt.map((one, index) => {
    const at = `jwt[${index}]`
    const authenticator = new JwtCheck(context, at).authenticator(one)
    const { url = "", discoveryURL = "" } = one.issuer
    addUnique(failures, issuers, { field: `${at}.issuer.url`, value: url })
    if (discoveryURL !== "") addUnique(failures, discoveries, { field: `${at}.issuer.discoveryURL`, value: discoveryURL })
    return authenticator
  })
}

/** Returns false and adds a failure for a value that occurred before. */
function addUnique(failures: Failures, seen: Set<string>, { field, value }: { field: string; value: string }): boolean {
  const isNew = !seen.has(value)
  if (!isNew) failures.add({ type: "Duplicate", field, value, detail: "" })
  seen.add(value)
  return isNew
}

class JwtCheck {
  private readonly failures: Failures
  /**
   * The username expression reads `claims.email`; it, a validation or an extra expression reads
   * `claims.email_verified`.
   */
  private readsEmail = false
  private readsEmailVerified = false

  constructor(
    private readonly context: ConfigurationContext,
    private readonly at: string,
  ) {
    this.failures = context.failures
  }

  authenticator({ issuer, claimValidationRules = [], claimMappings, userValidationRules = [] }: JwtConfiguration): JwtAuthenticator {
    const { url = "", discoveryURL = "", certificateAuthority = "", audiences = [] } = issuer
    this.issuer(issuer, `${this.at}.issuer`)
    const claimRules = this.claimRules(claimValidationRules, `${this.at}.claimValidationRules`)
    const mapped = this.mappings(claimMappings, `${this.at}.claimMappings`)
    return {
      issuer: url,
      discoveryUrl: discoveryURL === "" ? undefined : discoveryURL,
      authorities: certificateAuthority === "" ? undefined : certificateAuthority,
      audiences,
      algorithms: this.context.algorithms,
      ...mapped,
      requiredClaims: claimValidationRules.flatMap(({ claim = "", requiredValue = "" }) =>
        claim === "" ? [] : [[claim, requiredValue] as const],
      ),
      claimRules,
      userRules: this.userRules(userValidationRules, `${this.at}.userValidationRules`),
    }
  }

  private issuer(issuer: IssuerConfiguration, at: string): void {
    const { url = "", discoveryURL = "", certificateAuthority = "" } = issuer
    if (url === "") this.required(`${at}.url`, "URL is required")
    else {
      const disallowed = this.context.disallowedIssuers
      if (disallowed.includes(url))
        this.invalid(`${at}.url`, url, `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(" ")}]`)
      this.url(`${at}.url`, url)
    }
    if (discoveryURL !== "") {
      if (url !== "" && withoutSlashes(url) === withoutSlashes(discoveryURL))
        this.invalid(`${at}.discoveryURL`, discoveryURL, "discoveryURL must be different from URL")
      this.url(`${at}.discoveryURL`, discoveryURL)
    }
    this.audiences(issuer, at)
    if (certificateAuthority !== "" && !hasCertificates(certificateAuthority))
      this.invalid(`${at}.certificateAuthority`, "<omitted>", "data does not contain any valid RSA or ECDSA certificates")
  }

  private url(field: string, value: string): void {
    if (!URL.canParse(value)) return this.invalid(field, value, `parse ${JSON.stringify(value)}: it is no URL`)
    const url = new URL(value)
    if (url.protocol !== "https:") this.invalid(field, value, "URL scheme must be https")
    if (url.username !== "" || url.password !== "") this.invalid(field, value, "URL must not contain a username or password")
    if (url.search !== "") this.invalid(field, value, "URL must not contain a query")
    if (url.hash !== "") this.invalid(field, value, "URL must not contain a fragment")
  }

  private audiences({ audiences = [], audienceMatchPolicy: policy = "" }: IssuerConfiguration, at: string): void {
    const field = `${at}.audiences`
    if (audiences.length === 0) return this.required(field, `at least one ${field} is required`)
    const seen = new Set<string>()
    for (const [index, audience] of audiences.entries()) {
      if (audience === "") this.required(`${field}[${index}]`, "audience can't be empty")
      addUnique(this.failures, seen, { field: `${field}[${index}]`, value: audience })
    }
    if (policy === "MatchAny" || (audiences.length === 1 && policy === "")) return
    const wanted = audiences.length > 1 ? "must be MatchAny for multiple audiences" : "must be empty or MatchAny for single audience"
    this.invalid(`${at}.audienceMatchPolicy`, policy, `audienceMatchPolicy ${wanted}`)
  }

  private claimRules(rules: readonly ClaimValidationRule[], field: string): readonly ValidationRule[] {
    const claims = new Set<string>()
    const expressions = new Set<string>()
    return rules.flatMap(({ claim = "", requiredValue = "", expression = "", message = "" }, index): ValidationRule[] => {
      const at = `${field}[${index}]`
      if (claim !== "" && expression !== "") this.invalid(at, claim, "claim and expression can't both be set")
      else if (claim !== "") {
        if (message !== "") this.invalid(`${at}.message`, message, "message can't be set when claim is set")
        addUnique(this.failures, claims, { field: `${at}.claim`, value: claim })
      } else if (expression !== "") {
        if (requiredValue !== "") this.invalid(`${at}.requiredValue`, requiredValue, "requiredValue can't be set when expression is set")
        if (!addUnique(this.failures, expressions, { field: `${at}.expression`, value: expression })) return []
        const compiled = this.compiled("claims", expression, { field: `${at}.expression`, isCondition: true })
        if (compiled === undefined) return []
        this.readsEmailVerified ||= readsClaim(compiled, "email_verified")
        return [{ expression: compiled, message }]
      } else this.required(at, "claim or expression is required")
      return []
    })
  }

  private mappings(mappings: ClaimMappings, at: string): Pick<JwtAuthenticator, "username" | "groups" | "uid" | "extra"> {
    const { username: name, groups = {}, uid = {}, extra = [] } = mappings
    if ((name.claim ?? "") === "" && (name.expression ?? "") === "") this.required(`${at}.username`, "claim or expression is required")
    const username = this.source(name, `${at}.username`)
    if (username !== undefined && "expression" in username) {
      this.readsEmail = readsClaim(username.expression, "email")
      this.readsEmailVerified ||= readsClaim(username.expression, "email_verified")
    }
    const mapped = {
      // There are failures without a source, and the record is then not used.
      username: username ?? { claim: "", prefix: "" },
      groups: this.source(groups, `${at}.groups`),
      uid: this.uid(uid, `${at}.uid`),
      extra: this.extra(extra, `${at}.extra`),
    }
    if (this.readsEmail && !this.readsEmailVerified) this.invalid(`${at}.username.expression`, name.expression ?? "", unverifiedEmail)
    return mapped
  }

  private source({ claim = "", prefix, expression = "" }: PrefixedClaimOrExpression, at: string): ClaimSource | undefined {
    if (expression !== "" && claim !== "") this.invalid(at, "", "claim and expression can't both be set")
    else if (expression !== "") {
      if (prefix !== undefined) this.invalid(`${at}.prefix`, prefix, "prefix can't be set when expression is set")
      return this.expressionSource(expression, at)
    } else if (claim !== "") {
      if (prefix === undefined)
        this.required(`${at}.prefix`, "prefix is required when claim is set. It can be set to an empty string to disable prefixing")
      return { claim, prefix: prefix ?? "" }
    }
    return undefined
  }

  private uid({ claim = "", expression = "" }: NonNullable<ClaimMappings["uid"]>, at: string): ClaimSource | undefined {
    if (claim !== "" && expression !== "") this.invalid(at, "", "claim and expression can't both be set")
    else if (claim !== "") return { claim, prefix: "" }
    else if (expression !== "") return this.expressionSource(expression, at)
    return undefined
  }

  private expressionSource(source: string, at: string): ClaimSource | undefined {
    const expression = this.compiled("claims", source, { field: `${at}.expression` })
    return expression && { expression }
  }

  private extra(mappings: NonNullable<ClaimMappings["extra"]>, field: string): JwtAuthenticator["extra"] {
    const keys = new Set<string>()
    return mappings.flatMap(({ key = "", valueExpression = "" }, index) => {
      const at = `${field}[${index}]`
      if (key === "") this.required(`${at}.key`, "")
      else for (const fault of formatFaults("domain-prefixed-path", key)) this.invalid(`${at}.key`, key, fault)
      if (key !== key.toLowerCase()) this.invalid(`${at}.key`, key, "key must be lowercase")
      if (!addUnique(this.failures, keys, { field: `${at}.key`, value: key })) return []
      if (valueExpression === "") {
        this.required(`${at}.valueExpression`, "valueExpression is required")
        return []
      }
      const expression = this.compiled("claims", valueExpression, { field: `${at}.valueExpression` })
      if (expression === undefined) return []
      this.readsEmailVerified ||= readsClaim(expression, "email_verified")
      return [{ key, expression }]
    })
  }

  private userRules(rules: readonly UserValidationRule[], field: string): readonly ValidationRule[] {
    const seen = new Set<string>()
    return rules.flatMap(({ expression = "", message = "" }, index) => {
      const at = `${field}[${index}].expression`
      if (expression === "") {
        this.required(at, "expression is required")
        return []
      }
      if (!addUnique(this.failures, seen, { field: at, value: expression })) return []
      const compiled = this.compiled("user", expression, { field: at, isCondition: true })
      return compiled === undefined ? [] : [{ expression: compiled, message }]
    })
  }

  private compiled(
    variable: AccessVariable,
    source: string,
    { field, isCondition = false }: { readonly field: string; readonly isCondition?: boolean },
  ): AccessExpression | undefined {
    const compiled = (isCondition ? compileCondition : compileAccess)(variable, source)
    if (!("fault" in compiled)) return compiled
    this.failures.add({ type: compiled.internal === true ? "InternalError" : "Invalid", field, value: source, detail: compiled.fault })
    return undefined
  }

  private required(field: string, detail: string): void {
    this.failures.add({ type: "Required", field, detail })
  }

  private invalid(field: string, value: string, detail: string): void {
    this.failures.add({ type: "Invalid", field, value, detail })
  }
}

const unverifiedEmail =
  "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression"

function withoutSlashes(url: string): string {
  return trimmedEnd(url, "/")
}

function hasCertificates(pem: string): boolean {
  try {
    return certificatePool(pem).certificates.length > 0
  } catch {
    return false
  }
}
