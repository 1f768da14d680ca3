/** Shows the warnings of the server as notifications. */
import { notifications } from '@mantine/notifications'
import type { Warning } from '#sdk/generated/warnings.ts'

const GIVES_ACCESS =
  /^(permissions\.add|grants\.add|users\.(add|update)|userGroupUsers\.add|invitations\.(add|respond)|(folder|document)Access\.set)$/

/** Calls that open documents by the default of an API key; the warning says how many. */
const SETS_DEFAULT = /^(keyConfig\.(update|copy)|apiKeys\.create)$/

/**
 * Shows a notification for a warning: that everyone has access to something anyway, so a grant limits nobody, or that a
 * list is not complete. `call` is the method of the client. Calls that list access notify nobody: the access page says
 * by itself what is public.
 */
export function notifyWarning({ code, message }: Warning, call: string): void {
  if (code === 'keys_unavailable')
    return void notifications.show({
      ...{ id: message, color: 'yellow', autoClose: 12_000, role: 'status' },
      ...{ title: 'Some API keys are missing', message },
    })
  const isDefault = SETS_DEFAULT.test(call)
  if (code !== 'public_access' || !(isDefault || GIVES_ACCESS.test(call))) return
  notifications.show({
    id: 'public-access',
    color: 'yellow',
    autoClose: 12_000,
    role: 'status',
    title: 'Everyone has access',
    message: isDefault
      ? message
      : 'Some of it is public: every user of the API key has access, also without a grant. Its page says why.',
  })
}
