/** The state of the conversion for the current organization: its structure, and grants that are not yet complete. */

export type PlaceType = 'organization' | 'folder' | 'document'

/** The membership of a user on a resource, as `users/get` lists it. */
export interface Membership {
  line: number
  accessRole?: unknown
  expiresAt?: unknown
}

/** A folder that is moved. */
export interface Folder {
  parentFolderId: string | undefined
  /** The access type in force, as the service reports it. */
  accessType: unknown
}

/** A document that is moved. */
export interface Document {
  folderId: string | undefined
  isDisabled: boolean
}

const keyOf = (type: PlaceType, id: string): string => `${type} ${id}`

/** It holds one organization: everything is discarded when the next one begins. */
export class Organization {
  readonly id: string
  /** Nothing inside an organization is moved when the organization itself cannot be. */
  readonly isMoved: boolean
  /** A disabled resource denies everybody, so `permissions/get` says nothing about its grants. */
  readonly #isDisabled: boolean
  readonly folders = new Map<string, Folder>()
  readonly documents = new Map<string, Document>()
  readonly #members = new Map<string, Map<string, Membership>>()
  readonly #temporary = new Map<string, string>()

  constructor(id: string, state: { isMoved: boolean; isDisabled?: boolean }) {
    this.id = id
    this.isMoved = state.isMoved
    this.#isDisabled = state.isDisabled ?? false
  }

  has(type: PlaceType, id: string): boolean {
    if (type === 'organization') return this.isMoved && id === this.id
    return (type === 'folder' ? this.folders : this.documents).has(id)
  }

  /** Returns whether a resource denies everybody because it, or its organization, is disabled. */
  isDisabled(type: PlaceType, id: string): boolean {
    return this.#isDisabled || (type === 'document' && this.documents.get(id)?.isDisabled === true)
  }

  addMember(type: PlaceType, id: string, userId: string, membership: Membership): void {
    const key = keyOf(type, id)
    const members = this.#members.get(key) ?? new Map<string, Membership>()
    this.#members.set(key, members.set(userId, membership))
  }

  /** Returns the membership and forgets it. */
  takeMember(type: PlaceType, id: string, userId: string): Membership | undefined {
    const members = this.#members.get(keyOf(type, id))
    const membership = members?.get(userId)
    members?.delete(userId)
    return membership
  }

  /** Returns the memberships about which `permissions/get` said nothing. */
  *restOfMembers(): Generator<{ type: PlaceType; id: string; userId: string; membership: Membership }> {
    for (const [key, members] of this.#members) {
      const [type, id] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
      for (const [userId, membership] of members) yield { type: type as PlaceType, id, userId, membership }
    }
  }

  /**
   * Remembers an answer with an expiry, and returns whether it is known already, or a folder above the resource, or the
   * organization, has the same for this user: then the resource inherits it and has no grant of its own.
   */
  inheritsTemporary(type: PlaceType, id: string, userId: string, answer: string): boolean {
    const own = `${keyOf(type, id)} ${userId}`
    if (this.#temporary.get(own) === answer) return true
    this.#temporary.set(own, answer)
    return this.#above(type, id).some((above) => this.#temporary.get(`${above} ${userId}`) === answer)
  }

  /** Returns the keys of the folders and the organization that contain a resource. */
  #above(type: PlaceType, id: string): string[] {
    if (type === 'organization') return []
    const above: string[] = []
    let folderId = type === 'document' ? this.documents.get(id)?.folderId : this.folders.get(id)?.parentFolderId
    while (folderId !== undefined && above.length <= this.folders.size) {
      above.push(keyOf('folder', folderId))
      folderId = this.folders.get(folderId)?.parentFolderId
    }
    return [...above, keyOf('organization', this.id)]
  }
}
