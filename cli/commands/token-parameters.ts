/** Parameters that commands for workspace tokens, API keys and auth tokens share. */
import type { Parameter } from '../operation-command.ts'
import { endSeconds, spanSeconds } from '../values.ts'

export const KEY: Parameter = { flags: '<api-key>', at: 'apiKey', help: 'The API key: chk_….' }

export const EXPIRES: Parameter = {
  flags: '--expires <when>',
  at: 'expiresAt',
  help: 'When the token expires: 90d, or a time.',
  read: endSeconds,
}

export const GRACE: Parameter = {
  flags: '--grace <span>',
  at: 'gracePeriodSeconds',
  help: 'How long the existing tokens stay valid: 1h.',
  read: spanSeconds,
}
