/**
 * The world of the comparison with other systems, the same for all: organizations with chains of nested folders, documents in every
 * folder, and users with grants on two folders and a document. Every tenth document is restricted to grants of its own.
 */
const CHAINS = 10
const DEPTH = 5
const DOCUMENTS_IN_FOLDER = 10
const FOLDERS = CHAINS * DEPTH
const DOCUMENTS = FOLDERS * DOCUMENTS_IN_FOLDER
const USERS = 495

type Role = 'viewer' | 'editor'

interface Folder {
  folder: number
  /** Undefined if it is at the top level of its organization. */
  parent: number | undefined
}

interface Document {
  document: number
  folder: number
  isRestricted: boolean
}

interface Grant {
  user: number
  type: 'folder' | 'document'
  /** The number of the folder or document. */
  nth: number
  role: Role
}

/** Asks whether the user may open the document. */
export interface Question {
  organization: number
  user: number
  document: number
}

export const organizationName = (organization: number): string => `organization-${organization}`
export const userName = (organization: number, user: number): string => `user-${organization}-${user}`

const numbers = (count: number): number[] => Array.from({ length: count }, (_, nth) => nth)
const pick = (count: number): number => Math.floor(Math.random() * count)

export class PeersWorld {
  readonly organizations: number

  constructor(organizations: number) {
    this.organizations = organizations
  }

  get description(): string {
    const structure = this.organizations * (FOLDERS + DOCUMENTS)
    const grants = this.organizations * USERS * 3
    return `${this.organizations} organizations of ${FOLDERS} folders, ${DEPTH} deep, and ${DOCUMENTS} documents: ${structure.toLocaleString('en')} folders and documents, ${grants.toLocaleString('en')} grants`
  }

  get size(): number {
    return this.organizations * (FOLDERS + DOCUMENTS + USERS * 3)
  }

  /** The folders of each organization. Parents come before their contents. */
  folders(): Folder[] {
    return numbers(FOLDERS).map((folder) => ({ folder, parent: folder % DEPTH === 0 ? undefined : folder - 1 }))
  }

  documents(): Document[] {
    return numbers(DOCUMENTS).map((document) => ({
      document,
      folder: Math.floor(document / DOCUMENTS_IN_FOLDER),
      isRestricted: document % 10 === 9,
    }))
  }

  grants(): Grant[] {
    return numbers(USERS).flatMap((user) => {
      const role: Role = user % 3 === 0 ? 'editor' : 'viewer'
      const [one, other] = foldersOf(user)
      return [
        { user, type: 'folder' as const, nth: one, role },
        { user, type: 'folder' as const, nth: other, role },
        { user, type: 'document' as const, nth: documentOf(user), role },
      ]
    })
  }

  isAllowed({ user, document }: Question): boolean {
    return isOpen(user, document)
  }

  openTo(user: number): number {
    return numbers(DOCUMENTS).filter((document) => isOpen(user, document)).length
  }

  user(): Omit<Question, 'document'> {
    return { organization: pick(this.organizations), user: pick(USERS) }
  }

  /** Half of the questions are allowed. */
  question(): Question {
    const asker = this.user()
    const wanted = pick(2) === 0
    for (;;) {
      const document = pick(DOCUMENTS)
      if (isOpen(asker.user, document) === wanted) return { ...asker, document }
    }
  }

  /** Different documents of an organization, for one user. */
  questions(count: number): Question[] {
    const asker = this.user()
    const first = pick(DOCUMENTS)
    return numbers(count).map((nth) => ({ ...asker, document: (first + nth * 7) % DOCUMENTS }))
  }

  /** Different documents of an organization. */
  targets(count: number): Omit<Question, 'user'>[] {
    return this.questions(count).map(({ organization, document }) => ({ organization, document }))
  }
}

/** Two folders, in different chains. */
const foldersOf = (user: number): [number, number] => {
  const level = Math.floor(user / CHAINS) % DEPTH
  return [(user % CHAINS) * DEPTH + level, ((user + 3) % CHAINS) * DEPTH + ((level + 2) % DEPTH)]
}
const documentOf = (user: number): number => (user * 7) % DOCUMENTS

function isOpen(user: number, document: number): boolean {
  if (documentOf(user) === document) return true
  if (document % 10 === 9) return false
  const folder = Math.floor(document / DOCUMENTS_IN_FOLDER)
  return foldersOf(user).some(
    (granted) => granted <= folder && Math.floor(granted / DEPTH) === Math.floor(folder / DEPTH),
  )
}
