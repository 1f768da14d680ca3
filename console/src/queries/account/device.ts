/** Mutations about a command line that requests to be signed in. */
import { mutationOptions } from '@tanstack/react-query'
import { consoleCalls } from '../../session/session.ts'

/** Finds the request with a user code; null if there is none that the signed-in person can answer. */
export const findDeviceRequest = mutationOptions({
  mutationFn: async (userCode: string) => (await consoleCalls.deviceRequest(userCode)) ?? null,
  gcTime: 0,
})

interface Answer {
  userCode: string
  answer: 'approve' | 'deny'
}

/** Returns false if somebody else has answered, or the code has expired. */
export const answerDeviceRequest = mutationOptions({
  mutationFn: ({ userCode, answer }: Answer) => consoleCalls.answerDeviceRequest(userCode, answer),
  meta: { invalidates: [['workspace', 'sessions']] },
  gcTime: 0,
})
