/** Threads on documents: open questions, a resolved one, and one that few people may read. */
import type { Client, ThreadInput } from '#sdk/index.ts'
import { memberAt } from './people.ts'

const LARKSPUR = { organizationId: 'larkspur' }

const by = (department: string, place: number) => {
  const { userId, name, email } = memberAt(department, place)
  return { userId, name, email }
}

/** Returns a comment; `{}` in its text mentions somebody. */
function said(from: ReturnType<typeof by>, commentText: string, mentioned?: ReturnType<typeof by>) {
  if (mentioned === undefined) return { from, commentText }
  const { userId, name } = mentioned
  const taggedUserContacts = [{ userId, contact: mentioned, text: `@${name}` }]
  return { from, commentText: commentText.replace('{}', `{{${userId}}}`), taggedUserContacts }
}

export async function addThreads(client: Client): Promise<void> {
  const [lead, planner] = [by('Product', 1), by('Product', 2)]
  const [marketer, seller, accountant] = [by('Marketing', 1), by('Sales', 1), by('Finance', 1)]
  const threads: Record<string, ThreadInput[]> = {
    'launch-plan-2027': [
      {
        annotationId: 'launch-week',
        commentData: [
          said(marketer, 'Is the first week of March realistic, {}? The film is not cut yet.', lead),
          said(lead, 'The frames arrive in January. March holds if the brakes pass their test.'),
          said(planner, 'They passed on Monday.'),
        ],
        assignedTo: marketer,
        priority: { id: 'P1', name: 'High', color: '#c2255c', lightColor: '#fcc2d7' },
        pageInfo: { url: 'https://app.example.com/launch-plan-2027', title: 'Launch plan 2027' },
      },
      { commentData: [said(seller, 'Dealers ask for the price list four weeks before.')] },
      {
        commentData: [
          said(accountant, 'The margin in this paragraph is not for everybody: {}, please check.', lead),
          said(lead, 'It is the one of last year. I change it.'),
        ],
        visibility: { type: 'restricted', userIds: [lead.userId] },
      },
    ],
    'roadmap-draft': [
      {
        commentData: [said(planner, 'The city bike is here twice.'), said(lead, 'Removed.')],
        status: {
          id: 'RESOLVED',
          name: 'Resolved',
          type: 'terminal',
          color: '#2b8a3e',
          lightColor: '#d3f9d8',
          svg: '<svg/>',
        },
      },
    ],
  }
  for (const [documentId, commentAnnotations] of Object.entries(threads))
    await client.threads.add({ ...LARKSPUR, documentId, commentAnnotations })
}
