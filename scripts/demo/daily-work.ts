/** Three months of work: people add and delete notes and give colleagues access to them, so that questions about the past have answers. */
import type { Client } from '#sdk/index.ts'
import { expectAll, type GoTo } from './fill.ts'
import { DEPARTMENTS, type Department, memberAt } from './people.ts'

const ORGANIZATION = { organizationId: 'larkspur' }
const FIRST_DAY = -80
const LAST_DAY = -8
const EVERY_DAYS = 3

const OF_LARKSPUR = DEPARTMENTS.filter(({ organizationId }) => organizationId === ORGANIZATION.organizationId)
const departmentAt = (times: number) => OF_LARKSPUR[times % OF_LARKSPUR.length] as Department

export async function addDailyWork(client: Client, goTo: GoTo): Promise<void> {
  let times = 0
  for (let day = FIRST_DAY; day <= LAST_DAY; day += EVERY_DAYS) {
    await goTo(day)
    const note = await writeNote(client, times++)
    await goTo(day + 1)
    await finishNote(client, note)
  }
}

interface Note {
  documentId: string
  department: Department
  /** Somebody of another department who reads or edits it. */
  userId: string
}

const permissionsOn = ({ documentId }: Note, accessRole?: 'viewer' | 'editor') => ({
  resources: [{ type: 'document' as const, id: documentId, ...ORGANIZATION, ...(accessRole && { accessRole }) }],
})

async function writeNote(client: Client, times: number): Promise<Note> {
  const department = departmentAt(times)
  const documentId = `note-${String(times + 1).padStart(2, '0')}`
  const [folderId = ''] = department.folderIds
  const documents = [{ documentId, documentName: `Draft for ${department.name}`, kind: 'note' }]
  expectAll(await client.documents.add({ ...ORGANIZATION, folderId, documents }))
  const note = { documentId, department, userId: memberAt(departmentAt(times + 1).name, 2).userId }
  await client.permissions.add({
    user: { userId: note.userId },
    permissions: permissionsOn(note, times % 2 === 0 ? 'editor' : 'viewer'),
  })
  return note
}

async function finishNote(client: Client, note: Note): Promise<void> {
  const { documentId, department, userId } = note
  const documents = [{ documentId, documentName: `Notes of ${department.name}` }]
  expectAll(await client.documents.update({ ...ORGANIZATION, documents }))
  await client.permissions.remove({ userId, permissions: permissionsOn(note) })
  expectAll(await client.documents.delete({ ...ORGANIZATION, documentIds: [documentId] }))
}
