/** The names that a message shows beside the ids of its event. */
/** What an event does not say itself, as it is now. */
export interface Names {
  organizationName: string | null
  resourceName: string | null
  userName: string | null
  userEmail: string | null
}
