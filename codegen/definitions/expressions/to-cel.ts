/**
 * The seam from the dialect's expressions to CEL. Where the two languages are one, this file returns its input.
 *
 * The languages treat absent fields differently. In the dialect a comparison with absent is false, and a field that is
 * not a pointer reads as its zero value; in CEL reading an absent field is an error. The result tests fields that may
 * be absent with `has`, unless the expression has tested them already.
 */
import type { ExpressionTree, TypeRefModel } from "../../../model/model.ts"
import { formatPatterns } from "../names.ts"
import {
  asDouble,
  entry,
  type Facts,
  isAbsent,
  isConverted,
  joined,
  levels,
  literal,
  literalText,
  negated,
  NotInCel,
  operatorLevels,
  tests,
  truth,
  typeOfLiteral,
  withFacts,
  wrapped,
  type Written,
  type WrittenValue,
  zeroText,
} from "./cel-text.ts"
import { celNameOf } from "./escapes.ts"

/** A field of a struct, as CEL reads it. */
export interface CelField {
  readonly type: TypeRefModel
  /** Every valid object has it, or gets it by default. */
  readonly isCertain: boolean
  /** Absent reads as "", 0 or false. */
  readonly isZero: boolean
  /** Empty is absent: a list or map that is not a pointer. */
  readonly isEmptyAbsent: boolean
}

/** The value that an expression belongs to. */
export interface CelScope {
  readonly self: TypeRefModel
  /** `root` is `self`. */
  readonly isRoot: boolean
  /** The field of a struct by the unique name of its type. */
  readonly field: (type: string, name: string) => CelField | undefined
}

/** Returns the condition in CEL. Throws NotInCel. */
export function conditionInCel(rule: ExpressionTree, when: ExpressionTree | undefined, scope: CelScope): string {
  const writer = new CelWriter(scope)
  const nothing: Facts = new Set()
  const test = when === undefined ? truth : writer.condition(when, nothing)
  const known = when === undefined ? nothing : new Set(writer.factsWhen(when, true))
  const made = writer.condition(rule, known)
  return test.text === truth.text ? made.text : joined("||", 1, [negated(test), made]).text
}

/** Returns a value for a message in CEL. Throws NotInCel, also for a value that may be absent. */
export function valueInCel(tree: ExpressionTree, scope: CelScope): string {
  return certainValue(tree, scope).text
}

/** Returns a message that is one value. Throws as `valueInCel` does. */
export function textInCel(tree: ExpressionTree, scope: CelScope): string {
  const value = certainValue(tree, scope)
  const isText = value.type !== undefined && "scalar" in value.type && value.type.scalar === "string"
  return isText ? value.text : `string(${value.text})`
}

function certainValue(tree: ExpressionTree, scope: CelScope): WrittenValue {
  const value = new CelWriter(scope).value(tree, new Set())
  if (value.needs.length > 0) throw new NotInCel(`${value.text} may be absent`)
  return value
}

const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!=", "in"])
const textTests: ReadonlySet<string> = new Set(["startsWith", "endsWith", "contains", "matches"])
const textFunctions: ReadonlySet<string> = new Set(["lowerAscii", "trim", "split", "join"])
const plainTests: ReadonlySet<string> = new Set(["isIP", "isCIDR"])

const text: TypeRefModel = { scalar: "string" }
const whole: TypeRefModel = { scalar: "int64" }

class CelWriter {
  private readonly variables = new Map<string, TypeRefModel | undefined>()

  constructor(private readonly scope: CelScope) {}

  /** A condition is total: absent is false in it. */
  condition(tree: ExpressionTree, facts: Facts): Written {
    switch (tree.node) {
      case "binary":
        if (tree.operator === "&&") return this.both(tree, facts, true)
        if (tree.operator === "||") return this.both(tree, facts, false)
        if (comparisons.has(tree.operator)) return this.comparison(tree, facts)
        break
      case "unary":
        if (tree.operator === "!") return negated(this.condition(tree.of, facts))
        break
      case "conditional": {
        const test = this.condition(tree.test, facts)
        const then = this.condition(tree.then, withFacts(facts, this.factsWhen(tree.test, true)))
        const otherwise = this.condition(tree.otherwise, withFacts(facts, this.factsWhen(tree.test, false)))
        return { text: `${wrapped(test, 1)} ? ${wrapped(then, 1)} : ${otherwise.text}`, level: levels.conditional }
      }
      case "call":
        if (tree.function === "has") return joined("&&", levels.and, this.presence(tree.arguments[0], facts))
        if (tree.function === "isFormat") return this.format(tree, facts)
        break
      case "macro":
        if (tree.macro !== "filter" && tree.macro !== "map") return this.test(tree, facts)
    }
    const value = this.value(tree, facts)
    return joined("&&", levels.and, [...tests(value.needs), value])
  }

  private both({ left, right }: ExpressionTree & { node: "binary" }, facts: Facts, isAnd: boolean): Written {
    const first = this.condition(left, facts)
    const second = this.condition(right, withFacts(facts, this.factsWhen(left, isAnd)))
    return joined(isAnd ? "&&" : "||", isAnd ? levels.and : levels.or, [first, second])
  }

  /** The tests that hold when a condition is true, or when it is false. */
  factsWhen(tree: ExpressionTree, isTrue: boolean): readonly string[] {
    if (tree.node === "unary" && tree.operator === "!") return this.factsWhen(tree.of, !isTrue)
    if (tree.node === "binary" && tree.operator === (isTrue ? "&&" : "||"))
      return [...this.factsWhen(tree.left, isTrue), ...this.factsWhen(tree.right, isTrue)]
    if (tree.node === "call" && tree.function === "has" && isTrue)
      return this.presence(tree.arguments[0], new Set()).map((part) => part.text)
    const compares = tree.node === "binary" && comparisons.has(tree.operator) && tree.operator !== "!="
    if (!compares || !isTrue || isAbsent(tree.left) || isAbsent(tree.right)) return []
    return [tree.left, tree.right].flatMap((side) => this.value(side, new Set()).needs)
  }

  /** The tests of `has(x)`: its parents exist, it exists, and it is not the zero value where zero means absent. */
  private presence(tree: ExpressionTree | undefined, facts: Facts): readonly Written[] {
    if (tree === undefined) return []
    if (tree.node === "name" && tree.name === "oldSelf") return [truth]
    const value = this.value(tree, facts, true)
    const field = this.fieldOf(tree)
    const zero = field?.isZero === true ? zeroText(field.type) : undefined
    const more: Written[] =
      zero !== undefined
        ? [{ text: `${value.text} != ${zero}`, level: levels.comparison }]
        : field?.isEmptyAbsent === true
          ? [{ text: `size(${value.text}) > 0`, level: levels.comparison }]
          : []
    return [...tests(value.needs), ...more]
  }

  private comparison(tree: ExpressionTree & { node: "binary" }, facts: Facts): Written {
    const { operator } = tree
    const [left, right] = this.sameKind(this.value(tree.left, facts), this.value(tree.right, facts), tree)
    const plain: Written = { text: `${wrapped(left, levels.sum)} ${operator} ${wrapped(right, levels.sum)}`, level: levels.comparison }
    if (isAbsent(tree.left) || isAbsent(tree.right)) {
      const present = joined("&&", levels.and, tests([...left.needs, ...right.needs]))
      return operator === "==" ? negated(present) : present
    }
    const isEquality = operator === "==" || operator === "!="
    if (isEquality && left.needs.length > 0 && right.needs.length > 0) {
      const [one, other] = [left, right].map(({ needs }) => joined("&&", levels.and, tests(needs)))
      const differ = `${wrapped(one ?? truth, levels.sum)} ${operator} ${wrapped(other ?? truth, levels.sum)}`
      const present = joined("&&", levels.and, tests([...left.needs, ...right.needs]))
      return { text: `${wrapped(present, levels.or)} ? ${plain.text} : ${differ}`, level: levels.conditional }
    }
    const present = tests([...left.needs, ...right.needs])
    if (operator !== "!=" || present.length === 0) return joined("&&", levels.and, [...present, plain])
    return joined("||", levels.or, [negated(joined("&&", levels.and, present)), plain])
  }

  /** Quantities are compared by a function; a whole number beside a double is written as one. */
  private sameKind(
    left: WrittenValue,
    right: WrittenValue,
    { left: one, right: other, operator }: ExpressionTree & { node: "binary" },
  ): [WrittenValue, WrittenValue] {
    if (isConverted(one, "quantity") || isConverted(other, "quantity")) {
      if (operator === "in") throw new NotInCel("a quantity in a list")
      const zero: WrittenValue = { text: "0", level: levels.postfix, needs: [] }
      return [
        {
          text: `${wrapped(left, levels.postfix)}.compareTo(${right.text})`,
          level: levels.postfix,
          needs: [...left.needs, ...right.needs],
        },
        zero,
      ]
    }
    return [asDouble(left, one, right.type), asDouble(right, other, left.type)]
  }

  private format(tree: ExpressionTree & { node: "call" }, facts: Facts): Written {
    const [name, subject] = tree.arguments
    const known = name?.node === "literal" ? formatPatterns[String(name.value)] : undefined
    if (known === undefined || subject === undefined) throw new NotInCel("a format that no pattern says")
    const value = this.value(subject, facts)
    const at = wrapped(value, levels.postfix)
    const pattern: Written = { text: `${at}.matches(${literalText(String(known.pattern))})`, level: levels.postfix }
    const length: Written[] =
      typeof known.maxLength === "number" ? [{ text: `size(${value.text}) <= ${known.maxLength}`, level: levels.comparison }] : []
    return joined("&&", levels.and, [...tests(value.needs), pattern, ...length])
  }

  private test(tree: ExpressionTree & { node: "macro" }, facts: Facts): Written {
    const of = this.value(tree.of, facts)
    const body = this.inVariable(tree, of, () => this.condition(tree.body, withFacts(facts, of.needs)))
    const macro = tree.macro === "existsOne" ? "exists_one" : tree.macro
    const call: Written = { text: `${wrapped(of, levels.postfix)}.${macro}(${tree.variable}, ${body.text})`, level: levels.postfix }
    const present = tests(of.needs)
    if (tree.macro !== "all" || present.length === 0) return joined("&&", levels.and, [...present, call])
    return joined("||", levels.or, [negated(joined("&&", levels.and, present)), call])
  }

  private inVariable<Result>({ variable }: ExpressionTree & { node: "macro" }, of: WrittenValue, make: () => Result): Result {
    const { type } = of
    const before = this.variables.get(variable)
    this.variables.set(variable, type === undefined ? undefined : "list" in type ? type.list : "map" in type ? text : undefined)
    const made = make()
    this.variables.set(variable, before)
    if (before === undefined) this.variables.delete(variable)
    return made
  }

  /** A value. `forPresence`: the last step is tested, not read. */
  value(tree: ExpressionTree, facts: Facts, forPresence = false): WrittenValue {
    switch (tree.node) {
      case "literal":
        return { text: literal(tree), level: levels.postfix, needs: [], type: typeOfLiteral(tree) }
      case "name":
        return this.name(tree, facts, forPresence)
      case "select":
        return this.select(this.value(tree.of, facts), tree.field, facts, forPresence)
      case "index":
        return this.index(tree, facts, forPresence)
      case "call":
        return this.call(tree, facts)
      case "unary":
        return this.unary(tree, facts)
      case "binary":
        return this.binary(tree, facts)
      case "conditional":
        return this.conditional(tree, facts)
      case "list": {
        const items = tree.items.map((item) => this.value(item, facts))
        return { text: `[${items.map((item) => item.text).join(", ")}]`, level: levels.postfix, needs: items.flatMap(({ needs }) => needs) }
      }
      case "macro":
        return this.macro(tree, facts)
      case "convert":
        return this.convert(tree, facts)
    }
  }

  private name({ name }: ExpressionTree & { node: "name" }, facts: Facts, forPresence: boolean): WrittenValue {
    if (this.variables.has(name)) return { text: name, level: levels.postfix, needs: [], type: this.variables.get(name) }
    const own =
      name === "self" || name === "oldSelf"
        ? name
        : this.scope.isRoot && name === "root"
          ? "self"
          : this.scope.isRoot && name === "oldRoot"
            ? "oldSelf"
            : undefined
    if (own !== undefined) return { text: own, level: levels.postfix, needs: [], type: this.scope.self }
    if (name === "root" || name === "oldRoot") throw new NotInCel(`a rule sees no ${name}`)
    return this.select({ text: "self", level: levels.postfix, needs: [], type: this.scope.self }, name, facts, forPresence)
  }

  private select(of: WrittenValue, field: string, facts: Facts, forPresence: boolean): WrittenValue {
    const { type } = of
    if (type !== undefined && "map" in type) return entry(of, literalText(field), type.map, facts)
    const known = type !== undefined && "ref" in type ? this.scope.field(type.ref, field) : undefined
    if (known === undefined) throw new NotInCel(`${of.text}.${field} is unknown to rules of a definition`)
    const name = celNameOf(field)
    if (name === undefined) throw new NotInCel(`the name ${field}`)
    const at = `${wrapped(of, levels.postfix)}.${name}`
    const made = { text: at, level: levels.postfix, type: known.type }
    const test = `has(${at})`
    if (known.isCertain || facts.has(test)) return { ...made, needs: of.needs }
    const zero = known.isZero && !forPresence ? zeroText(known.type) : undefined
    if (zero === undefined) return { ...made, needs: [...of.needs, test] }
    return { text: `${test} ? ${at} : ${zero}`, level: levels.conditional, type: known.type, needs: of.needs }
  }

  private fieldOf(tree: ExpressionTree): CelField | undefined {
    if (tree.node === "name")
      return "ref" in this.scope.self && !this.variables.has(tree.name) ? this.scope.field(this.scope.self.ref, tree.name) : undefined
    if (tree.node !== "select") return undefined
    const { type } = this.value(tree.of, new Set())
    return type !== undefined && "ref" in type ? this.scope.field(type.ref, tree.field) : undefined
  }

  private index(tree: ExpressionTree & { node: "index" }, facts: Facts, forPresence: boolean): WrittenValue {
    const of = this.value(tree.of, facts)
    const field = tree.index.node === "literal" ? tree.index.value : undefined
    if (of.type !== undefined && "ref" in of.type && typeof field === "string") return this.select(of, field, facts, forPresence)
    const at = this.value(tree.index, facts)
    const { type } = of
    if (type !== undefined && "map" in type) return entry({ ...of, needs: [...of.needs, ...at.needs] }, at.text, type.map, facts)
    if (type === undefined || !("list" in type)) throw new NotInCel(`an index into ${of.text}`)
    const test = `size(${of.text}) > ${at.text}`
    return {
      text: `${wrapped(of, levels.postfix)}[${at.text}]`,
      level: levels.postfix,
      type: type.list,
      needs: [...of.needs, ...at.needs, ...(facts.has(test) ? [] : [test])],
    }
  }

  private call(tree: ExpressionTree & { node: "call" }, facts: Facts): WrittenValue {
    const name = tree.function
    const given = [...(tree.target === undefined ? [] : [tree.target]), ...tree.arguments]
    if (name === "has" || name === "isFormat") return { ...this.condition(tree, facts), needs: [], type: { scalar: "boolean" } }
    const [subject, ...others] = given.map((argument) => this.value(argument, facts))
    if (subject === undefined) throw new NotInCel(`the function ${name}`)
    const needs = [subject, ...others].flatMap((one) => one.needs)
    if (name === "size" || name === "count") {
      const size = `size(${subject.text})`
      if (needs.length === 0) return { text: size, level: levels.postfix, needs, type: whole }
      return { text: `${joined("&&", levels.and, tests(needs)).text} ? ${size} : 0`, level: levels.conditional, needs: [], type: whole }
    }
    const rest = others.map((one) => one.text).join(", ")
    if (textTests.has(name))
      return { text: `${wrapped(subject, levels.postfix)}.${name}(${rest})`, level: levels.postfix, needs, type: { scalar: "boolean" } }
    if (textFunctions.has(name))
      return {
        text: `${wrapped(subject, levels.postfix)}.${name}(${rest})`,
        level: levels.postfix,
        needs,
        type: name === "split" ? { list: text } : text,
      }
    if (plainTests.has(name)) return { text: `${name}(${subject.text})`, level: levels.postfix, needs, type: { scalar: "boolean" } }
    if (name === "isIPv4" || name === "isIPv6")
      return { text: `isIP(${subject.text}) && ip(${subject.text}).family() == ${name.slice(-1)}`, level: levels.and, needs }
    if (name === "string") return { text: `string(${subject.text})`, level: levels.postfix, needs, type: text }
    if (name === "int" || name === "double")
      return { text: `${name}(${subject.text})`, level: levels.postfix, needs, type: { scalar: name === "int" ? "int64" : "double" } }
    if (["quantity", "duration", "timestamp", "time"].includes(name) && tree.arguments[0]?.node === "literal")
      return { text: `${name === "time" ? "timestamp" : name}(${subject.text})`, level: levels.postfix, needs }
    throw new NotInCel(`the function ${name}`)
  }

  private unary({ operator, of }: ExpressionTree & { node: "unary" }, facts: Facts): WrittenValue {
    if (operator === "!") return { ...this.condition({ node: "unary", operator, of }, facts), needs: [], type: { scalar: "boolean" } }
    const value = this.value(of, facts)
    return { text: `-${wrapped(value, levels.unary)}`, level: levels.unary, needs: value.needs, type: value.type }
  }

  private binary(tree: ExpressionTree & { node: "binary" }, facts: Facts): WrittenValue {
    const { operator } = tree
    if (operator === "??") return this.orElse(tree, facts)
    const level = operatorLevels[operator]
    if (level === undefined || level <= levels.and) return { ...this.condition(tree, facts), needs: [], type: { scalar: "boolean" } }
    if (tree.double === true) throw new NotInCel("a division that keeps its fraction")
    if ([tree.left, tree.right].some((side) => isConverted(side, "quantity"))) throw new NotInCel("a sum of quantities")
    const [left, right] = [this.value(tree.left, facts), this.value(tree.right, facts)]
    const made = `${wrapped(left, level)} ${operator} ${wrapped(right, level + 1)}`
    return { text: made, level, needs: [...left.needs, ...right.needs], type: left.type ?? right.type }
  }

  private orElse({ left, right }: ExpressionTree & { node: "binary" }, facts: Facts): WrittenValue {
    const value = this.value(left, facts, true)
    const otherwise = this.value(right, facts)
    if (otherwise.needs.length > 0) throw new NotInCel(`${otherwise.text} may be absent`)
    const isText = value.type !== undefined && "scalar" in value.type && value.type.scalar === "string"
    const test = joined("&&", levels.and, [
      ...tests(value.needs),
      ...(isText ? [{ text: `${value.text} != ""`, level: levels.comparison }] : []),
    ])
    if (test.text === truth.text) return value
    return { text: `${wrapped(test, 1)} ? ${value.text} : ${otherwise.text}`, level: levels.conditional, needs: [], type: value.type }
  }

  private conditional({ test, then, otherwise }: ExpressionTree & { node: "conditional" }, facts: Facts): WrittenValue {
    const first = this.value(then, withFacts(facts, this.factsWhen(test, true)))
    const second = this.value(otherwise, withFacts(facts, this.factsWhen(test, false)))
    const open = [...first.needs, ...second.needs]
    if (open.length > 0) throw new NotInCel(`a value of a conditional that may be absent (${open[0]})`)
    const made = `${wrapped(this.condition(test, facts), 1)} ? ${wrapped(first, 1)} : ${second.text}`
    return { text: made, level: levels.conditional, needs: [], type: first.type ?? second.type }
  }

  private macro(tree: ExpressionTree & { node: "macro" }, facts: Facts): WrittenValue {
    if (tree.macro !== "filter" && tree.macro !== "map") return { ...this.test(tree, facts), needs: [], type: { scalar: "boolean" } }
    const of = this.value(tree.of, facts)
    const body = this.inVariable(tree, of, () =>
      tree.macro === "filter" ? { ...this.condition(tree.body, facts), needs: [], type: undefined } : this.value(tree.body, facts),
    )
    if (body.needs.length > 0) throw new NotInCel(`an item of ${of.text} that may be absent (${body.needs[0]})`)
    const type: TypeRefModel | undefined = tree.macro === "filter" ? of.type : body.type && { list: body.type }
    return {
      text: `${wrapped(of, levels.postfix)}.${tree.macro}(${tree.variable}, ${body.text})`,
      level: levels.postfix,
      needs: of.needs,
      type,
    }
  }

  /** Definitions have times and durations as types; the text of a quantity is parsed. */
  private convert(tree: ExpressionTree & { node: "convert" }, facts: Facts): WrittenValue {
    const of = this.value(tree.of, facts)
    if (tree.list && tree.to === "quantity") throw new NotInCel("a list of quantities")
    if (tree.to !== "quantity") return of
    return { ...of, text: `quantity(string(${of.text}))`, level: levels.postfix, type: undefined }
  }
}
