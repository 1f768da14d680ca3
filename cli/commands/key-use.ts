/** `key use`: chooses the API key of a profile with which a person is signed in. */
import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import { Failure, wrongUsage } from '../failures.ts'
import { saveProfile } from '../profiles.ts'
import { note } from '../terminal.ts'

export function addKeyUse(program: Command): void {
  addCommand(program, 'key use', {
    summary: 'Choose the API key of later commands, if you are signed in as a person.',
    description:
      'With tokens instead of a person, an API key is chosen together with its auth token: commonhold profile add.',
    examples: ['commonhold key use chk_test_…'],
    async run({ words: [word], connection }) {
      const connected = connection()
      const { profile, session, url } = connected
      const apiKey = String(word)
      if (session === undefined)
        throw new Failure(
          'credentials',
          'Nobody is signed in.',
          'To sign in: commonhold login. To save a key with its token: commonhold profile add NAME',
        )
      const keys = await connected.forWorkspace().apiKeys.get()
      if (!keys.some(({ id }) => id === apiKey))
        throw wrongUsage(`The workspace has no API key ${JSON.stringify(apiKey)}.`, 'To list them: commonhold key list')
      saveProfile(profile, { url, apiKey })
      note(`Later commands with the profile ${profile} use it.`)
    },
  }).argument('<api-key>', 'The API key.')
}
