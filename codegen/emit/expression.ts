/**
 * Compiles expressions of the dialect to plain TypeScript that calls the doorway (runtime/schema/expression.ts).
 *
 * A field that is not a pointer has no absent state: the checker has written its zero value into the tree. When such a
 * field is used as a value and all its parents certainly exist, an absent field reads as that zero ("", 0, false).
 * `has(x)` and `x ?? y` test the field as it was sent.
 */
import { expressionFunctions } from "../../model/expression/functions.ts"
import { isSimple } from "../../model/expression/types.ts"
import type {
  ExpressionConversion,
  ExpressionModel,
  ExpressionTree,
  FieldModel,
  FieldReading,
  Model,
  TemplatePart,
} from "../../model/model.ts"
import type { FileBuilder } from "./file-builder.ts"

/** The names that an expression may use, and the code for them. */
export interface ExpressionScope {
  /** The value whose fields are bare names. */
  readonly self: string
  readonly root: string
  readonly oldSelf?: string
  readonly oldRoot?: string
  /** Milliseconds now, for `age`. */
  readonly nowMs?: string
  readonly vendor?: string
  /** Arguments of cell functions. */
  readonly cell?: string
}

interface Compiled {
  readonly code: string
  /** The code is a TypeScript boolean. */
  readonly boolean: boolean
  /** Of the field that was selected last. */
  readonly reads?: FieldReading
  /** The code is an operation that needs parentheses beside another operator. */
  readonly open?: boolean
  /** Whether the parents of the value exist. `optional`: one of them is a pointer, so that only an object shows it. */
  readonly parents: "exist" | "optional" | "unknown"
  /** A member path that further selects can extend. */
  readonly path?: { readonly base: string; readonly names: readonly string[] }
}

/** Compiles a value. Called for columns, selectable fields and defaults. */
export function compileValue(builder: FileBuilder, expression: ExpressionModel, scope: ExpressionScope): string {
  return new Compiler(builder, scope).value(expression.tree)
}

/** Compiles a condition to a TypeScript boolean. Called for rules and `when`. */
export function compileCondition(builder: FileBuilder, expression: ExpressionModel, scope: ExpressionScope): string {
  return new Compiler(builder, scope).condition(expression.tree)
}

/** Compiles "unless `when`, then `rule`". */
export function compileRule(
  builder: FileBuilder,
  rule: ExpressionModel,
  when: ExpressionModel | undefined,
  scope: ExpressionScope,
): string {
  const compiler = new Compiler(builder, scope)
  return when === undefined ? compiler.condition(rule.tree) : `!${compiler.operand(when.tree)} || ${compiler.operand(rule.tree)}`
}

/** Compiles a message: a string literal, or a function when it contains expressions. */
export function compileMessage(builder: FileBuilder, parts: readonly TemplatePart[], scope: ExpressionScope): string {
  if (parts.every((part) => typeof part === "string")) return JSON.stringify(parts.join(""))
  const pieces = parts.map((part) =>
    typeof part === "string" ? escapeTemplate(part) : `\${${builder.runtime("text")}(${compileValue(builder, part, scope)})}`,
  )
  return `() => \`${pieces.join("")}\``
}

function escapeTemplate(text: string): string {
  return text.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`)
}

/** Functions that compile to a call of the doorway function with that name (or the given one) and all arguments. */
const plainFunctions: ReadonlyMap<string, string> = new Map([
  ...[
    "size",
    "startsWith",
    "endsWith",
    "contains",
    "matches",
    "lowerAscii",
    "trim",
    "split",
    "join",
    "int",
    "double",
    "duration",
    "quantity",
    "time",
    "min",
    "max",
    "sum",
  ].map((name) => [name, name] as const),
  ...[
    "formatLabels",
    "formatSelector",
    "selectorString",
    "lbAddresses",
    "isIP",
    "isIPv4",
    "isIPv6",
    "isCIDR",
    "isFormat",
    "imageTag",
    "matchesSelector",
    "isSelector",
  ].map((name) => [name, name] as const),
  ["count", "size"],
  ["string", "text"],
  ["timestamp", "time"],
  ["type", "typeName"],
])
function isBoolean(name: string): boolean {
  return expressionFunctions.get(name)?.overloads.every(({ result }) => isSimple(result, "bool")) === true
}

/** The doorway's function for each conversion of a field's text. */
const conversions: Readonly<Record<ExpressionConversion, string>> = {
  quantity: "quantity",
  duration: "duration",
  timestamp: "time",
  time: "timeText",
  microTime: "microTimeText",
}

const arithmetic: Readonly<Record<string, string>> = { "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "remainder" }

class Compiler {
  constructor(
    private readonly builder: FileBuilder,
    private readonly scope: ExpressionScope,
    private readonly variables: ReadonlySet<string> = new Set(),
  ) {}

  compile(tree: ExpressionTree): Compiled {
    switch (tree.node) {
      case "literal":
        return plainCode(literalCode(tree.value), typeof tree.value === "boolean")
      case "name":
        return this.name(tree.name, tree.reads)
      case "select":
        return this.select(this.compile(tree.of), tree.field, tree.reads)
      case "index":
        return this.index(tree)
      case "call":
        return this.call(tree.function, tree.target === undefined ? tree.arguments : [tree.target, ...tree.arguments])
      case "unary":
        if (tree.operator === "!") return plainCode(`!${this.operand(tree.of)}`, true)
        return plainCode(this.runtime("negate", this.value(tree.of)))
      case "binary":
        if (tree.double === true) return plainCode(this.runtime("quotient", this.value(tree.left), this.value(tree.right)))
        return this.binary(tree.operator, tree.left, tree.right)
      case "conditional":
        return operation(
          `${this.operand(tree.test)} ? ${this.valueOperand(this.compile(tree.then))} : ${this.valueOperand(this.compile(tree.otherwise))}`,
        )
      case "list":
        return plainCode(`[${tree.items.map((item) => this.value(item)).join(", ")}]`)
      case "macro":
        return this.macro(tree)
      case "convert": {
        const convert = conversions[tree.to]
        if (tree.list) return plainCode(this.runtime("each", this.value(tree.of), this.builder.runtime(convert)))
        return plainCode(this.runtime(convert, this.value(tree.of)))
      }
    }
  }

  condition(tree: ExpressionTree): string {
    const compiled = this.compile(tree)
    return compiled.boolean ? compiled.code : this.runtime("truth", compiled.code)
  }

  /** A condition beside another operator. */
  operand(tree: ExpressionTree): string {
    const compiled = this.compile(tree)
    if (!compiled.boolean) return this.runtime("truth", compiled.code)
    return compiled.open === true ? `(${compiled.code})` : compiled.code
  }

  /** A value; an absent one is zero if its field reads as that. */
  value(tree: ExpressionTree): string {
    return this.orZero(this.compile(tree)).code
  }

  private orZero(compiled: Compiled): Compiled {
    const { code, parents, path, reads } = compiled
    if (reads?.zero === undefined || parents === "unknown") return compiled
    const zero = literalCode(reads.zero)
    if (parents === "exist") return operation(`${code} ?? ${zero}`)
    const { base, names } = required(path, "a selection has a path")
    return plainCode(this.runtime("getOrZero", zero, base, ...names.map((one) => JSON.stringify(one))))
  }

  /** The value as an operand. */
  private valueOperand(compiled: Compiled): string {
    const { code, open } = this.orZero(compiled)
    return open === true ? `(${code})` : code
  }

  private runtime(name: string, ...values: readonly string[]): string {
    return `${this.builder.runtime(name)}(${values.join(", ")})`
  }

  private name(name: string, reads: FieldReading | undefined): Compiled {
    if (this.variables.has(name)) return start(variableName(name))
    const { self, root, oldSelf, oldRoot } = this.scope
    if (name === "self") return start(self)
    // A type that several kinds share knows no fields of the whole object, so none reads them as zero.
    if (name === "root") return { ...start(root), parents: "unknown" }
    if (name === "oldSelf" && oldSelf !== undefined) return start(oldSelf)
    if (name === "oldRoot" && oldRoot !== undefined) return { ...start(oldRoot), parents: "unknown" }
    return this.select(start(self), name, reads)
  }

  private select(of: Compiled, name: string, reads: FieldReading | undefined): Compiled {
    const path = of.path ?? { base: of.code, names: [] }
    const names = [...path.names, name]
    const code = this.runtime("get", path.base, ...names.map((one) => JSON.stringify(one)))
    const parents = of.parents === "exist" && of.reads?.pointer === true ? "optional" : of.parents
    return { code, boolean: false, parents, path: { base: path.base, names }, ...(reads !== undefined && { reads }) }
  }

  private index({ of, index, reads }: ExpressionTree & { node: "index" }): Compiled {
    const list = this.compile(of)
    if (index.node === "literal" && typeof index.value === "string") return { ...this.select(list, index.value, reads), parents: "unknown" }
    return plainCode(this.runtime("item", list.code, this.value(index)))
  }

  private binary(operator: string, left: ExpressionTree, right: ExpressionTree): Compiled {
    switch (operator) {
      case "&&":
      case "||":
        return operation(`${this.operand(left)} ${operator} ${this.operand(right)}`, true)
      case "??":
        return plainCode(this.runtime("orElse", this.compile(left).code, this.value(right)))
      case "==":
        return this.equal(left, right, "===")
      case "!=":
        return this.equal(left, right, "!==")
      case "<":
        return plainCode(this.runtime("less", this.value(left), this.value(right)), true)
      case ">":
        return plainCode(this.runtime("less", this.value(right), this.value(left)), true)
      case "<=":
        return plainCode(this.runtime("atMost", this.value(left), this.value(right)), true)
      case ">=":
        return plainCode(this.runtime("atMost", this.value(right), this.value(left)), true)
      case "in":
        return plainCode(this.runtime("within", this.value(left), this.value(right)), true)
      default:
        return plainCode(this.runtime(required(arithmetic[operator], `operator ${operator}`), this.value(left), this.value(right)))
    }
  }

  /**
   * Comparing with a string or a boolean needs no call. Reads an absent value as zero only when comparing with zero.
   */
  private equal(left: ExpressionTree, right: ExpressionTree, sign: "===" | "!=="): Compiled {
    const [tree, literal] = left.node === "literal" ? [right, left] : [left, right]
    if (literal.node !== "literal" || (typeof literal.value !== "string" && typeof literal.value !== "boolean")) {
      return plainCode(`${sign === "===" ? "" : "!"}${this.runtime("equals", this.value(left), this.value(right))}`, true)
    }
    const compiled = this.compile(tree)
    const bare = literal.value !== "" && literal.value !== false && compiled.open !== true
    return operation(`${bare ? compiled.code : this.valueOperand(compiled)} ${sign} ${JSON.stringify(literal.value)}`, true)
  }

  private call(name: string, values: readonly ExpressionTree[]): Compiled {
    const [first] = values
    if (name === "has" && first !== undefined) return this.has(first)
    const plain = plainFunctions.get(name)
    if (plain !== undefined) return plainCode(this.runtime(plain, ...values.map((value) => this.value(value))), isBoolean(name))
    const argument = required(first, `an argument of ${name}`)
    switch (name) {
      case "age":
        return plainCode(
          this.runtime("age", this.compile(argument).code, required(this.scope.nowMs, "the time, for age, outside of columns")),
        )
      case "vendor":
        return plainCode(this.runtime("vendorText", required(this.scope.vendor, "the vendor, for vendor()"), this.value(argument)))
      case "behaviour": {
        const cell = argument.node === "literal" && typeof argument.value === "string" ? argument.value : undefined
        const code = this.builder.behaviour("cells", required(cell, "the name of a cell function"))
        return plainCode(this.runtime("cellOf", code, required(this.scope.cell, "an object, for behaviour(), outside of columns")))
      }
      default:
        throw new Error(`the expression function ${name} has no code`)
    }
  }

  private has(tree: ExpressionTree): Compiled {
    const { code, reads } = this.compile(tree)
    return plainCode(this.runtime(reads === undefined || reads.pointer ? "present" : "nonZero", code), true)
  }

  private macro(tree: ExpressionTree & { node: "macro" }): Compiled {
    const of = this.compile(tree.of)
    const inner = new Compiler(this.builder, this.scope, new Set([...this.variables, tree.variable]))
    const body = tree.macro === "map" ? inner.value(tree.body) : inner.condition(tree.body)
    const boolean = tree.macro !== "map" && tree.macro !== "filter"
    return plainCode(this.runtime(tree.macro, of.code, `(${variableName(tree.variable)}) => ${body}`), boolean)
  }
}

function plainCode(code: string, boolean = false): Compiled {
  return { code, boolean, parents: "unknown" }
}

function operation(code: string, boolean = false): Compiled {
  return { code, boolean, open: true, parents: "unknown" }
}

function start(code: string): Compiled {
  return { code, boolean: false, parents: "exist", path: { base: code, names: [] } }
}

/** Macro variables end in an underscore, as no generated name does, so they never shadow outer names. */
function variableName(name: string): string {
  return `${name}_`
}

function literalCode(value: unknown): string {
  return JSON.stringify(value)
}

function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`an expression needs ${what}`)
  return value
}

/** The field with that JSON name in a type, or in its inline types. */
export function findField(model: Model, typeName: string, name: string): FieldModel | undefined {
  const type = model.types.get(typeName)
  for (const field of type?.fields ?? []) {
    if (!field.inline && field.name === name) return field
    if (!field.inline || !("ref" in field.type)) continue
    const inner = findField(model, field.type.ref, name)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** The field at a dotted path, through struct fields only. */
export function fieldAt(model: Model, typeName: string, [name, ...rest]: readonly string[]): FieldModel | undefined {
  const field = name === undefined ? undefined : findField(model, typeName, name)
  if (field === undefined || rest.length === 0) return field
  return "ref" in field.type ? fieldAt(model, field.type.ref, rest) : undefined
}
