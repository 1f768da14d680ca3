/** `commonhold buckets move-key`. */
import { ConfigError } from '../../setting-values.ts'
import { MoveRefused } from '../move/servers.ts'
import { type KeyMoveDeps, keyIn, nameOf, withBoth } from './databases.ts'
import { keep, moveKey } from './key-move.ts'
import { GET_KEY_MOVE } from './statements.ts'

/** Moves a key as the options say, or gives its move up. */
export async function runKeyMove(
  deps: KeyMoveDeps,
  apiKeyId: string | undefined,
  {
    to,
    undo,
    'to-home': toHome = false,
  }: { to?: string | undefined; undo?: boolean | undefined; 'to-home'?: boolean | undefined },
): Promise<void> {
  if (apiKeyId === undefined) throw new ConfigError('Name the API key: buckets move-key KEY --to NAME.')
  if (undo) return undoKeyMove(deps, apiKeyId)
  if ((to === undefined) !== toHome)
    throw new ConfigError('Name the bucket with --to, or the home database with --to-home.')
  await moveKey(deps, apiKeyId, to)
}

/** Gives up a move that has not copied anything yet. */
async function undoKeyMove(deps: KeyMoveDeps, apiKeyId: string): Promise<void> {
  const [begun] = await deps.home.run(GET_KEY_MOVE, [apiKeyId])
  if (begun === undefined) throw new MoveRefused('The key is not being moved.')
  const ends = { apiKeyId, from: begun.from ?? undefined, to: begun.to ?? undefined }
  await withBoth(deps, ends, async (source, target) => {
    const [now] = await deps.home.run(GET_KEY_MOVE, [apiKeyId])
    if (now === undefined) return // a server has given it up
    if (now.isClosed || (await keyIn(target, apiKeyId)) !== undefined)
      throw new MoveRefused(
        `The key is copied to ${nameOf(ends.to)} already; finish the move by the same command without --undo, and move it back then.`,
      )
    await keep(deps, apiKeyId, source)
  })
  deps.say(`The key stays in ${nameOf(ends.from)}.`)
}
