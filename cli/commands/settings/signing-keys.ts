/** Commands for the keys that sign user tokens. */
import { listSigningKeys, rotateSigningKeys } from '#contract/keys/signing-keys.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { table } from '../../terminal/output.ts'
import { column, milliseconds, seconds } from '../../terminal/table.ts'
import { spanSeconds } from '../../times.ts'

const SIGNING_KEYS = table(
  [column('KEY', 'kid'), column('CREATED', 'createdAt', milliseconds), column('VERIFIES UNTIL', 'expiresAt', seconds)],
  'signingKeys',
)

export const SIGNING_KEY_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'signing-key list',
    operation: listSigningKeys,
    show: SIGNING_KEYS,
    examples: ['commonhold signing-key list'],
  },
  {
    name: 'signing-key rotate',
    operation: rotateSigningKeys,
    parameters: [
      {
        flags: '--grace <span>',
        at: 'gracePeriodSeconds',
        help: 'How long existing tokens stay valid; 0 revokes them at once.',
        read: spanSeconds,
      },
    ],
    confirm: ({ gracePeriodSeconds }: { gracePeriodSeconds?: number }) =>
      gracePeriodSeconds === 0
        ? 'Rotate the signing key and revoke every user token at once?'
        : 'Rotate the key that signs user tokens?',
    show: SIGNING_KEYS,
    examples: ['commonhold signing-key rotate --grace 2d'],
  },
]
