/** The 120 people: members of the organizations by department, and guests with a reason for their access. */
import type { GrantInput } from '#sdk/index.ts'

/** Turns `Drive train` into `drive-train`, and with `.` as separator `Zoë Müller` into `zoe.muller`. */
export const slug = (name: string, separator = '-'): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, separator)

export const words = (text: string): string[] => text.split(', ')

const FIRST_NAMES = words(
  'Inès, Jonas, Amara, Luis, Mei, Peter, Zoë, Samir, Hanna, Kofi, Clara, Mateus, Yuki, Oskar, Leila, Björn, Priya, Marco, Nora, Tomáš, Aisha, Felix, Ewa, Daniel, Sofía, Anton, Mina, Hugo, Freya, Rafael, Ida, Viktor, Lina, Omar, Greta, Pavel, Ruth, Emil, Noor, Simon',
)
const LAST_NAMES = words(
  'Moreau, Becker, Okafor, Herrera, Lin, Novák, Vermeulen, Haddad, Lindgren, Mensah, Rossi, Almeida, Tanaka, Krause, Farahani, Dahl, Nair, Bianchi, Jensen, Dvořák, Diallo, Wagner, Kowalska, Peeters, Ortega, Weber, Demir, Laurent, Olsen, Costa, Schmid, Petrov, Bakker, Mansour, Huber, Svoboda, Cohen, Nilsson, de Vries, Fischer',
)

export interface Department {
  organizationId: string
  name: string
  people: number
  color: string
  /** The lead edits all of them; some members edit the first, the others view it. */
  folderIds: string[]
}

export const DEPARTMENTS: readonly Department[] = [
  department('larkspur', 'Management', 4, '#5f3dc4', 'finance, people, sales'),
  department('larkspur', 'People', 8, '#c2255c', 'people-hiring, people, people-salaries, handbook'),
  department('larkspur', 'Finance', 12, '#2b8a3e', 'finance, finance-payroll, finance-budgets-2026'),
  department(
    'larkspur',
    'Product',
    26,
    '#1864ab',
    'product-cargo-bike, product, product-cargo-bike-drive-train-suppliers',
  ),
  department('larkspur', 'Marketing', 14, '#d9480f', 'marketing-campaigns, marketing, marketing-press'),
  department('larkspur', 'Sales', 16, '#0b7285', 'sales, sales-dealers'),
  department('larkspur', 'Support', 10, '#5c940d', 'handbook, product-city-bike'),
  department('harbor-city', 'Mobility office', 6, '#862e9c', 'tender, tender-offers, stations'),
  department('harbor-city', 'Operations', 8, '#087f5b', 'operations, stations-permits'),
  department('trailhead', 'Engineering', 4, '#364fc7', 'firmware, research'),
  department('trailhead', 'Business', 2, '#a61e4d', 'investors'),
]

function department(organizationId: string, name: string, people: number, color: string, folders: string): Department {
  return { organizationId, name, people, color, folderIds: words(folders) }
}

interface Person {
  userId: string
  name: string
  email: string
}

export interface Member extends Person {
  department: Department
  /** The first of a department leads it. */
  place: number
}

const DOMAINS: Record<string, string> = {
  larkspur: 'example.com',
  'harbor-city': 'example.org',
  trailhead: 'example.net',
}

const person = (name: string, domain: string): Person => {
  const userId = slug(name, '.')
  return { userId, name, email: `${userId}@${domain}` }
}

export const MEMBERS: readonly Member[] = DEPARTMENTS.flatMap((department) =>
  Array.from({ length: department.people }, (_, place) => ({ department, place })),
).map(({ department, place }, index) => {
  const round = Math.floor(index / FIRST_NAMES.length)
  const first = FIRST_NAMES[index % FIRST_NAMES.length]
  const last = LAST_NAMES[(index + 13 * round) % LAST_NAMES.length]
  return { ...person(`${first} ${last}`, DOMAINS[department.organizationId] ?? ''), department, place }
})

/** Returns the member at a position in a department; 0 is its lead. */
export function memberAt(department: string, place: number): Member {
  const found = MEMBERS.find((member) => member.department.name === department && member.place === place)
  if (found === undefined) throw new Error(`nobody has place ${place} in ${department}`)
  return found
}

export interface Guest extends Person {
  reason: string
  grant: Pick<GrantInput, 'type' | 'id' | 'organizationId' | 'accessRole'>
  /** When the grant expires, in days from now; negative numbers are in the past. Absent: never. */
  expiresInDays?: number
}

const guest = (
  name: string,
  reason: string,
  [organizationId, folderId]: [organizationId: string, folderId?: string],
  accessRole: 'viewer' | 'editor',
  expiresInDays?: number,
): Guest => ({
  ...person(name, 'example.net'),
  reason,
  grant:
    folderId === undefined
      ? { type: 'organization', id: organizationId, accessRole }
      : { type: 'folder', id: folderId, organizationId, accessRole },
  expiresInDays,
})

export const PHOTOGRAPHER = guest(
  'Nadia Brandt',
  'Photographer of the spring launch. The contract was prolonged to the end of the campaign.',
  ['larkspur', 'marketing-campaigns-spring-launch'],
  'editor',
  -1,
)
export const CONSULTANT = guest('Oliver Quist', 'Consultant for the tender', ['harbor-city'], 'editor')

export const GUESTS: readonly Guest[] = [
  PHOTOGRAPHER,
  CONSULTANT,
  guest('Tomás Rey', 'Auditor of the yearly accounts', ['larkspur', 'finance'], 'viewer', 2),
  guest('Wanda Sikora', 'Assistant of the auditor', ['larkspur', 'finance-invoices'], 'viewer', 5),
  guest('Gerald Pohl', 'Tax adviser for last year', ['larkspur', 'finance-payroll'], 'viewer', -20),
  guest(
    'Elodie Renard',
    'Account manager at Atelier Pluie',
    ['larkspur', 'finance-budgets-2026-q3-marketing-spend-agencies'],
    'viewer',
    45,
  ),
  guest('Ilse Maertens', 'Translator of press releases', ['larkspur', 'marketing-press'], 'editor', 6),
  guest('Ravi Menon', 'Surveyor of the stations', ['harbor-city', 'stations'], 'editor', 90),
  guest('Judith Arendt', 'Investor who looks at Series A', ['trailhead', 'investors'], 'viewer', 12),
  guest('Bo Kristensen', 'Test rider of last season', ['trailhead', 'research-field-tests'], 'viewer', -8),
]
