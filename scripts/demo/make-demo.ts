/** Creates the whole demo on a server, step by step, from three months ago until today if the server's clock can be set. */
import type { PublicClientOptions } from '#sdk/index.ts'
import { ORGANIZATIONS } from './company.ts'
import { addDailyWork } from './daily-work.ts'
import { addGrants, addGroups, addInvitations, addPeople, addStructure, type GoTo } from './fill.ts'
import { addHistory, addWebhooks } from './history.ts'
import { MISTAKES, makeMistakes } from './mistakes.ts'
import { GUESTS, MEMBERS } from './people.ts'
import { addThreads } from './threads.ts'
import { createDemo, type Demo } from './workspace.ts'

/** After each step, calls `say` with a summary of what was created. */
export async function makeDemo(
  server: PublicClientOptions,
  say: (done: string) => void,
  goTo: GoTo = async () => {},
): Promise<Demo> {
  await goTo(-88)
  const demo = await createDemo(server)
  say('a workspace with two API keys')
  await addStructure(demo.client)
  const count = (of: 'folders' | 'documents') =>
    ORGANIZATIONS.reduce((sum, organization) => sum + organization[of].length, 0)
  say(`${ORGANIZATIONS.length} organizations, ${count('folders')} folders, ${count('documents')} documents`)
  await addPeople(demo.client)
  say(`${MEMBERS.length + GUESTS.length} people, ${GUESTS.length} of them guests`)
  await goTo(-84)
  await addGroups(demo.client)
  await addGrants(demo.client)
  say('user groups and grants')
  await addDailyWork(demo.client, goTo)
  await goTo(-6)
  await addInvitations(demo.client)
  say('invitations')
  await addWebhooks(demo.client)
  await addHistory(demo.client, goTo)
  say('later changes')
  await goTo(-1)
  await addThreads(demo.client)
  say('threads of comments')
  await makeMistakes(demo.client)
  say(`${Object.keys(MISTAKES).length} mistakes`)
  return demo
}
