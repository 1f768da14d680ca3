/** Warnings of calls that succeed: a code for programs and a sentence for people (rules/contract.md#warnings). */
import Type from 'typebox'

export const WarningCode = Type.Enum(
  [
    'public_access',
    'event_type_never_sent',
    'no_mail_is_sent',
    'stronger_role_kept',
    'more_may_match',
    'keys_unavailable',
  ],
  {
    description:
      '`public_access`: every user of the API key has access to a resource on which the call gives or lists access. `event_type_never_sent`: an endpoint waits for an event type that does not exist. `no_mail_is_sent`: the e-mail service is on and cannot send. `stronger_role_kept`: the user has a stronger role than the call gives. `more_may_match`: repeat the call for the rest. `keys_unavailable`: API keys are left out because their database cannot be reached.',
  },
)
export type WarningCode = Type.Static<typeof WarningCode>

export const Warning = Type.Object({
  code: WarningCode,
  message: Type.String({ description: 'A sentence for people: which effect may not be intended, and what to do.' }),
})
export type Warning = Type.Static<typeof Warning>

/** `result.warnings` of a success. */
export const Warnings = Type.Array(Warning, {
  description: 'What may not have the effect that was intended; absent when there is nothing to say.',
})
