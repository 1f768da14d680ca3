/** The role of every user on every document, compact enough for a million cells. */
import type { AccessRole, Decision } from '#sdk/generated/operations.ts'

export interface Cell {
  /** Undefined without access. */
  role: AccessRole | undefined
  /** Unix seconds. */
  expiresAt: number | undefined
}

const NONE = 0
const ROLES = [undefined, 'viewer', 'commenter', 'editor'] as const

export class Cells {
  readonly #documents: number
  readonly #roles: Uint8Array
  readonly #ends = new Map<number, number>()
  readonly #accessCount: Uint32Array

  constructor(users: number, documents: number) {
    this.#documents = documents
    this.#roles = new Uint8Array(users * documents)
    this.#accessCount = new Uint32Array(users)
  }

  /** Stores a decision; a later one of the same cell replaces it. */
  set(index: number, { allowed, accessRole, expiresAt }: Decision): void {
    const user = Math.floor(index / this.#documents)
    const before = this.#roles[index] === NONE ? 0 : 1
    this.#accessCount[user] = this.accessCount(user) + Number(allowed) - before
    this.#roles[index] = allowed ? ROLES.indexOf(accessRole) : NONE
    if (allowed && expiresAt !== undefined) this.#ends.set(index, expiresAt)
    else this.#ends.delete(index)
  }

  at(user: number, document: number): Cell {
    const index = user * this.#documents + document
    return { role: ROLES[this.#roles[index] ?? NONE], expiresAt: this.#ends.get(index) }
  }

  /** Returns the number of documents that the user has access to. */
  accessCount(user: number): number {
    return this.#accessCount[user] ?? 0
  }
}
