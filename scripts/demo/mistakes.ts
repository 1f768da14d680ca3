/** The mistakes in the company's access, each with the check that reveals it. */
import type { Client, Question } from '#sdk/index.ts'
import { expectAll, inDays } from './fill.ts'
import { CONSULTANT, memberAt, PHOTOGRAPHER } from './people.ts'

export interface Mistake {
  says: string
  /** Absent if the mistake is not about one user. */
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
    says: 'A restricted folder contains a public document: a guest may edit salaries.',
    ask: { userId: CONSULTANT.userId, resource: document('product-salary-bands') },
  },
  guestOfClient: {
    says: 'A guest has a grant without expiry to edit everything of a client.',
    ask: { userId: CONSULTANT.userId, resource: { type: 'organization', id: 'harbor-city' } },
  },
  misspelt: {
    says: 'A grant names a misspelt document id, so the user has no access to the real document.',
    ask: { userId: MISLED, resource: document('steel-invioce') },
  },
  contractor: {
    says: "A contractor's access expired yesterday, although the profile says that the contract was prolonged.",
    ask: { userId: PHOTOGRAPHER.userId, resource: folder('marketing-campaigns-spring-launch') },
  },
  boundary: {
    says: 'The head of Marketing edits a folder and cannot open one document in it.',
    ask: { userId: memberAt('Marketing', 0).userId, resource: document('film-budget') },
  },
  disabled: {
    says: 'Nobody in Sales can open the price list of the Netherlands, although all of them have a grant.',
    ask: { userId: memberAt('Sales', 0).userId, resource: document('netherlands-price-list') },
  },
  narrowed: {
    says: 'The head of Product edits the folder of the cargo bike but can only view its safety plan.',
    ask: { userId: DESIGNER, resource: document('safety-plan') },
  },
  intern: {
    says: 'An intern has a grant to edit the whole company.',
    ask: { userId: INTERN, resource: { type: 'organization', id: 'larkspur' } },
  },
  keys: {
    says: 'The two API keys should have the same settings, but in one of them documents are public by default.',
  },
} satisfies Record<string, Mistake>

/** Makes all mistakes except the difference between the two keys, which is in their settings. */
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
