/**
 * The type checker of expressions: names, fields, items and macros here, operators and calls in files of their own.
 * It knows fields through `StructSource` alone, so schemas and definitions that arrive at run time share it.
 */
import type { ExpressionTree } from "../model.ts"
import { checkCall } from "./calls.ts"
import {
  type Checked,
  type CheckFault,
  type Checker,
  computed,
  type ExpressionScope,
  type StructSource,
  unknown,
  type ValueInfo,
} from "./checked.ts"
import { callHabit, constantHabit, sizeHabit } from "./habits.ts"
import { checkBinary, checkCondition, checkConditional, checkUnary } from "./operators.ts"
import type { ExpressionPositions } from "./read.ts"
import { shown } from "./trees.ts"
import {
  bool,
  double,
  dyn,
  type ExpressionType,
  int,
  isScalarType,
  isSimple,
  joined,
  nothing,
  string,
  typePhrase,
  typeText,
} from "./types.ts"
import { oneOf } from "./words.ts"

/**
 * Checks a parsed expression. Reports every error once, at its character. The tree of the result has the conversions
 * that emitters and interpreters need. Never throws.
 */
export function checkTree(
  tree: ExpressionTree,
  positions: ExpressionPositions,
  scope: ExpressionScope,
  structs: StructSource,
): { readonly checked: Checked; readonly checker: Checker; readonly faults: readonly CheckFault[] } {
  const faults: CheckFault[] = []
  const checker = new TreeChecker(structs, scope, positions, faults, new Map())
  return { checked: checker.check(tree), checker, faults }
}

class TreeChecker implements Checker {
  constructor(
    readonly structs: StructSource,
    readonly scope: ExpressionScope,
    private readonly positions: ExpressionPositions,
    private readonly faults: CheckFault[],
    private readonly variables: ReadonlyMap<string, Omit<Checked, "tree">>,
  ) {}

  report(at: ExpressionTree, fault: Omit<CheckFault, "offset">): void {
    this.faults.push({ offset: this.positions.get(at) ?? 0, ...fault })
  }

  check(tree: ExpressionTree, beside?: Checked): Checked {
    switch (tree.node) {
      case "literal":
        return computed(tree, literalType(tree), tree.value === "" ? "empty" : tree.value === null ? "absent" : "never")
      case "name":
        return this.name(tree, beside)
      case "select":
        return this.select(tree, tree.field, this.check(tree.of), (of) => ({ ...tree, of }))
      case "index":
        return this.index(tree)
      case "call":
        return checkCall(tree, this)
      case "unary":
        return checkUnary(tree, this)
      case "binary":
        return checkBinary(tree, this)
      case "conditional":
        return checkConditional(tree, this)
      case "list":
        return this.list(tree)
      case "macro":
        return this.macro(tree)
      case "convert":
        return unknown(tree)
    }
  }

  private name(tree: ExpressionTree & { node: "name" }, beside: Checked | undefined): Checked {
    const { scope } = this
    const variable = this.variables.get(tree.name)
    if (variable !== undefined) return { ...variable, tree }
    if (tree.name === "self") return { tree, type: scope.self, absence: "never", stored: true }
    if (tree.name === "root") return { tree, type: scope.root, absence: "never", stored: true }
    if (tree.name === "oldSelf" || tree.name === "oldRoot") return this.old(tree)
    if (!("struct" in scope.self)) return unknown(tree)
    const field = this.structs.field(scope.self.struct, tree.name)
    if (field !== undefined) return { ...field, tree, stored: true }
    if (this.structs.open(scope.self.struct)) return unknown(tree)
    const old = scope.old === "never" ? [] : ["oldSelf", "oldRoot"]
    const words = [...this.structs.names(scope.self.struct), ...this.variables.keys(), "self", "root", ...old]
    const near = oneOf(tree.name, words)
    const text = beside !== undefined && isSimple(beside.type, "string") && near.nearest === undefined
    const quoted = text ? { expected: `"${tree.name}" in quotes, or ${near.expected}`, nearest: `"${tree.name}"` } : undefined
    const expected = constantHabit(tree.name) ?? this.elsewhere(tree.name) ?? quoted ?? callHabit(tree.name, false) ?? near
    this.report(tree, { found: `unknown name "${tree.name}"`, ...expected })
    return unknown(tree)
  }

  /** A field of the whole object, named in a rule of one of its parts. */
  private elsewhere(name: string): { expected: string; nearest: string } | undefined {
    const { root, self } = this.scope
    if (!("struct" in root) || !("struct" in self) || root.struct === self.struct) return undefined
    if (this.structs.field(root.struct, name) === undefined) return undefined
    const inside = this.structs.names(self.struct).slice(0, 3).join(", ")
    return { expected: `a field of ${self.struct}, such as ${inside}, or root.${name}`, nearest: `root.${name}` }
  }

  private old(tree: ExpressionTree & { node: "name" }): Checked {
    const { scope } = this
    if (scope.old === "never") {
      const expected =
        scope.place === "rules" ? "on: update" : "self or root: only rules with on: update and warnings see the stored object"
      this.report(tree, { found: `${tree.name} where there is no stored object`, expected })
      return unknown(tree)
    }
    const certain = tree.name === "oldRoot" && scope.old === "update"
    return { tree, type: tree.name === "oldSelf" ? scope.self : scope.root, absence: certain ? "never" : "absent", stored: true }
  }

  /** `of.field`, and `of["field"]`. `make` puts the checked `of` in its place. */
  private select(tree: ExpressionTree, field: string, of: Checked, make: (of: ExpressionTree) => ExpressionTree): Checked {
    const { type } = of
    const made = make(of.tree)
    if (isSimple(type, "dyn")) return unknown(made)
    if ("map" in type) return { tree: made, type: type.map, absence: "absent", stored: of.stored, words: of.itemWords }
    if ("struct" in type) return this.field(tree, type.struct, field, made)
    const habit = sizeHabit(field) ?? callHabit(field, true)
    if (habit !== undefined && ("list" in type || isScalarType(type))) {
      this.report(tree, { found: `the field "${field}" of ${typePhrase(type)}`, ...habit })
    } else if ("list" in type) {
      const item = "struct" in type.list && this.structs.field(type.list.struct, field) !== undefined
      const each = item ? ` such as .exists(item, item.${field} ...)` : " such as .exists(item, ...)"
      this.report(tree, { found: `the field "${field}" of ${typePhrase(type)}`, expected: `an index such as [0], or a macro${each}` })
    } else this.report(tree, { found: `the field "${field}" of ${typePhrase(type)}`, expected: "a value that has fields" })
    return unknown(tree)
  }

  private field(tree: ExpressionTree, struct: string, field: string, made: ExpressionTree): Checked {
    const info = this.structs.field(struct, field)
    if (info !== undefined) return { ...info, tree: made, stored: true }
    if (this.structs.open(struct)) return unknown(made)
    const alone = ["self", "root", "oldSelf", "oldRoot"].includes(field) ? { expected: `${field} alone`, nearest: field } : undefined
    this.report(tree, { found: `unknown field "${field}" of ${struct}`, ...(alone ?? oneOf(field, this.structs.names(struct))) })
    return unknown(made)
  }

  private index(tree: ExpressionTree & { node: "index" }): Checked {
    const of = this.check(tree.of)
    const index = this.check(tree.index)
    const { type } = of
    const made: ExpressionTree = { ...tree, of: of.tree, index: index.tree }
    const item = (inner: ExpressionType): Checked => ({
      tree: made,
      type: inner,
      absence: "absent",
      stored: of.stored,
      words: of.itemWords,
    })
    if (isSimple(type, "dyn")) return unknown(made)
    if ("struct" in type) {
      const literal = tree.index.node === "literal" ? tree.index.value : undefined
      if (typeof literal === "string") return this.select(tree, literal, of, () => made)
      this.report(tree, { found: `${shown(tree.index)} as an index into ${typePhrase(type)}`, expected: 'a field: x.name, or x["name"]' })
      return unknown(tree)
    }
    if ("map" in type) {
      if (isSimple(index.type, "dyn", "string", "intOrString")) return item(type.map)
      this.report(tree.index, {
        found: `${shown(tree.index)}, ${typePhrase(index.type)}, as a key of a map`,
        expected: "a string: keys are texts",
      })
      return item(type.map)
    }
    if ("list" in type) {
      this.listIndex(tree.index, index)
      return item(type.list)
    }
    const expected = isSimple(type, "string") ? "startsWith, endsWith, contains, matches or split for parts of a text" : "a list or a map"
    this.report(tree, { found: `an index into ${shown(tree.of)}, ${typePhrase(type)}`, expected })
    return unknown(tree)
  }

  private listIndex(tree: ExpressionTree, { type }: Checked): void {
    const negative = tree.node === "literal" && typeof tree.value === "number" && tree.value < 0
    if (negative) this.report(tree, { found: `the index ${shown(tree)}`, expected: "0 for the first item; the last one is x[size(x) - 1]" })
    else if (!isSimple(type, "dyn", "int", "uint", "intOrString"))
      this.report(tree, {
        found: `${shown(tree)}, ${typePhrase(type)}, as an index into a list`,
        expected: isSimple(type, "string") ? "an int, or a macro such as .exists(item, ...) to find an item" : "an int",
      })
  }

  private list(tree: ExpressionTree & { node: "list" }): Checked {
    const items = tree.items.map((item) => this.check(item))
    let type: ExpressionType = dyn
    for (const [index, item] of items.entries()) {
      const next = index === 0 ? item.type : joined(type, item.type)
      const at = tree.items[index]
      if (next === undefined && at !== undefined) {
        this.report(at, {
          found: `${shown(at)}, ${typePhrase(item.type)}, in a list(${typeText(type)})`,
          expected: "items of one type",
        })
        return computed({ ...tree, items: items.map((one) => one.tree) }, { list: dyn })
      }
      type = next ?? dyn
    }
    return { ...computed({ ...tree, items: items.map((item) => item.tree) }, { list: type }), stored: items.some((item) => item.stored) }
  }

  private macro(tree: ExpressionTree & { node: "macro" }): Checked {
    const of = this.check(tree.of)
    const item = itemOf(of)
    if (item === undefined) {
      const characters = isSimple(of.type, "string") ? "a list or a map; x.split(separator) makes one of a text" : "a list or a map"
      this.report(tree, { found: `${tree.macro} over ${shown(tree.of)}, ${typePhrase(of.type)}`, expected: characters })
    }
    if (["self", "root", "oldSelf", "oldRoot"].includes(tree.variable))
      this.report(tree, { found: `the variable ${tree.variable} of ${tree.macro}`, expected: `another name: ${tree.variable} is taken` })
    const variable = item === undefined ? { type: dyn, absence: "absent" as const, stored: false } : { ...item, stored: of.stored }
    const variables = new Map([...this.variables, [tree.variable, variable]])
    const inner = new TreeChecker(this.structs, this.scope, this.positions, this.faults, variables)
    const body = inner.check(tree.body)
    const made: ExpressionTree = { ...tree, of: of.tree, body: body.tree }
    if (tree.macro === "map") return { ...computed(made, { list: body.type }), stored: body.stored, itemWords: body.words }
    checkCondition(body, tree.body, this, `the condition of ${tree.macro}`)
    if (tree.macro !== "filter") return computed(made, bool)
    const type: ExpressionType = "map" in of.type ? { list: string } : of.type
    return { ...computed(made, type), stored: of.stored, itemWords: item?.words }
  }
}

/** What a macro's variable is: an item of a list, a key of a map. */
function itemOf({ type, itemWords, keyWords }: Checked): ValueInfo | undefined {
  if (isSimple(type, "dyn")) return { type: dyn, absence: "absent" }
  if ("list" in type)
    return {
      type: type.list,
      absence: isSimple(type.list, "dyn") ? "absent" : isSimple(type.list, "string") ? "empty" : "never",
      words: itemWords,
    }
  return "map" in type ? { type: string, absence: "empty", words: keyWords } : undefined
}

function literalType({ value, double: fraction }: ExpressionTree & { node: "literal" }): ExpressionType {
  if (typeof value === "string") return string
  if (typeof value === "number") return fraction === true ? double : int
  if (typeof value === "boolean") return bool
  return value === null ? nothing : { map: dyn }
}
