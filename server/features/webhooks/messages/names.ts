/** The names that a message shows in addition to the ids of its event. */
/** The current names, which events do not contain. */
export interface Names {
  organizationName: string | null
  resourceName: string | null
  userName: string | null
  userEmail: string | null
}
