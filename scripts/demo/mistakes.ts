/** What went wrong in the company: each mistake with the question that leads to it. */
import type { Client, Question } from '#sdk/index.ts'
import { expectAll, inDays } from './fill.ts'
import { CONSULTANT, memberAt, PHOTOGRAPHER } from './people.ts'

export interface Mistake {
  says: string
  /** Absent: it is not about one user. */
  ask?: Required<Pick<Question, 'userId' | 'resource'>>
}

const LARKSPUR = { organizationId: 'larkspur' }
const document = (id: string) => ({ type: 'document' as const, id, ...LARKSPUR })
const folder = (id: string) => ({ type: 'folder' as const, id, ...LARKSPUR })

const FORMER = memberAt('Finance', 5).userId
const INTERN = memberAt('Support', 7).userId
const MISLED = memberAt('Support', 2).userId
const DESIGNER = memberAt('Product', 0).userId

export const MISTAKES = {
  left: {
    says: 'Somebody who left two months ago still edits the payroll.',
    ask: { userId: FORMER, resource: folder('finance-payroll') },
  },
  publicDocument: {
    says: 'In a restricted folder lies a document that is public: a guest may edit salaries.',
    ask: { userId: CONSULTANT.userId, resource: document('product-salary-bands') },
  },
  guestOfClient: {
    says: 'A guest edits everything of a client, without an end.',
    ask: { userId: CONSULTANT.userId, resource: { type: 'organization', id: 'harbor-city' } },
  },
  misspelt: {
    says: 'A grant is on a document that nobody added: its id is misspelt, and the real one stays closed.',
    ask: { userId: MISLED, resource: document('steel-invioce') },
  },
  contractor: {
    says: "A contractor's access ended yesterday, while the profile says that it was prolonged.",
    ask: { userId: PHOTOGRAPHER.userId, resource: folder('marketing-campaigns-spring-launch') },
  },
  boundary: {
    says: 'The head of Marketing edits a folder and cannot open one document in it.',
    ask: { userId: memberAt('Marketing', 0).userId, resource: document('film-budget') },
  },
  disabled: {
    says: 'Sales cannot open the price list of the Netherlands, though all of them have a grant.',
    ask: { userId: memberAt('Sales', 0).userId, resource: document('netherlands-price-list') },
  },
  narrowed: {
    says: 'The head of Product edits the folder of the cargo bike and only views its safety plan.',
    ask: { userId: DESIGNER, resource: document('safety-plan') },
  },
  intern: {
    says: 'An intern edits the whole company.',
    ask: { userId: INTERN, resource: { type: 'organization', id: 'larkspur' } },
  },
  keys: {
    says: 'The two API keys should be set alike: in one of them documents are public unless somebody says otherwise.',
  },
} satisfies Record<string, Mistake>

/** All but the one between the keys, which is in their settings. */
export async function makeMistakes(client: Client): Promise<void> {
  expectAll(
    await client.profiles.set({
      users: [
        { userId: FORMER, type: 'former', leftOn: new Date(inDays(-60) * 1000).toISOString().slice(0, 10) },
        { userId: INTERN, title: 'Intern' },
      ],
    }),
  )
  await client.grants.add({
    grants: [
      { userId: FORMER, ...folder('finance-payroll'), accessRole: 'editor' },
      { userId: MISLED, ...document('steel-invioce'), accessRole: 'editor' },
      { userId: DESIGNER, ...document('safety-plan'), accessRole: 'viewer' },
      { userId: INTERN, type: 'organization', id: 'larkspur', accessRole: 'editor' },
    ],
  })
  await client.permissions.remove({
    userId: FORMER,
    permissions: { resources: [{ type: 'organization', id: 'larkspur' }] },
  })
  expectAll(
    await client.documentAccess.set({ ...LARKSPUR, documentIds: ['product-salary-bands'], accessType: 'public' }),
  )
  expectAll(await client.documentAccess.set({ ...LARKSPUR, documentIds: ['film-budget'], accessType: 'restricted' }))
  expectAll(await client.documents.disable({ ...LARKSPUR, documentIds: ['netherlands-price-list'], disabled: true }))
}
