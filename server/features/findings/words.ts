/** The words by which names sound private, and by which profiles show that somebody is a guest or a trainee, or has left. */

/** Words of ids and names that suggest a private resource, in English, German, French and Spanish. */
const PRIVATE = [
  ...[
    'salary',
    'salaries',
    'payroll',
    'payslips?',
    'wages?',
    'bonus(?:es)?',
    'compensation',
    'severance',
    'dismissals?',
  ],
  ...[
    'confidential',
    'secrets?',
    'private',
    'internal[ _-]only',
    'classified',
    'nda',
    'passwords?',
    'credentials?',
    'api[ _-]?keys?',
  ],
  ...[
    'disciplinary',
    'medical',
    'diagnos[ie]s',
    'patients?',
    'sick[ _-]?notes?',
    'candidates?',
    'applicants?',
    'lawsuits?',
    'settlements?',
  ],
  ...[
    'tax[ _-]returns?',
    'bank[ _-](?:accounts?|details)',
    'passports?',
    'term[ _-]?sheets?',
    'cap[ _-]?table',
    'acquisition',
  ],
  ...[
    'gehalt',
    'gehälter',
    'lohn',
    'löhne',
    'vertraulich',
    'geheim',
    'kündigung(?:en)?',
    'abmahnung(?:en)?',
    'passwörter',
  ],
  ...[
    'salaires?',
    'paie',
    'confidentiel(?:le)?s?',
    'privée?s?',
    'licenciements?',
    'salarios?',
    'nóminas?',
    'confidencial(?:es)?',
  ],
]

/** A regular expression of PostgreSQL, which ignores case there: whole words, as ids separate them too. */
export const SOUNDS_PRIVATE = `(?:^|[^[:alpha:]])(?:${PRIVATE.join('|')})(?:$|[^[:alpha:]])`

const GUEST = [
  'guest',
  'external',
  'contractor',
  'consultant',
  'freelancer',
  'agency',
  'vendor',
  'partner',
  'customer',
  'client',
]
const TRAINEE = ['intern', 'trainee', 'apprentice', 'working student', 'student', 'temp', 'temporary']
const GONE = [
  'former',
  'left',
  'alumni',
  'alumnus',
  'inactive',
  'terminated',
  'offboarded',
  'departed',
  'deactivated',
  'retired',
]

/** Fields of a profile that say what somebody is, and fields with the day on which somebody left. */
const SAYS_WHAT = [
  'type',
  'kind',
  'status',
  'state',
  'employment',
  'employmentType',
  'userType',
  'role',
  'title',
  'jobTitle',
  'position',
]
const SAYS_WHEN = ['leftOn', 'leftAt', 'leaveDate', 'lastDay', 'endDate', 'terminatedOn', 'terminatedAt', 'contractEnd']

/** Profiles without a match say none of this: a regular expression of PostgreSQL for the JSON of a profile. */
export const MAY_SAY = `"(?:isGuest|isExternal|${SAYS_WHEN.join('|')})"|(?:${[...GUEST, ...TRAINEE, ...GONE].join('|')})`

type Profile = Readonly<Record<string, unknown>>

const words = (profile: Profile): string[] =>
  SAYS_WHAT.flatMap((field) => (typeof profile[field] === 'string' ? [profile[field].toLowerCase()] : []))

/** `exactly`: the whole text, not a word in it: a title such as "Client director" is no client. */
const says = (profile: Profile, terms: readonly string[], exactly: boolean): boolean =>
  words(profile).some((text) =>
    exactly ? terms.includes(text) : terms.some((term) => text.split(/[^\p{L}]+/u).includes(term)),
  )

export const isGuest = (profile: Profile): boolean =>
  profile.isGuest === true || profile.isExternal === true || says(profile, GUEST, true)

export const isTrainee = (profile: Profile): boolean => says(profile, TRAINEE, false)

/** Returns when somebody left according to the profile, in milliseconds; null: it does not say when; undefined: nobody left. */
export function leftAt(profile: Profile, now: number): number | null | undefined {
  const days = SAYS_WHEN.flatMap((field) => {
    const at = typeof profile[field] === 'string' ? Date.parse(profile[field]) : Number.NaN
    return Number.isNaN(at) || at > now ? [] : [at]
  })
  if (days[0] !== undefined) return days[0]
  return says(profile, GONE, true) ? null : undefined
}
