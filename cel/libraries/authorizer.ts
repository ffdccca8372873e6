/**
 * The authorizer library: questions about a user's permissions within an expression. The server sets the variable
 * `authorizer` with `authorizerOf`; the library itself decides nothing.
 */
import type { FunctionDeclaration, Library } from "../declaration.ts"
import { boolType, type CelType, objectType, stringType } from "../types/type.ts"
import { errorOf, noSuchOverload } from "../values/error.ts"
import { type ErrorValue, OpaqueValue, type Result, type Value } from "../values/value.ts"
import { costOf } from "./costs.ts"
import { textOf } from "./narrow.ts"

/** A question to the authorizer. `serviceAccount` is absent for the user of the request. */
export interface AuthorizerQuestion {
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly verb: string
  /** The path of a request without a resource. */
  readonly path?: string
  readonly resource?: ResourceQuestion
}

export interface ResourceQuestion {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export interface AuthorizerAnswer {
  readonly allowed: boolean
  readonly reason: string
  /** The reason why there is no decision. */
  readonly error?: string
}

/** Decides at once: an expression cannot wait. */
export type Authorize = (question: AuthorizerQuestion) => AuthorizerAnswer

const typeOf = (name: string): CelType => objectType(`kubernetes.authorization.${name}`, new Map())

/** The type of the variable `authorizer`. */
export const authorizerType = typeOf("Authorizer")
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType = typeOf("ResourceCheck")
const pathCheckType = typeOf("PathCheck")
const groupCheckType = typeOf("GroupCheck")
const decisionType = typeOf("Decision")

/** No value of this library equals any value, not even itself: the reference defines no equality for them. */
abstract class Unequal extends OpaqueValue {
  equals(_other: Value): boolean | ErrorValue {
    return noSuchOverload()
  }
}

class Authorizer extends Unequal {
  readonly type = authorizerType

  constructor(
    readonly authorize: Authorize,
    readonly serviceAccount?: { readonly namespace: string; readonly name: string },
  ) {
    super()
  }

  decide(verb: string, asked: Pick<AuthorizerQuestion, "path" | "resource">): Decision {
    const account = this.serviceAccount
    return new Decision(this.authorize({ ...(account && { serviceAccount: account }), verb, ...asked }))
  }
}

class PathCheck extends Unequal {
  readonly type = pathCheckType

  constructor(
    readonly authorizer: Authorizer,
    readonly path: string,
  ) {
    super()
  }
}

class GroupCheck extends Unequal {
  readonly type = groupCheckType

  constructor(
    readonly authorizer: Authorizer,
    readonly group: string,
  ) {
    super()
  }
}

class ResourceCheck extends Unequal {
  readonly type = resourceCheckType

  constructor(
    readonly authorizer: Authorizer,
    readonly question: ResourceQuestion,
  ) {
    super()
  }

  with(part: Partial<ResourceQuestion>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.question, ...part })
  }
}

class Decision extends Unequal {
  readonly type = decisionType

  constructor(readonly answer: AuthorizerAnswer) {
    super()
  }
}

/** The value of the variable `authorizer`. */
export function authorizerOf(authorize: Authorize): OpaqueValue {
  return new Authorizer(authorize)
}

/** The value of the variable `authorizer.requestResource`: a check of the request's own resource. */
export function requestResourceOf(authorize: Authorize, question: ResourceQuestion): OpaqueValue {
  return new ResourceCheck(new Authorizer(authorize), question)
}

/** The target of a method, of the class that its declaration names. */
function targetOf<T extends Unequal>(value: Value | undefined, expected: abstract new (...args: never[]) => T): T {
  if (!(value instanceof expected)) throw new TypeError("not a value of the authorizer")
  return value
}

const labelMax = 63
const subdomainMax = 253

function isLabel(text: string): boolean {
  return text.length <= labelMax && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)
}

function isSubdomain(text: string): boolean {
  return text.length <= subdomainMax && text.split(".").every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part))
}

function forServiceAccount(authorizer: Authorizer, namespace: string, name: string): Result {
  if (!isSubdomain(name)) return errorOf("Invalid service account name")
  if (!isLabel(namespace)) return errorOf("Invalid service account namespace")
  return new Authorizer(authorizer.authorize, { namespace, name })
}

function forPath(authorizer: Authorizer, path: string): Result {
  return path.trim() === "" ? errorOf("path must not be empty") : new PathCheck(authorizer, path)
}

function forResource(check: GroupCheck, resource: string): Result {
  if (resource.trim() === "") return errorOf("resource must not be empty")
  const question = { group: check.group, resource, subresource: "", namespace: "", name: "" }
  return new ResourceCheck(check.authorizer, question)
}

/** `check.name(text)`, which narrows a check. */
function narrowing(name: "subresource" | "namespace" | "name"): FunctionDeclaration {
  return {
    name,
    overloads: [
      {
        id: `resourcecheck_${name}`,
        member: true,
        args: [resourceCheckType, stringType],
        result: resourceCheckType,
        impl: (check, text) => targetOf(check, ResourceCheck).with({ [name]: textOf(text) }),
      },
    ],
  }
}

/** `decision.name()`. */
function answering(name: string, result: CelType, answer: (answer: AuthorizerAnswer) => Value): FunctionDeclaration {
  return {
    name,
    overloads: [
      {
        id: `decision_${name}`,
        member: true,
        args: [decisionType],
        result,
        impl: (decision) => answer(targetOf(decision, Decision).answer),
      },
    ],
  }
}

const beginning: readonly FunctionDeclaration[] = [
  {
    name: "path",
    overloads: [
      {
        id: "authorizer_path",
        member: true,
        args: [authorizerType, stringType],
        result: pathCheckType,
        impl: (authorizer, path) => forPath(targetOf(authorizer, Authorizer), textOf(path)),
      },
    ],
  },
  {
    name: "group",
    overloads: [
      {
        id: "authorizer_group",
        member: true,
        args: [authorizerType, stringType],
        result: groupCheckType,
        impl: (authorizer, group) => new GroupCheck(targetOf(authorizer, Authorizer), textOf(group)),
      },
    ],
  },
  {
    name: "serviceAccount",
    overloads: [
      {
        id: "authorizer_serviceaccount",
        member: true,
        args: [authorizerType, stringType, stringType],
        result: authorizerType,
        impl: (authorizer, namespace, name) => forServiceAccount(targetOf(authorizer, Authorizer), textOf(namespace), textOf(name)),
      },
    ],
  },
  {
    name: "resource",
    overloads: [
      {
        id: "groupcheck_resource",
        member: true,
        args: [groupCheckType, stringType],
        result: resourceCheckType,
        impl: (check, resource) => forResource(targetOf(check, GroupCheck), textOf(resource)),
      },
    ],
  },
]

const checking: FunctionDeclaration = {
  name: "check",
  ...costOf("check"),
  overloads: [
    {
      id: "pathcheck_check",
      member: true,
      args: [pathCheckType, stringType],
      result: decisionType,
      impl: (value, verb) => {
        const check = targetOf(value, PathCheck)
        return check.authorizer.decide(textOf(verb), { path: check.path })
      },
    },
    {
      id: "resourcecheck_check",
      member: true,
      args: [resourceCheckType, stringType],
      result: decisionType,
      impl: (value, verb) => {
        const check = targetOf(value, ResourceCheck)
        return check.authorizer.decide(textOf(verb), { resource: check.question })
      },
    },
  ],
}

export const authorizerLibrary: Library = {
  name: "k8s.authz",
  functions: [
    ...beginning,
    narrowing("subresource"),
    narrowing("namespace"),
    narrowing("name"),
    checking,
    answering("errored", boolType, (answer) => answer.error !== undefined),
    answering("error", stringType, (answer) => answer.error ?? ""),
    answering("allowed", boolType, (answer) => answer.allowed),
    answering("reason", stringType, (answer) => answer.reason),
  ],
}
