/** The profile fields that the form edits. Other fields belong to the application and are not changed. */
export const TEXTS = [
  { field: 'name', label: 'Name' },
  { field: 'email', label: 'E-mail address' },
  { field: 'photoUrl', label: 'Picture URL' },
  { field: 'plan', label: 'Plan' },
  { field: 'type', label: 'Type' },
] as const

export const FLAGS = [
  { field: 'isAdmin', label: 'Admin in your application' },
  { field: 'isGuest', label: 'Guest' },
  { field: 'isReadOnly', label: 'Read only' },
  { field: 'isAnonymous', label: 'Anonymous' },
] as const

type Text = (typeof TEXTS)[number]['field']
type Flag = (typeof FLAGS)[number]['field']
type ProfileValues = Record<Text, string> & Record<Flag, boolean>

export function valuesOf(profile: Readonly<Record<string, unknown>> = {}): ProfileValues {
  const texts = TEXTS.map(({ field }) => [field, typeof profile[field] === 'string' ? profile[field] : ''])
  const flags = FLAGS.map(({ field }) => [field, profile[field] === true])
  return Object.fromEntries([...texts, ...flags]) as ProfileValues
}

type ProfileChange = Partial<Record<Text, string | null> & Record<Flag, boolean | null>>

/** Returns the update that turns `before` into `after`; null clears a field. */
export function profileChange(before: ProfileValues, after: ProfileValues): ProfileChange {
  const changed = [...TEXTS, ...FLAGS].map(({ field }) => field).filter((field) => before[field] !== after[field])
  return Object.fromEntries(changed.map((field) => [field, after[field] || null]))
}
