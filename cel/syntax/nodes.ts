import type { Constant, Expr, FieldEntry, ListExpr, MapEntry, Position } from "./expr.ts"

/** An identifier and a position for a node that is made later, after its parts. */
export interface Mark {
  readonly id: number
  readonly position: Position
}

/** Makes the nodes of one tree. Identifiers are in the order of the reference, which prints them. */
export class Nodes {
  private last = 0

  mark(position: Position): Mark {
    return { id: this.id(), position }
  }

  private at(place: Position | Mark): Mark {
    return "id" in place ? place : this.mark(place)
  }

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

  call(place: Position | Mark, name: string, args: readonly Expr[], target?: Expr): Expr {
    return { kind: "call", ...this.at(place), ...(target !== undefined && { target }), function: name, args }
  }

  list(place: Position | Mark, elements: readonly Expr[], optional: readonly number[] = []): ListExpr {
    return { kind: "list", ...this.at(place), elements, optional }
  }

  map(place: Position | Mark, entries: readonly MapEntry[]): Expr {
    return { kind: "map", ...this.at(place), entries }
  }

  struct(place: Position | Mark, name: string, entries: readonly FieldEntry[]): Expr {
    return { kind: "struct", ...this.at(place), name, entries }
  }
}
