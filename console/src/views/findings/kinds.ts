/** The kinds of findings in words: a heading, and why it matters. */
import type { AccountFinding, Finding } from '#sdk/generated/operations.ts'
import { SENDS_LOGIN_LINKS } from '../../page-data.ts'

interface Kind {
  title: string
  intro: string
}

export const KINDS: Readonly<Record<Finding['kind'], Kind>> = {
  public_by_default: {
    title: 'Public by default',
    intro: 'Everything without an access type of its own is open to every user of the API key.',
  },
  public_in_restricted: {
    title: 'Public things in restricted folders',
    intro: 'Every user of the API key has access, although the folder is restricted.',
  },
  public_private_name: {
    title: 'Public things with private names',
    intro: 'Every user of the API key has access. The name sounds as if that were not meant.',
  },
  left_with_access: {
    title: 'People who left and still have access',
    intro: 'They are disabled in another API key of the workspace, or their profile says that they left.',
  },
  trainee_edits_everything: {
    title: 'Trainees who edit everything',
    intro: 'A grant on an organization holds for all that is in it.',
  },
  guest_without_end: {
    title: 'Guests without an end',
    intro: 'Guests according to their profiles, whose grants do not expire.',
  },
  grant_not_added: {
    title: 'Grants on things that were never added',
    intro: 'Often the id is misspelt, and the person waits for access to the real thing.',
  },
  expired_lately: {
    title: 'Access that expired within a week',
    intro: 'If it is still needed, give it again.',
  },
  closed_inside: {
    title: 'Closed inside open folders',
    intro: 'Restricted things that people with grants on the folder cannot open.',
  },
  disabled_with_grants: {
    title: 'Disabled, although people have grants',
    intro: 'Nobody can open what is disabled.',
  },
  weaker_inside: {
    title: 'Grants weaker than those above them',
    intro: 'The nearest grant decides, so these people can do less here than in the folder.',
  },
  webhook_failing: { title: 'Webhooks that fail', intro: 'The receiver misses events.' },
  token_unused: {
    title: 'Tokens that nobody uses',
    intro: 'Not used for 90 days. A token that is not needed can only leak.',
  },
}

export const ACCOUNT_KINDS: Readonly<Record<AccountFinding['kind'], Kind>> = {
  no_second_factor: {
    title: 'Administrators without a second factor',
    intro: SENDS_LOGIN_LINKS
      ? 'They sign in with a link in a mail. Ask them to add a passkey on their account page.'
      : 'They sign in with the link of an invitation. Ask them to add a passkey on their account page.',
  },
  settings_differ: {
    title: 'Keys with other defaults',
    intro: 'Documents are public by default in some API keys of the workspace, and not in others.',
  },
  workspace_token_unused: {
    title: 'Workspace tokens that nobody uses',
    intro: 'Not used for 90 days. A workspace token gives full access to the workspace.',
  },
  api_key_unused: { title: 'API keys that nobody uses', intro: 'No call for 90 days.' },
}
