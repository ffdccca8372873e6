import type { Constant, Expr, FieldEntry, ListExpr, MapEntry, Position } from "./expr.ts"

/** Makes the nodes of one tree, each with an identifier of its own. */
export class Nodes {
  private last = 0

  id(): number {
    return ++this.last
  }

  constant(position: Position, constant: Constant): Expr {
    return { kind: "constant", id: this.id(), position, constant }
  }

  ident(position: Position, name: string): Expr {
    return { kind: "ident", id: this.id(), position, name }
  }

  select(position: Position, operand: Expr, field: string, test = false): Expr {
    return { kind: "select", id: this.id(), position, operand, field, test }
  }

  call(position: Position, name: string, args: readonly Expr[], target?: Expr): Expr {
    return { kind: "call", id: this.id(), position, ...(target !== undefined && { target }), function: name, args }
  }

  list(position: Position, elements: readonly Expr[], optional: readonly number[] = []): ListExpr {
    return { kind: "list", id: this.id(), position, elements, optional }
  }

  map(position: Position, entries: readonly MapEntry[]): Expr {
    return { kind: "map", id: this.id(), position, entries }
  }

  struct(position: Position, name: string, entries: readonly FieldEntry[]): Expr {
    return { kind: "struct", id: this.id(), position, name, entries }
  }
}
