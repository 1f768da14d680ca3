/**
 * Keeps what a user is writing, so that it survives a reload of the page: in the storage of the tab, under the server, the
 * user, the document and the form. Browsers may block the storage, or it may be full; then nothing is kept.
 */
import type { Person } from '../connection/records.ts'
import type { Anchor } from './thread-changes.ts'

/** A text that is being written, with whom it mentions, and the last attempt to send it. */
export interface Kept {
  text: string
  chosen: [label: string, person: Person][]
  attempt?: { text: string; key: string } | undefined
}

/** The subject of the text: the passage of a new thread, or the comment that is being edited. */
export interface Subject {
  anchor?: Anchor | undefined
  commentId?: number | undefined
}

export class Draft {
  readonly #name: string
  readonly #subject: Subject

  constructor(owner: readonly unknown[], form: string, subject: Subject = {}) {
    this.#name = `commonhold-draft ${JSON.stringify([...owner, form])}`
    this.#subject = subject
  }

  read(): (Kept & Subject) | undefined {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.#name) ?? '{}')
      return typeof kept.text === 'string' && Array.isArray(kept.chosen) ? kept : undefined
    } catch {
      return undefined
    }
  }

  write(kept: Kept): void {
    this.clear() // a text that is older than what does not fit must not come back
    try {
      if (kept.text.trim() !== '') sessionStorage.setItem(this.#name, JSON.stringify({ ...this.#subject, ...kept }))
    } catch {}
  }

  clear(): void {
    try {
      sessionStorage.removeItem(this.#name)
    } catch {}
  }
}
