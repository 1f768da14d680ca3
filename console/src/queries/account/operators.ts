/** Queries and mutations of the people of a workspace, their sessions and their passkeys. */
import { startRegistration } from '@simplewebauthn/browser'
import { mutationOptions, queryOptions, useQuery } from '@tanstack/react-query'
import type { InviteOperatorData, Operator, RemoveOperatorData, UpdateOperatorData } from '#sdk/generated/operations.ts'
import { useRefusal } from '../../session/permission.ts'
import { consoleCalls, workspace } from '../../session/session.ts'
import { deleteOne } from '../pages/deletion.ts'

const OPERATORS = ['workspace', 'operators'] as const
const SESSIONS = ['workspace', 'sessions'] as const
const PASSKEYS = ['workspace', 'passkeys'] as const

const meta = { invalidates: [OPERATORS, SESSIONS] }

export const operatorsQuery = queryOptions({
  queryKey: OPERATORS,
  queryFn: async ({ signal }) => (await workspace.operators.get({}, { signal })).operators,
})

/** Returns the people of the workspace; none for those who may not read the list. */
export function useReadableOperators(): readonly Operator[] {
  const isReadable = useRefusal('operators.get') === undefined
  return useQuery({ ...operatorsQuery, enabled: isReadable }).data ?? []
}

/** The response may have a link, which is a secret. */
export const inviteOperator = mutationOptions({
  mutationFn: (data: InviteOperatorData) => workspace.operators.invite(data),
  meta,
  gcTime: 0,
})

export const updateOperator = mutationOptions({
  mutationFn: (data: UpdateOperatorData) => workspace.operators.update(data),
  meta,
})

export const removeOperator = mutationOptions({
  mutationFn: (data: RemoveOperatorData) => deleteOne(() => workspace.operators.remove(data)),
  meta,
})

/** Sessions that the caller may end. */
export const sessionsQuery = queryOptions({ queryKey: SESSIONS, queryFn: consoleCalls.sessions })

export const endSession = mutationOptions({ mutationFn: consoleCalls.endSession, meta: { invalidates: [SESSIONS] } })

export const passkeysQuery = queryOptions({ queryKey: PASSKEYS, queryFn: consoleCalls.passkeys })

/** Asks the browser for a new passkey, and adds it. */
export const addPasskey = mutationOptions({
  mutationFn: async (name: string) => {
    const optionsJSON = await consoleCalls.passkeyOptions('register')
    const options = { optionsJSON } as Parameters<typeof startRegistration>[0]
    await consoleCalls.addPasskey(name, await startRegistration(options))
  },
  meta: { invalidates: [PASSKEYS] },
})

export const removePasskey = mutationOptions({
  mutationFn: consoleCalls.removePasskey,
  meta: { invalidates: [PASSKEYS] },
})
