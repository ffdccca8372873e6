/**
 * The walk over an expression that CEL's checker has typed: names, fields, items and macros here, operators and calls
 * in files of their own. It reports CEL's refusals in the words of the dialect, finds faults that CEL's types cannot
 * express (values that may be absent, words of enums, literals), and puts in the conversions from the texts of fields.
 */
import { type CelType, stringType } from "../../cel/index.ts"
import type { ExpressionTree } from "../model.ts"
import { checkCall } from "./calls.ts"
import {
  type Checked,
  type CheckFault,
  type Checker,
  computed,
  type ExpressionScope,
  type StructSource,
  type TypedTrees,
  unknown,
  type ValueInfo,
} from "./checked.ts"
import { callHabit, constantHabit, sizeHabit } from "./habits.ts"
import { checkBinary, checkConditional, checkUnary, reportCondition } from "./operators.ts"
import type { ExpressionPositions } from "./read.ts"
import { shown } from "./trees.ts"
import { isNumber, isScalarType, isSimple, itemType, sameType, typePhrase, typeText } from "./types.ts"
import { oneOf } from "./words.ts"

/**
 * Walks a parsed expression. Reports every error once, at its character. The tree of the result has the conversions
 * that emitters need. Never throws.
 */
export function checkTree(
  tree: ExpressionTree,
  positions: ExpressionPositions,
  scope: ExpressionScope,
  structs: StructSource,
  typed: TypedTrees,
): { readonly checked: Checked; readonly checker: Checker; readonly faults: readonly CheckFault[] } {
  const faults: CheckFault[] = []
  const checker = new TreeChecker(structs, scope, typed, positions, faults, new Map())
  return { checked: checker.check(tree), checker, faults }
}

class TreeChecker implements Checker {
  constructor(
    readonly structs: StructSource,
    readonly scope: ExpressionScope,
    readonly typed: TypedTrees,
    private readonly positions: ExpressionPositions,
    private readonly faults: CheckFault[],
    private readonly variables: ReadonlyMap<string, Variable>,
  ) {}

  report(at: ExpressionTree, fault: Omit<CheckFault, "offset">): void {
    this.faults.push({ offset: this.positions.get(at) ?? 0, ...fault })
  }

  check(tree: ExpressionTree, beside?: Checked): Checked {
    switch (tree.node) {
      case "literal":
        return computed(tree, this.typed.typeOf(tree), tree.value === "" ? "empty" : tree.value === null ? "absent" : "never")
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
    if (variable !== undefined) return itemOf(tree, this.typed.typeOf(tree), variable)
    if (tree.name === "self") return { tree, type: scope.self, absence: "never", stored: true }
    if (tree.name === "root") return { tree, type: scope.root, absence: "never", stored: true }
    if (tree.name === "oldSelf" || tree.name === "oldRoot") return this.old(tree)
    if (scope.self.kind !== "struct") return unknown(tree)
    const field = this.structs.field(scope.self.name, tree.name)
    if (field !== undefined) return { ...field, tree: reading(tree, field), stored: true }
    if (!this.typed.isRefused(tree)) return unknown(tree)
    const old = scope.old === "never" ? [] : ["oldSelf", "oldRoot"]
    const words = [...this.structs.names(scope.self.name), ...this.variables.keys(), "self", "root", ...old]
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
    if (root.kind !== "struct" || self.kind !== "struct" || root.name === self.name) return undefined
    if (this.structs.field(root.name, name) === undefined) return undefined
    const inside = this.structs.names(self.name).slice(0, 3).join(", ")
    return { expected: `a field of ${self.name}, such as ${inside}, or root.${name}`, nearest: `root.${name}` }
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
  private select(tree: Selection, field: string, of: Checked, make: (of: ExpressionTree) => Selection): Checked {
    const { type } = of
    const made = make(of.tree)
    if (type.kind === "struct") return this.field(tree, type.name, field, made)
    if (!this.typed.isRefused(tree)) return this.item(of, tree, made)
    const habit = sizeHabit(field) ?? callHabit(field, true)
    if (habit !== undefined && (type.kind === "list" || isScalarType(type))) {
      this.report(tree, { found: `the field "${field}" of ${typePhrase(type)}`, ...habit })
    } else if (type.kind === "list") {
      const item = itemType(type)
      const hasField = item.kind === "struct" && this.structs.field(item.name, field) !== undefined
      const each = hasField ? ` such as .exists(item, item.${field} ...)` : " such as .exists(item, ...)"
      this.report(tree, { found: `the field "${field}" of ${typePhrase(type)}`, expected: `an index such as [0], or a macro${each}` })
    } else this.report(tree, { found: `the field "${field}" of ${typePhrase(type)}`, expected: "a value that has fields" })
    return unknown(tree)
  }

  private field(tree: Selection, struct: string, field: string, made: Selection): Checked {
    const info = this.structs.field(struct, field)
    if (info !== undefined) return { ...info, tree: reading(made, info), stored: true }
    if (!this.typed.isRefused(tree)) return unknown(made)
    const alone = ["self", "root", "oldSelf", "oldRoot"].includes(field) ? { expected: `${field} alone`, nearest: field } : undefined
    this.report(tree, { found: `unknown field "${field}" of ${struct}`, ...(alone ?? oneOf(field, this.structs.names(struct))) })
    return unknown(made)
  }

  /** An item of a list or an entry of a map, which may be absent. */
  private item(of: Checked, tree: ExpressionTree, made: ExpressionTree): Checked {
    return { tree: made, type: this.typed.typeOf(tree), absence: "absent", stored: of.stored, words: of.itemWords }
  }

  private index(tree: ExpressionTree & { node: "index" }): Checked {
    const of = this.check(tree.of)
    const literal = tree.index.node === "literal" ? tree.index.value : undefined
    const index = typeof literal === "string" ? computed(tree.index, stringType) : this.check(tree.index)
    const { type } = of
    const made: Selection = { ...tree, of: of.tree, index: index.tree }
    if (type.kind === "struct" && typeof literal === "string") return this.select(tree, literal, of, () => made)
    const negative = type.kind === "list" && typeof literal === "number" && literal < 0
    if (!negative && !this.typed.isRefused(tree)) return this.item(of, tree, made)
    if (type.kind === "struct")
      this.report(tree, { found: `${shown(tree.index)} as an index into ${typePhrase(type)}`, expected: 'a field: x.name, or x["name"]' })
    else if (type.kind === "map")
      this.report(tree.index, {
        found: `${shown(tree.index)}, ${typePhrase(index.type)}, as a key of a map`,
        expected: "a string: keys are texts",
      })
    else if (type.kind === "list") this.listIndex(tree.index, index, negative)
    else {
      const expected = isSimple(type, "string") ? "startsWith, endsWith, contains, matches or split for parts of a text" : "a list or a map"
      this.report(tree, { found: `an index into ${shown(tree.of)}, ${typePhrase(type)}`, expected })
    }
    return unknown(tree)
  }

  private listIndex(tree: ExpressionTree, { type }: Checked, negative: boolean): void {
    if (negative) this.report(tree, { found: `the index ${shown(tree)}`, expected: "0 for the first item; the last one is x[size(x) - 1]" })
    else
      this.report(tree, {
        found: `${shown(tree)}, ${typePhrase(type)}, as an index into a list`,
        expected: isSimple(type, "string") ? "an int, or a macro such as .exists(item, ...) to find an item" : "an int",
      })
  }

  private list(tree: ExpressionTree & { node: "list" }): Checked {
    const items = tree.items.map((item) => this.check(item))
    const type = this.typed.typeOf(tree)
    const isMixed = type.kind === "list" && isSimple(itemType(type), "dyn") && !items.some((item) => isSimple(item.type, "dyn"))
    if (isMixed) this.mixedList(tree.items, items)
    const made = { ...tree, items: items.map((item) => item.tree) }
    return { ...computed(made, type), stored: items.some((item) => item.stored) }
  }

  /** CEL accepts lists of mixed items, as dyn. Here all items have one type, except that numbers may be mixed. */
  private mixedList(trees: readonly ExpressionTree[], items: readonly Checked[]): void {
    const [first] = items
    if (first === undefined) return
    const other = items.findIndex(({ type }) => !sameType(type, first.type) && !(isNumber(type) && isNumber(first.type)))
    const at = trees[other]
    const item = items[other]
    if (at === undefined || item === undefined) return
    this.report(at, { found: `${shown(at)}, ${typePhrase(item.type)}, in a list(${typeText(first.type)})`, expected: "items of one type" })
  }

  private macro(tree: ExpressionTree & { node: "macro" }): Checked {
    const of = this.check(tree.of)
    if (this.typed.isMisplaced(tree.of)) {
      const characters = isSimple(of.type, "string") ? "a list or a map; x.split(separator) makes one of a text" : "a list or a map"
      this.report(tree, { found: `${tree.macro} over ${shown(tree.of)}, ${typePhrase(of.type)}`, expected: characters })
    }
    if (["self", "root", "oldSelf", "oldRoot"].includes(tree.variable))
      this.report(tree, { found: `the variable ${tree.variable} of ${tree.macro}`, expected: `another name: ${tree.variable} is taken` })
    const words = of.type.kind === "map" ? of.keyWords : of.itemWords
    const variables = new Map([...this.variables, [tree.variable, { of, words }]])
    const inner = new TreeChecker(this.structs, this.scope, this.typed, this.positions, this.faults, variables)
    const body = inner.check(tree.body)
    const made: ExpressionTree = { ...tree, of: of.tree, body: body.tree }
    const value = computed(made, this.typed.typeOf(tree))
    if (tree.macro === "map") return { ...value, stored: body.stored, itemWords: body.words }
    if (this.typed.isRefused(tree) || this.typed.isMisplaced(tree.body))
      reportCondition(body, tree.body, this, `the condition of ${tree.macro}`)
    return tree.macro === "filter" ? { ...value, stored: of.stored, itemWords: words } : value
  }
}

/** Parts that may name a field. */
type Selection = ExpressionTree & { node: "select" | "index" }

/** The part, with the facts about its field that emitters need. */
function reading(tree: Selection | (ExpressionTree & { node: "name" }), { reads }: ValueInfo): ExpressionTree {
  return reads === undefined ? tree : { ...tree, reads }
}

/** The list or map that a macro's variable iterates over. */
interface Variable {
  readonly of: Checked
  readonly words: ValueInfo["words"]
}

/** A macro's variable: an item of a list, a key of a map. */
function itemOf(tree: ExpressionTree, type: CelType, { of, words }: Variable): Checked {
  const absence = isSimple(type, "dyn") ? "absent" : isSimple(type, "string") ? "empty" : "never"
  return { tree, type, absence, stored: of.stored, words }
}
