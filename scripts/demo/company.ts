/**
 * The sample organizations: Larkspur, a bicycle maker, its client Harbor City and its spin-off Trailhead, with 40
 * folders and 500 documents.
 */
import type { AccessType } from '#sdk/index.ts'
import { slug, words } from './people.ts'

interface Folder {
  id: string
  name: string
  parentId: string
  accessType?: AccessType
}

export interface Document {
  id: string
  name: string
  folderId?: string
  accessType?: AccessType
  kind: string
}

export interface Organization {
  id: string
  name: string
  industry: string
  folders: Folder[]
  documents: Document[]
}

/** Level, name, own access type, and the words that document names combine: each subject with each kind. */
type Row = [level: number, name: string, accessType: AccessType | '', subjects: string, kinds: string]

const MONTHS = 'January, February, March, April, May, June, July, August, September, October, November, December'
const STATIONS = 'Harbor, Old Town, University, Station Square, Riverside, Market Hall, Museum'

/** Kinds of documents that always have an access type of their own. */
const RESTRICTED_KINDS = ['contract', 'terms', 'scoring', 'salary review']

const LARKSPUR: Row[] = [
  [0, 'Top', '', 'Spring, Summer, Autumn, Winter', 'all-hands notes, company letter, staff survey'],
  [
    1,
    'Handbook',
    'organizationPrivate',
    'Working hours, Travel, Remote work, Holidays, Sick leave, Tools',
    'guide, FAQ',
  ],
  [2, 'Policies', '', 'Security, Privacy, Expenses, Company car, Gifts', 'policy, summary'],
  [2, 'Onboarding', '', 'First day, First week, Workshop, Warehouse, Home office', 'checklist, welcome letter'],
  [1, 'People', 'restricted', 'Works council, Headcount, Training, Parental leave', 'plan, notes'],
  [2, 'Salaries', 'restricted', 'Product, Marketing, Sales, Finance, Support', 'salary bands, salary review'],
  [2, 'Hiring', '', 'Welder, Mechanic, Controller, Designer, Buyer', 'job advert, interview guide'],
  [3, 'Candidates', '', 'Welder, Mechanic, Controller, Designer, Buyer', 'shortlist, interview notes'],
  [1, 'Finance', 'restricted', 'Bank, Tax, Insurance, Audit', 'overview, correspondence'],
  [2, 'Budgets', '', 'Product, Marketing, Sales, Support, People', 'budget, forecast'],
  [3, '2026', '', 'January, February, March, April, May, June', 'budget report, variance note'],
  [4, 'Q3', '', 'July, August, September', 'budget report, variance note, cash plan'],
  [5, 'Marketing spend', '', 'Trade fair, Print, Online, Sponsoring', 'spend plan, spend report'],
  [6, 'Agencies', '', 'Studio Norden, Atelier Pluie, Kite and Co', 'quote, contract, invoice'],
  [2, 'Payroll', 'restricted', MONTHS, 'payroll run, corrections'],
  [2, 'Invoices', '', 'Steel, Tyre, Battery, Motor, Paint, Freight, Energy, Rent', 'invoice, credit note, reminder'],
  [1, 'Product', 'organizationPrivate', 'Roadmap, Vision, Pricing, Competitor', 'draft, summary, decision'],
  [2, 'Cargo bike', '', 'Launch, Safety, Range, Cost, Certification', 'plan, report, review'],
  [3, 'Frame', '', 'Main tube, Fork, Cargo bed, Rear triangle, Head tube', 'drawing, load test, tolerances'],
  [3, 'Drive train', '', 'Motor, Battery, Belt, Gear hub', 'data sheet, test report, drawing'],
  [4, 'Suppliers', 'restricted', 'Motor, Battery, Belt, Gear hub', 'supplier list, supplier audit'],
  [2, 'City bike', '', 'Step-through, Classic, Folding, Junior', 'specification, parts list, test ride notes'],
  [1, 'Marketing', 'organizationPrivate', 'Brand, Photo, Tone of voice, Website', 'style guide, inventory'],
  [2, 'Campaigns', '', 'Autumn, Winter, Cycle to work, Family', 'brief, calendar, results'],
  [3, 'Spring launch', '', 'Poster, Film, Newsletter, Event', 'brief, draft, budget'],
  [2, 'Press', 'public', 'Cargo bike, City bike, Award, New factory', 'press release, fact sheet'],
  [
    1,
    'Sales',
    'restricted',
    'Netherlands, Belgium, France, Germany, Denmark, Austria',
    'sales report, price list, forecast',
  ],
  [2, 'Dealers', '', 'Lyon, Ghent, Utrecht, Aarhus, Graz, Freiburg', 'dealer agreement, visit notes'],
]

const HARBOR_CITY: Row[] = [
  [0, 'Top', '', 'Steering group, Mobility office, Residents', 'contacts, meeting notes'],
  [1, 'Tender', 'restricted', 'Scope, Award criteria, Schedule, Budget', 'draft, final version'],
  [2, 'Offers', 'restricted', 'Larkspur, Velora, Cityglide, Pedal Union', 'offer, scoring, clarification'],
  [2, 'Agreements', '', 'Framework, Maintenance, Insurance, Data sharing', 'agreement, annex'],
  [1, 'Stations', 'organizationPrivate', STATIONS, 'site plan, survey'],
  [2, 'Permits', '', STATIONS, 'building permit, neighbour letter'],
  [3, 'Appeals', 'restricted', 'Old Town, Museum, Riverside', 'appeal, reply'],
  [1, 'Operations', 'organizationPrivate', 'Rebalancing, Repair, Cleaning, Winter', 'plan, rota'],
  [2, 'Monthly reports', 'public', MONTHS, 'ridership report, downtime report'],
  [2, 'Incidents', '', 'Flat battery, Stolen bike, Vandalism, Collision, Lost key', 'log, follow-up'],
]

const TRAILHEAD: Row[] = [
  [0, 'Top', '', 'Team, Office, Launch', 'plan, notes, calendar'],
  [
    1,
    'Firmware',
    'organizationPrivate',
    'Lock, Sensor, Display, Charger, Gateway',
    'release notes, interface, test plan',
  ],
  [1, 'Research', 'organizationPrivate', 'Battery ageing, Route, Theft, Vibration', 'study, data set'],
  [2, 'Field tests', '', 'Graz, Ghent, Harbor City, Utrecht', 'protocol, results, photos'],
  [1, 'Investors', 'restricted', 'Seed round, Series A, Board, Grant', 'deck, terms, minutes, questions'],
]

export const ORGANIZATIONS: readonly Organization[] = [
  { id: 'larkspur', name: 'Larkspur Bicycles', industry: 'manufacturing', ...structureOf(LARKSPUR) },
  { id: 'harbor-city', name: 'Harbor City Council', industry: 'public sector', ...structureOf(HARBOR_CITY) },
  { id: 'trailhead', name: 'Trailhead Sensors', industry: 'electronics', ...structureOf(TRAILHEAD) },
]

/** Builds folders and documents from rows in which parents come first. The id of a folder is its path. */
function structureOf(rows: Row[]): { folders: Folder[]; documents: Document[] } {
  const folders: Folder[] = []
  const documents: Document[] = []
  const path: string[] = []
  for (const [level, name, accessType, subjects, kinds] of rows) {
    const parentId = level > 1 ? path.slice(0, level - 1).join('-') : 'root'
    path.splice(Math.max(level - 1, 0), Infinity, slug(name))
    const id = path.join('-')
    if (level > 0) folders.push({ id, name, parentId, ...(accessType === '' ? {} : { accessType }) })
    for (const subject of words(subjects))
      for (const kind of words(kinds))
        documents.push({
          id: slug(`${subject} ${kind}`),
          name: `${subject} ${kind}`,
          kind,
          ...(level > 0 ? { folderId: id } : {}),
          ...(RESTRICTED_KINDS.includes(kind) ? { accessType: 'restricted' } : {}),
        })
  }
  return { folders, documents }
}
